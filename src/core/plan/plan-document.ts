// A plan as everybody sees it: printed, saved, answered over the API, and executed.
import { type DeclaredKindName, type KindName, kindOf } from '../kinds/index.ts';
import type { Change, Following } from '../model/change.ts';
import type { Finding, Source } from '../model/finding.ts';
import { addressOf, declaredPart, type Resource } from '../model/resource.ts';
import { countReferrers, type View } from '../model/view.ts';
import { blocksChange, planGuards } from '../rules/plan-guards.ts';
import { type Fingerprint, fieldsOf, type PlannedField } from './plan-fields.ts';
import type { Plan, Planned } from './planned.ts';

export type { PlannedField } from './plan-fields.ts';

/** What must still be so when the change is executed: no such object, or this very generation of it. */
export type Precondition = { readonly absent: true } | { readonly id: string; readonly generation: number };

export interface PlannedChange<K extends KindName = DeclaredKindName> {
  readonly address: string;
  readonly previousAddress?: string;
  readonly kind: K;
  readonly name: string;
  readonly action: 'create' | 'update' | 'delete' | 'rename' | 'adopt' | 'blocked';
  readonly source?: Source;
  /** What the document says that it was called: with the change it is followed, and may stay. */
  readonly previousNames?: readonly string[];
  /** Where its document stood when it was applied last, where none declares it any more. */
  readonly previousSource?: { readonly file: string; readonly line: number };
  readonly precondition: Precondition;
  readonly fields: readonly PlannedField[];
  readonly affects: Affects;
  readonly blockedBy?: readonly Finding[];
  /** The documents changed (`source`, said on a server's own plan), or somebody else changed the state (`drift`). */
  readonly cause?: 'source' | 'drift';
}

/** How much a change touches: what refers to the object, and what else changes with it, by what it is. */
export interface Affects {
  readonly teams?: number;
  readonly instances?: number;
  readonly sessions?: number;
  readonly tokens?: number;
  readonly memberships?: number;
  readonly invitations?: number;
  readonly snapshots?: number;
}

/** What changes because something else does, although nobody asked for it. */
export interface PlannedConsequence {
  readonly address: string;
  readonly action: 'create' | 'update' | 'delete';
  readonly reason: string;
}

export interface PlanSummary {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
  readonly rename: number;
  readonly adopt: number;
  readonly unchanged: number;
  readonly blocked: number;
}

export interface PlanDocument<K extends KindName = DeclaredKindName> {
  readonly formatVersion: 1;
  /** The state that the plan was made from: the revision last applied to it, and a digest of what is declared in it. */
  readonly base: { readonly revision: string | null; readonly digest: string };
  /** The tree that the plan was made from. */
  readonly source: PlanSource;
  readonly summary: PlanSummary;
  readonly changes: readonly PlannedChange<K>[];
  /** What goes with the changes in the same commit, such as sessions and tokens that end. */
  readonly consequences: readonly PlannedConsequence[];
  readonly findings: readonly Finding[];
  /** How many findings there are, where not all of them are told. */
  readonly findingsTotal?: number;
  /** Equal objects made through the API that their documents take over: nothing about them changes. */
  readonly adopted?: readonly AdoptedObject<K>[];
}

/** An object that changes its keeper, and nothing else. */
export interface AdoptedObject<K extends KindName = DeclaredKindName>
  extends Pick<PlannedChange<K>, 'address' | 'kind' | 'name' | 'source' | 'previousNames' | 'precondition'> {}

export interface PlanSource {
  readonly digest: string;
  readonly commit?: string;
  readonly dirty?: boolean;
  readonly files: number;
}

/** What surrounds a plan when it is shown. */
export interface Surroundings {
  readonly base: PlanDocument['base'];
  readonly source: PlanSource;
  /** The state that the plan was made from, for what it affects. */
  readonly before: View;
  readonly consequences: readonly Following[];
  /** Violations of the plan and warnings of the tree, located. */
  readonly findings: readonly Finding[];
  readonly fingerprint: Fingerprint;
}

/** The document of a plan, in steps, so that a long one can be sliced. */
export function* planDocumentSteps<K extends KindName>(
  plan: Plan<K>,
  around: Surroundings,
): Generator<void, PlanDocument<K>, void> {
  const errors = errorsBy(plan, around);
  const changes: PlannedChange<K>[] = [];
  for (const planned of plan.planned) {
    if (planned.quiet) continue;
    changes.push(plannedChange(planned, errors, around));
    if (changes.length % 32 === 0) yield;
  }
  const adopted = plan.planned.filter(({ quiet, action }) => quiet && action === 'adopt').map(subjectOf);
  const { base, source, findings } = around;
  const summary = summaryOf(changes, plan.unchanged - adopted.length, adopted.length);
  const silent = adopted.length > 0 ? { adopted } : {};
  const document = { formatVersion: 1, base, source, summary, changes, consequences: [], findings, ...silent } as const;
  return withConsequences(document, around.consequences);
}

/** The plan with what follows from its changes, which may have been found anew when it was carried out. */
export function withConsequences<K extends KindName>(
  document: PlanDocument<K>,
  found: readonly Following[],
): PlanDocument<K> {
  const shown = found.filter(({ change }) => !kindOf(change.kind).internal);
  if (shown.length + document.consequences.length === 0) return document;
  const counts = countsBy(shown);
  const changes = document.changes.map((change) => {
    const { teams, instances } = change.affects;
    const own = { ...(teams === undefined ? {} : { teams }), ...(instances === undefined ? {} : { instances }) };
    return { ...change, affects: { ...own, ...counts.get(change.address) } };
  });
  return { ...document, changes, consequences: shown.map(consequenceOf) };
}

function consequenceOf({ change }: Following): PlannedConsequence {
  return { address: addressIn(change), action: actionOf(change), reason: change.reason };
}

/** What a change does to its resource, whoever asked for it. */
export function actionOf({ before, after }: Change): 'create' | 'update' | 'delete' {
  return before ? (after ? 'update' : 'delete') : 'create';
}

/** How much goes with each change, by the address of the change. */
function countsBy(consequences: readonly Following[]): ReadonlyMap<string, Affects> {
  const counts = new Map<string, Record<string, number>>();
  for (const { change, cause } of consequences) {
    const noun = countedAs[change.kind];
    if (noun === undefined) continue;
    const address = addressIn(cause);
    const own = counts.get(address) ?? {};
    own[noun] = (own[noun] ?? 0) + 1;
    counts.set(address, own);
  }
  return counts;
}

const countedAs: Readonly<Partial<Record<KindName, keyof Affects>>> = {
  Session: 'sessions',
  Token: 'tokens',
  StatisticsToken: 'tokens',
  ProvisioningToken: 'tokens',
  HttpToken: 'tokens',
  Membership: 'memberships',
  Invitation: 'invitations',
  Snapshot: 'snapshots',
};

function addressIn({ kind, before, after }: Change): string {
  return addressOf({ kind, name: (after ?? before)?.name ?? '' });
}

/** The errors by the address that they block. What a change of the Platform does to objects that do not change themselves blocks the Platform. */
function errorsBy({ planned }: Plan<KindName>, { findings, consequences }: Surroundings): Errors {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const addresses = new Set(errors.length > 0 ? planned.map(({ change }) => addressIn(change)) : []);
  const causes = new Map(consequences.map(({ change, cause }) => [addressIn(change), addressIn(cause)]));
  const blocks = (address: string) => (addresses.has(address) ? address : (causes.get(address) ?? guarded));
  return Map.groupBy(errors, ({ kind, name }) => blocks(`${kind}/${name}`));
}

function plannedChange<K extends KindName>(
  planned: Planned<K>,
  errors: Errors,
  around: Surroundings,
): PlannedChange<K> {
  const { change, desired, action } = planned;
  const subject = subjectOf(planned);
  const blockedBy = blockersOf(change, errors, subject.address);
  const previous = change.before && change.before.name !== subject.name ? addressOf(change.before) : undefined;
  return {
    ...subject,
    ...(previous === undefined ? {} : { previousAddress: previous }),
    ...previousSourceOf(planned),
    action: blockedBy.length > 0 ? 'blocked' : action,
    fields: fieldsOf(change.before, change.after, desired, around.fingerprint),
    affects: affectsOf(change.before, around.before),
    ...(blockedBy.length > 0 ? { blockedBy } : {}),
    ...(planned.cause ? { cause: planned.cause } : {}),
  };
}

function previousSourceOf({ change, desired }: Planned<KindName>): Pick<PlannedChange, 'previousSource'> {
  const source = desired || !change.before ? undefined : declaredPart(change.before)?.source;
  return source ? { previousSource: source } : {};
}

function subjectOf<K extends KindName>({ change, desired }: Planned<K>): AdoptedObject<K> {
  const { kind } = change;
  const { name } = (change.after ?? change.before) as Resource;
  return {
    address: addressOf({ kind, name }),
    kind,
    name,
    ...(desired ? { source: desired.document.locate('/kind', 'key') } : {}),
    ...(desired && desired.previousNames.length > 0 ? { previousNames: desired.previousNames } : {}),
    precondition: change.before ? { id: change.before.id, generation: change.before.generation } : { absent: true },
  };
}

function blockersOf(change: Planned<KindName>['change'], errors: Errors, address: string): Finding[] {
  const own = (errors.get(address) ?? []).filter(({ rule }) => !planGuards.has(rule));
  const guards = (errors.get(guarded) ?? []).filter(({ rule }) => blocksChange(rule, change));
  return [...own, ...guards];
}

type Errors = ReadonlyMap<string, readonly Finding[]>;

/** What the guards of a plan as a whole speak of; they block the deletions, not the Platform. */
const guarded = 'Platform/platform';

function affectsOf(before: Resource | undefined, view: View): PlannedChange['affects'] {
  if (!before) return {};
  const teams = countReferrers(view, 'Team', before);
  const instances = countReferrers(view, 'Instance', before);
  return { ...(teams > 0 ? { teams } : {}), ...(instances > 0 ? { instances } : {}) };
}

/** How many changes there are of each action; `adopted` are those that change nothing but the keeper. */
export function summaryOf(
  changes: readonly PlannedChange<KindName>[],
  unchanged: number,
  adopted: number,
): PlanSummary {
  const count = (action: PlannedChange['action']) => changes.filter((change) => change.action === action).length;
  const made = { create: count('create'), update: count('update'), delete: count('delete'), rename: count('rename') };
  return { ...made, adopt: count('adopt') + adopted, unchanged, blocked: count('blocked') };
}
