// A plan as everybody sees it: printed, saved, answered over the API, and executed.
import type { DeclaredKindName, KindName } from '../kinds/index.ts';
import type { Finding, Source } from '../model/finding.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import { countReferrers, type View } from '../model/view.ts';
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
  readonly precondition: Precondition;
  readonly fields: readonly PlannedField[];
  readonly affects: { readonly teams?: number; readonly instances?: number };
  readonly blockedBy?: readonly Finding[];
  /** The documents changed (`source`, said on a server's own plan), or somebody else changed the state (`drift`). */
  readonly cause?: 'source' | 'drift';
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
  readonly findings: readonly Finding[];
  /** How many findings there are, where not all of them are told. */
  readonly findingsTotal?: number;
  /** Equal objects made through the API that their documents take over: nothing about them changes. */
  readonly adopted?: readonly AdoptedObject<K>[];
}

/** An object that changes its keeper, and nothing else. */
export interface AdoptedObject<K extends KindName = DeclaredKindName>
  extends Pick<PlannedChange<K>, 'address' | 'kind' | 'name' | 'source' | 'precondition'> {}

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
  /** Violations of the plan and warnings of the tree, located. */
  readonly findings: readonly Finding[];
  readonly fingerprint: Fingerprint;
}

/** The document of a plan, in steps, so that a long one can be sliced. */
export function* planDocumentSteps<K extends KindName>(
  plan: Plan<K>,
  around: Surroundings,
): Generator<void, PlanDocument<K>, void> {
  const errors = errorsBy(plan, around.findings);
  const changes: PlannedChange<K>[] = [];
  for (const planned of plan.planned) {
    if (planned.quiet) continue;
    changes.push(plannedChange(planned, errors, around));
    if (changes.length % 32 === 0) yield;
  }
  const adopted = plan.planned.filter(({ quiet, action }) => quiet && action === 'adopt').map(subjectOf);
  const { base, source, findings } = around;
  const summary = summaryOf(changes, plan.unchanged - adopted.length, adopted.length);
  return { formatVersion: 1, base, source, summary, changes, findings, ...(adopted.length > 0 ? { adopted } : {}) };
}

/** The errors by the address that they block. What a change of the Platform does to objects that do not change themselves blocks the Platform. */
function errorsBy({ planned }: Plan<KindName>, findings: readonly Finding[]): Errors {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const addresses = new Set(errors.length > 0 ? planned.map(addressIn) : []);
  const blocks = (address: string) => (addresses.has(address) ? address : guarded);
  return Map.groupBy(errors, ({ kind, name }) => blocks(`${kind}/${name}`));
}

function addressIn({ change }: Planned<KindName>): string {
  return addressOf({ kind: change.kind, name: ((change.after ?? change.before) as Resource).name });
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
    action: blockedBy.length > 0 ? 'blocked' : action,
    fields: fieldsOf(change.before, change.after, desired, around.fingerprint),
    affects: affectsOf(change.before, around.before),
    ...(blockedBy.length > 0 ? { blockedBy } : {}),
    ...(planned.cause ? { cause: planned.cause } : {}),
  };
}

function subjectOf<K extends KindName>({ change, desired }: Planned<K>): AdoptedObject<K> {
  const { kind } = change;
  const { name } = (change.after ?? change.before) as Resource;
  return {
    address: addressOf({ kind, name }),
    kind,
    name,
    ...(desired ? { source: desired.document.locate('/kind', 'key') } : {}),
    precondition: change.before ? { id: change.before.id, generation: change.before.generation } : { absent: true },
  };
}

function blockersOf(change: Planned<KindName>['change'], errors: Errors, address: string): Finding[] {
  const own = (errors.get(address) ?? []).filter(({ rule }) => rule !== 'mass-delete');
  const guards = change.after ? [] : (errors.get(guarded) ?? []).filter(({ rule }) => rule === 'mass-delete');
  return [...own, ...guards];
}

type Errors = ReadonlyMap<string, readonly Finding[]>;

/** What the guard against mass deletion speaks of; it blocks the deletions, not the Platform. */
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
