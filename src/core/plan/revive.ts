// From a saved plan back to the changes that it stands for, and which of its objects moved since.
import type { DeclaredKindName } from '../kinds/index.ts';
import { type Change, created, deleted, updated } from '../model/change.ts';
import { leavesOf, sameSpec, sameValue } from '../model/leaves.ts';
import { stepsOf } from '../model/pointer.ts';
import type { Context } from '../model/proposal.ts';
import { type DeclaredResource, defaultLifecycle, type Labels, type Lifecycle } from '../model/resource.ts';
import { specFrom } from '../model/spec-from.ts';
import type { View } from '../model/view.ts';
import type { AdoptedObject, PlanDocument, PlannedChange } from './plan-document.ts';
import type { PlannedField } from './plan-fields.ts';

/** A saved plan against a state. `stale`: addresses whose objects are not as the plan found them, nor as it would leave them. */
export interface Revived {
  readonly changes: readonly Change[];
  readonly stale: readonly string[];
  /** Addresses that are as the plan would leave them already. */
  readonly done: readonly string[];
}

/** What a saved plan would change in a view now. Throws a RangeError or a ZodError for a plan that was made by hand, and wrongly. */
export function revive(plan: Pick<PlanDocument, 'changes' | 'adopted'>, view: View, context: Context): Revived {
  const changes: Change[] = [];
  const stale: string[] = [];
  const done: string[] = [];
  for (const planned of [...plan.changes, ...(plan.adopted ?? []).map(takeover)]) {
    const current = currentOf(planned, view);
    if (isDone(planned, current, view, context)) done.push(planned.address);
    else if (!holds(planned, current)) stale.push(planned.address);
    else changes.push(changeOf(planned, current, context));
  }
  return { changes, stale, done };
}

/** A silent adoption is a change of who manages the object, and of nothing else. */
function takeover(adopted: AdoptedObject): PlannedChange {
  const fields = [{ path: managedPath, before: 'api', after: 'config' }];
  return { ...adopted, action: 'adopt', fields, affects: {} };
}

const managedPath = '/status/managedBy';

function currentOf(planned: PlannedChange, view: View): DeclaredResource | undefined {
  const { precondition, kind, name } = planned;
  return 'absent' in precondition ? view.named(kind, name) : view.get(kind, precondition.id);
}

function holds({ precondition, fields }: PlannedChange, current: DeclaredResource | undefined): boolean {
  if ('absent' in precondition) return current === undefined;
  // Who manages an object can change without a new generation.
  const managed = fields.find(({ path }) => path === managedPath);
  if (managed && managed.before !== current?.managedBy) return false;
  return current?.generation === precondition.generation;
}

function isDone(planned: PlannedChange, current: DeclaredResource | undefined, view: View, context: Context): boolean {
  if (isDeletion(planned)) return current === undefined && view.named(planned.kind, planned.name) === undefined;
  if (!current || current.name !== planned.name) return false;
  const from = 'absent' in planned.precondition ? blank(planned, context) : current;
  const after = altered(from, planned);
  return (
    current.managedBy === after.managedBy &&
    sameEnvelope(current, after) &&
    sameSpec(planned.kind, current.spec, after.spec)
  );
}

function sameEnvelope(a: DeclaredResource, b: DeclaredResource): boolean {
  return sameValue(a.labels, b.labels) && sameValue(a.lifecycle, b.lifecycle);
}

/** A blocked change is a deletion when it would leave nothing behind. */
function isDeletion(planned: PlannedChange): boolean {
  if (planned.action !== 'blocked') return planned.action === 'delete';
  return !planned.source && planned.fields.every(({ after }) => after === null);
}

function changeOf(planned: PlannedChange, current: DeclaredResource | undefined, context: Context): Change {
  if (!current) return created(altered(blank(planned, context), planned));
  if (isDeletion(planned)) return deleted(current);
  const after = altered(current, planned);
  // Handing an object over is no change of it.
  const isSame = planned.fields.every(({ path }) => path === managedPath);
  const next = isSame ? {} : { generation: current.generation + 1, updatedAt: context.now };
  return updated(current, { ...after, ...next });
}

function blank({ kind, name }: PlannedChange, context: Context): DeclaredResource {
  const times = { createdAt: context.now, updatedAt: context.now };
  const base = { kind, id: context.newId(), name, labels: {}, lifecycle: defaultLifecycle, generation: 1, ...times };
  return { ...base, managedBy: 'config', spec: {} as DeclaredResource['spec'] };
}

function altered({ source: old, ...current }: DeclaredResource, planned: PlannedChange): DeclaredResource {
  const { name, fields, source, previousNames = [] } = planned;
  const managed = fields.find(({ path }) => path === managedPath)?.after;
  const managedBy = managed === 'api' ? 'api' : managed === 'config' ? 'config' : current.managedBy;
  const place = source ? { file: source.file, line: source.line } : old;
  const renamed = current.name === name ? {} : { firstName: current.firstName ?? current.name };
  return {
    ...current,
    ...renamed,
    name,
    labels: labelsWith(current.labels, fields),
    lifecycle: lifecycleWith(current.lifecycle, fields),
    managedBy,
    spec: specWith(planned.kind, current.spec, fields) as DeclaredResource['spec'],
    ...(place && managedBy === 'config' ? { source: place } : {}),
    // Only what a document wants has a place in one.
    ...(source ? { previousNames } : {}),
  };
}

function specWith(kind: DeclaredKindName, spec: unknown, fields: readonly PlannedField[]): unknown {
  const changed = fields.filter(({ path }) => path.startsWith('/spec/'));
  if (changed.length === 0 && Object.keys(spec as object).length > 0) return spec;
  const values = new Map<string, unknown>([...leavesOf(kind, spec).values()].map(({ path, value }) => [path, value]));
  for (const { path, after } of changed) {
    if (after === null) values.delete(path);
    else values.set(path, after);
  }
  return specFrom(kind, values);
}

function labelsWith(labels: Labels, fields: readonly PlannedField[]): Labels {
  const next = new Map(Object.entries(labels));
  for (const { path, after } of fields) {
    const [root, part, key] = stepsOf(path);
    if (root !== 'metadata' || part !== 'labels' || key === undefined) continue;
    if (typeof after === 'string') next.set(key, after);
    else next.delete(key);
  }
  return Object.fromEntries(next);
}

function lifecycleWith(lifecycle: Lifecycle, fields: readonly PlannedField[]): Lifecycle {
  const changed = fields
    .filter(({ path }) => path.startsWith('/lifecycle/'))
    .map(({ path, after }) => [stepsOf(path)[1], after]);
  return { ...lifecycle, ...Object.fromEntries(changed) };
}
