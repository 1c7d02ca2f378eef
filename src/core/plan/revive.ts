// From a saved plan back to the changes that it stands for, and which of its objects moved since.
import type { DeclaredKindName } from '../kinds/index.ts';
import { type Change, created, deleted, updated } from '../model/change.ts';
import { leavesOf, sameSpec, sameValue, specFrom } from '../model/leaves.ts';
import { stepsOf } from '../model/pointer.ts';
import type { Context } from '../model/proposal.ts';
import { type DeclaredResource, defaultLifecycle, type Labels, type Lifecycle } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import type { PlanDocument, PlannedChange, PlannedField } from './plan-document.ts';

/** A saved plan against a state. `stale`: addresses whose objects are not as the plan found them, nor as it would leave them. */
export interface Revived {
  readonly changes: readonly Change[];
  readonly stale: readonly string[];
  /** Addresses that are as the plan would leave them already. */
  readonly done: readonly string[];
}

/** What a saved plan would change in a view now. */
export function revive(plan: Pick<PlanDocument, 'changes'>, view: View, context: Context): Revived {
  const changes: Change[] = [];
  const stale: string[] = [];
  const done: string[] = [];
  for (const planned of plan.changes) {
    const current = currentOf(planned, view);
    if (isDone(planned, current, view)) done.push(planned.address);
    else if (!holds(planned, current)) stale.push(planned.address);
    else changes.push(changeOf(planned, current, context));
  }
  return { changes, stale, done };
}

function currentOf(planned: PlannedChange, view: View): DeclaredResource | undefined {
  const { precondition, kind, name } = planned;
  return 'absent' in precondition ? view.named(kind, name) : view.get(kind, precondition.id);
}

function holds({ precondition }: PlannedChange, current: DeclaredResource | undefined): boolean {
  return 'absent' in precondition ? current === undefined : current?.generation === precondition.generation;
}

function isDone(planned: PlannedChange, current: DeclaredResource | undefined, view: View): boolean {
  if (isDeletion(planned)) return current === undefined && view.named(planned.kind, planned.name) === undefined;
  if (!current || current.name !== planned.name) return false;
  const after = altered(current, planned.fields, planned);
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
  if (current && isDeletion(planned)) return deleted(current);
  if (current) {
    const generation = current.generation + 1;
    return updated(current, { ...altered(current, planned.fields, planned), generation, updatedAt: context.now });
  }
  const made: DeclaredResource = { ...altered(blank(planned, context), planned.fields, planned), managedBy: 'config' };
  return created(made);
}

function blank({ kind, name }: PlannedChange, context: Context): DeclaredResource {
  const times = { createdAt: context.now, updatedAt: context.now };
  const base = { kind, id: context.newId(), name, labels: {}, lifecycle: defaultLifecycle, generation: 1, ...times };
  return { ...base, managedBy: 'config', spec: {} as DeclaredResource['spec'] };
}

function altered(current: DeclaredResource, fields: readonly PlannedField[], planned: PlannedChange): DeclaredResource {
  const spec = specWith(planned.kind, current.spec, fields);
  const managed = fields.find(({ path }) => path === '/status/managedBy')?.after;
  const source = planned.source ? { source: { file: planned.source.file, line: planned.source.line } } : {};
  const managedBy = managed === 'api' ? 'api' : managed === 'config' ? 'config' : current.managedBy;
  const labels = labelsWith(current.labels, fields);
  const lifecycle = lifecycleWith(current.lifecycle, fields);
  return {
    ...current,
    ...source,
    name: planned.name,
    labels,
    lifecycle,
    managedBy,
    spec: spec as DeclaredResource['spec'],
  };
}

function specWith(kind: DeclaredKindName, spec: unknown, fields: readonly PlannedField[]): unknown {
  const values = new Map<string, unknown>([...leavesOf(kind, spec).values()].map(({ path, value }) => [path, value]));
  for (const { path, after } of fields) {
    if (!path.startsWith('/spec/')) continue;
    if (after === null) values.delete(path);
    else values.set(path, after);
  }
  return specFrom(kind, values);
}

function labelsWith(labels: Labels, fields: readonly PlannedField[]): Labels {
  const next: Record<string, string> = { ...labels };
  for (const { path, after } of fields) {
    const [root, part, key] = stepsOf(path);
    if (root !== 'metadata' || part !== 'labels' || key === undefined) continue;
    if (typeof after === 'string') next[key] = after;
    else delete next[key];
  }
  return next;
}

function lifecycleWith(lifecycle: Lifecycle, fields: readonly PlannedField[]): Lifecycle {
  const changed = fields
    .filter(({ path }) => path.startsWith('/lifecycle/'))
    .map(({ path, after }) => [stepsOf(path)[1], after]);
  return { ...lifecycle, ...Object.fromEntries(changed) };
}
