// A plan as everybody sees it: printed, saved, answered over the API, and executed.
import type { DeclaredKindName } from '../kinds/index.ts';
import type { Finding, Source } from '../model/finding.ts';
import { differences, type Leaf, leavesOf, sameValue } from '../model/leaves.ts';
import { pointer } from '../model/pointer.ts';
import { addressOf, type DeclaredResource } from '../model/resource.ts';
import { countReferrers, type View } from '../model/view.ts';
import type { Desired } from './desired.ts';
import type { Plan, Planned } from './planned.ts';

/** One field before and after; `null` is: not there. A secret shows its reference, or that it is set, never its value. */
export interface PlannedField {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly sensitive?: true;
  readonly source?: Source;
}

/** What must still be so when the change is executed: no such object, or this very generation of it. */
export type Precondition = { readonly absent: true } | { readonly id: string; readonly generation: number };

export interface PlannedChange {
  readonly address: string;
  readonly previousAddress?: string;
  readonly kind: DeclaredKindName;
  readonly name: string;
  readonly action: 'create' | 'update' | 'delete' | 'rename' | 'adopt' | 'blocked';
  readonly source?: Source;
  readonly precondition: Precondition;
  readonly fields: readonly PlannedField[];
  readonly affects: { readonly teams?: number; readonly instances?: number };
  readonly blockedBy?: readonly Finding[];
  /** On a server's own plan: the documents changed (`source`), or the state did (`drift`). */
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

export interface PlanDocument {
  readonly formatVersion: 1;
  /** The state that the plan was made from: the revision last applied to it, and a digest of what is declared in it. */
  readonly base: { readonly revision: string | null; readonly digest: string };
  /** The tree that the plan was made from. */
  readonly source: PlanSource;
  readonly summary: PlanSummary;
  readonly changes: readonly PlannedChange[];
  readonly findings: readonly Finding[];
  /** Addresses of equal objects made through the API that their documents take over: nothing about them changes. */
  readonly adopted?: readonly string[];
}

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
  /** A keyed fingerprint, so that a changed secret can be seen without being shown. */
  readonly fingerprint: (secret: string) => string;
}

/** The document of a plan, in steps, so that a long one can be sliced. */
export function* planDocumentSteps(plan: Plan, around: Surroundings): Generator<void, PlanDocument, void> {
  const errors = Map.groupBy(
    around.findings.filter(({ severity }) => severity === 'error'),
    ({ kind, name }) => `${kind}/${name}`,
  );
  const changes: PlannedChange[] = [];
  for (const planned of plan.planned) {
    if (planned.quiet) continue;
    changes.push(plannedChange(planned, errors, around));
    if (changes.length % 32 === 0) yield;
  }
  const adopted = plan.planned
    .filter(({ quiet, action }) => quiet && action === 'adopt')
    .map(({ change }) => addressOf(subject(change)));
  const { base, source, findings } = around;
  const summary = summaryOf(changes, plan.unchanged - adopted.length, adopted.length);
  return { formatVersion: 1, base, source, summary, changes, findings, ...(adopted.length > 0 ? { adopted } : {}) };
}

function plannedChange(
  planned: Planned,
  errors: ReadonlyMap<string, readonly Finding[]>,
  around: Surroundings,
): PlannedChange {
  const { change, desired, action } = planned;
  const resource = subject(change);
  const address = addressOf(resource);
  const guards = change.after
    ? []
    : (errors.get(massDeleteSubject)?.filter(({ rule }) => rule === 'mass-delete') ?? []);
  const own = (errors.get(address) ?? []).filter(({ rule }) => rule !== 'mass-delete');
  const blockedBy = own.length + guards.length > 0 ? [...own, ...guards] : undefined;
  const previous = change.before && change.before.name !== resource.name ? addressOf(change.before) : undefined;
  return {
    address,
    ...(previous === undefined ? {} : { previousAddress: previous }),
    kind: change.kind,
    name: resource.name,
    action: blockedBy ? 'blocked' : action,
    ...(desired ? { source: desired.document.locate('/metadata/name', 'value') } : {}),
    precondition: change.before ? { id: change.before.id, generation: change.before.generation } : { absent: true },
    fields: fieldsOf(change.before, change.after, desired, around.fingerprint),
    affects: affectsOf(change.before, around.before),
    ...(blockedBy ? { blockedBy } : {}),
  };
}

/** What the guard against mass deletion speaks of; it blocks the deletions, not the Platform. */
const massDeleteSubject = 'Platform/platform';

function subject(change: Planned['change']): DeclaredResource {
  return (change.after ?? change.before) as DeclaredResource;
}

function fieldsOf(
  before: DeclaredResource | undefined,
  after: DeclaredResource | undefined,
  desired: Desired | undefined,
  fingerprint: Surroundings['fingerprint'],
): PlannedField[] {
  const envelope = envelopeFields(before, after, desired);
  const spec = differences(specLeaves(before), specLeaves(after))
    .filter((pair) => (before !== undefined && after !== undefined ? true : !(pair.before ?? pair.after)?.isDefault))
    .map(({ path, before: old, after: fresh }): PlannedField => {
      const sensitive = old?.secret || fresh?.secret;
      const field = { path, before: shown(old, fingerprint), after: shown(fresh, fingerprint) };
      const place = desired && fresh && desired.document.raw(fresh.pointer) !== undefined;
      const source = place ? { source: desired.document.locate(fresh.pointer, 'value') } : sourceOfList(desired, fresh);
      return { ...field, ...(sensitive ? { sensitive: true as const } : {}), ...source };
    });
  return [...envelope, ...spec];
}

/** A set or a list has no scalar of its own in the file; its key has a place. */
function sourceOfList(desired: Desired | undefined, leaf: Leaf | undefined): { source?: Source } {
  if (!desired || !leaf || leaf.isDefault) return {};
  return { source: desired.document.locate(leaf.pointer, 'key') };
}

function specLeaves(resource: DeclaredResource | undefined): ReadonlyMap<string, Leaf> {
  return resource ? leavesOf(resource.kind, resource.spec) : new Map();
}

function shown(leaf: Leaf | undefined, fingerprint: Surroundings['fingerprint']): unknown {
  if (leaf === undefined) return null;
  const { value } = leaf;
  if (!leaf.secret || typeof value !== 'object' || value === null || !('value' in value)) return value;
  return { set: true, fingerprint: fingerprint(String(value.value)) };
}

function envelopeFields(
  before: DeclaredResource | undefined,
  after: DeclaredResource | undefined,
  desired: Desired | undefined,
): PlannedField[] {
  const pairs: [string, unknown, unknown][] = [
    ...(before && after ? ([['/metadata/name', before.name, after.name]] as [string, unknown, unknown][]) : []),
    ...labelPairs(before, after),
    ...(['protect', 'onRemove', 'ignore'] as const).map((field): [string, unknown, unknown] => [
      pointer('lifecycle', field),
      lifecycleOf(before, field),
      lifecycleOf(after, field),
    ]),
    ...(before && after
      ? ([['/status/managedBy', before.managedBy, after.managedBy]] as [string, unknown, unknown][])
      : []),
  ];
  return pairs
    .filter(([, old, fresh]) => !sameValue(old, fresh))
    .map(([path, old, fresh]) => ({
      path,
      before: old ?? null,
      after: fresh ?? null,
      ...placed(desired, path, fresh),
    }));
}

function placed(desired: Desired | undefined, path: string, value: unknown): { source?: Source } {
  if (!desired || value === undefined || path.startsWith('/status')) return {};
  return { source: desired.document.locate(path, 'value') };
}

function labelPairs(
  before: DeclaredResource | undefined,
  after: DeclaredResource | undefined,
): [string, unknown, unknown][] {
  const keys = new Set([...Object.keys(before?.labels ?? {}), ...Object.keys(after?.labels ?? {})]);
  return [...keys].map((key) => [pointer('metadata', 'labels', key), before?.labels[key], after?.labels[key]]);
}

/** A lifecycle that only says what is so anyway is nothing to show of a resource that comes or goes. */
function lifecycleOf(resource: DeclaredResource | undefined, field: 'protect' | 'onRemove' | 'ignore'): unknown {
  if (resource) return resource.lifecycle[field];
  return { protect: false, onRemove: 'delete', ignore: [] }[field];
}

function affectsOf(before: DeclaredResource | undefined, view: View): PlannedChange['affects'] {
  if (!before) return {};
  const teams = countReferrers(view, 'Team', before);
  const instances = countReferrers(view, 'Instance', before);
  return { ...(teams > 0 ? { teams } : {}), ...(instances > 0 ? { instances } : {}) };
}

function summaryOf(changes: readonly PlannedChange[], unchanged: number, adopted: number): PlanSummary {
  const count = (action: PlannedChange['action']) => changes.filter((change) => change.action === action).length;
  const made = { create: count('create'), update: count('update'), delete: count('delete'), rename: count('rename') };
  return { ...made, adopt: count('adopt') + adopted, unchanged, blocked: count('blocked') };
}
