// The planner: what must change in a state so that it is what a tree wants. The same changes are shown and executed.
import { type DeclaredKindName, declaredKindNames } from '../kinds/index.ts';
import { type Change, created, deleted, updated } from '../model/change.ts';
import { sameSpec, sameValue } from '../model/leaves.ts';
import type { Context } from '../model/proposal.ts';
import { type DeclaredResource, defaultLifecycle } from '../model/resource.ts';
import { withLeaves } from '../model/spec-from.ts';
import { singleton, type View } from '../model/view.ts';
import type { Desired } from './desired.ts';
import { type Cause, causeOfChange, causeOfCreation, causeOfDeletion, markOf, type PlanMode } from './drift.ts';
import { type Matches, matchSteps } from './match.ts';
import { inOrder } from './order.ts';
import type { Plan, Planned } from './planned.ts';
import { followRenames } from './renames.ts';

/** Plans in steps, so that a long plan can be sliced. */
export function* planSteps(
  desired: ReadonlyMap<string, Desired>,
  view: View,
  context: Context,
  mode: PlanMode = {},
): Generator<void, Plan, void> {
  const sheet: Sheet = { planned: [], kept: new Set() };
  const matches = yield* matchSteps(desired, view);
  const around = { context, view, mode };
  yield* planWanted(sheet, desired, matches, around);
  let steps = 0;
  for (const resource of allDeclared(view)) {
    if (resource.managedBy === 'config' && !sheet.kept.has(resource.id)) sheet.planned.push(remove(resource, around));
    if (++steps % 256 === 0) yield;
  }
  const leaves = leavesDrift(desired, mode);
  const left = leaves ? sheet.planned.filter(isDrift) : [];
  const kept = leaves ? sheet.planned.filter((one) => !isDrift(one)) : sheet.planned;
  const planned = yield* followRenames(kept, view, context);
  yield;
  const unchanged = desired.size - planned.filter(altersDocument).length;
  return { planned: yield* inOrder(planned), unchanged, ...(left.length > 0 ? { left } : {}) };
}

function isDrift({ cause }: Planned): boolean {
  return cause === 'drift';
}

/** Whether what drifted is left: that is not up to the state, which may have drifted in just this. */
function leavesDrift(desired: ReadonlyMap<string, Desired>, mode: PlanMode): boolean {
  const platform = desired.get('Platform/platform') as Desired<'Platform'> | undefined;
  return mode.leavesDrift === true && platform?.spec.reconcile.drift === 'report';
}

function because(cause: Cause): { readonly cause?: 'drift' } {
  return cause === 'drift' ? { cause } : {};
}

/** Whether something that a document declares will be other than it is. */
function altersDocument({ quiet, desired, change }: Planned): boolean {
  return !quiet && (desired !== undefined || change.after?.managedBy === 'config');
}

/** What the documents want; those that mean no object by its name may mean one that others renamed. */
function* planWanted(
  sheet: Sheet,
  desired: ReadonlyMap<string, Desired>,
  matches: Matches,
  around: Around,
): Generator<void, void, void> {
  const unmatched: Desired[] = [];
  let steps = 0;
  for (const [address, wanted] of desired) {
    const current = matches.get(address);
    if (current) planOne(sheet, wanted, current, around);
    else unmatched.push(wanted);
    if (++steps % 64 === 0) yield;
  }
  const renamed = unmatched.length > 0 ? renamedByOthers(around.view, sheet.kept) : noneRenamed;
  for (const wanted of unmatched) {
    planOne(sheet, wanted, renamed.size > 0 ? renamed.get(keyOf(wanted.kind, markOf(wanted))) : undefined, around);
    if (++steps % 64 === 0) yield;
  }
}

const noneRenamed: ReadonlyMap<string, DeclaredResource> = new Map();

/** Objects that no document means by their name, by what they were made from: others may have given them another name. */
function renamedByOthers(view: View, kept: ReadonlySet<string>): ReadonlyMap<string, DeclaredResource> {
  const found = new Map<string, DeclaredResource>();
  for (const resource of allDeclared(view)) {
    const { kind, reconciled } = resource;
    if (resource.managedBy === 'config' && reconciled !== undefined && !kept.has(resource.id))
      found.set(keyOf(kind, reconciled), resource);
  }
  return found;
}

function keyOf(kind: string, mark: string): string {
  return `${kind} ${mark}`;
}

/** What a plan has come to so far; `kept` are the ids of resources that a document means. */
interface Sheet {
  readonly planned: Planned[];
  readonly kept: Set<string>;
}

/** What planning one object needs beside it. */
interface Around {
  readonly context: Context;
  readonly view: View;
  readonly mode: PlanMode;
}

function planOne(sheet: Sheet, wanted: Desired, current: DeclaredResource | undefined, around: Around): void {
  if (current) sheet.kept.add(current.id);
  const next = current ? alter(current, wanted, around) : create(wanted, around);
  if (next) sheet.planned.push(next);
}

function* allDeclared(view: View): Iterable<DeclaredResource> {
  for (const kind of declaredKindNames) yield* view.all(kind);
}

function create(wanted: Desired, { context, mode }: Around): Planned {
  const { kind, name, labels, lifecycle, spec } = wanted;
  const times = { createdAt: context.now, updatedAt: context.now };
  const base = { kind, id: context.newId(), name, labels, lifecycle, spec, generation: 1, ...times };
  const mark = mode.serves ? { reconciled: markOf(wanted) } : {};
  const after: DeclaredResource = { ...base, managedBy: 'config', source: wanted.source, ...mark };
  const change = created(after) as Change<DeclaredKindName>;
  return { action: 'create', change, quiet: false, desired: wanted, ...because(causeOfCreation(wanted, mode)) };
}

function alter(current: DeclaredResource, wanted: Desired, { context, mode }: Around): Planned | undefined {
  const spec = withLeaves(wanted.kind, wanted.spec, current.spec, wanted.lifecycle.ignore) as DeclaredResource['spec'];
  const renamed = current.name !== wanted.name;
  const altered = renamed || !sameEnvelope(current, wanted) || !sameSpec(wanted.kind, current.spec, spec);
  const adopted = current.managedBy === 'api';
  const { name, labels, lifecycle } = wanted;
  const source = wanted.source;
  const isMarked = !mode.serves || current.reconciled === markOf(wanted);
  if (!altered && !adopted && isMarked && sameValue(current.source, source) && sameValue(current.spec, spec))
    return undefined;
  const generation = current.generation + (altered ? 1 : 0);
  const updatedAt = altered ? context.now : current.updatedAt;
  const after: DeclaredResource = {
    ...current,
    ...(renamed ? { firstName: current.firstName ?? current.name } : {}),
    name,
    labels,
    lifecycle,
    spec,
    managedBy: 'config',
    source,
    ...(mode.serves ? { reconciled: markOf(wanted) } : {}),
    generation,
    updatedAt,
  };
  const action = adopted ? 'adopt' : renamed ? 'rename' : 'update';
  const change = updated(current, after) as Change<DeclaredKindName>;
  const cause = altered ? causeOfChange(current, wanted) : 'source';
  return { action, change, quiet: !altered, desired: wanted, ...because(cause) };
}

function sameEnvelope(current: DeclaredResource, wanted: Desired): boolean {
  return sameValue(current.labels, wanted.labels) && sameValue(current.lifecycle, wanted.lifecycle);
}

/** A document's disappearance deletes, unless the resource, or the platform as applied, says that it is left to the API. */
function remove(resource: DeclaredResource, { view, context, mode }: Around): Planned {
  const cause = because(causeOfDeletion(resource, view));
  const orphaned = resource.lifecycle.onRemove === 'orphan' || !singleton(view, 'Platform').spec.reconcile.prune;
  if (!orphaned)
    return { action: 'delete', change: deleted(resource) as Change<DeclaredKindName>, quiet: false, ...cause };
  const { source: _, reconciled, ...others } = resource;
  // Whoever else sets it free does so behind the back of the server that made it.
  const rest = mode.serves || reconciled === undefined ? others : { ...others, reconciled };
  const generation = resource.generation + (sameValue(resource.lifecycle, defaultLifecycle) ? 0 : 1);
  const loose = { lifecycle: defaultLifecycle, managedBy: 'api', generation, updatedAt: context.now } as const;
  const after: DeclaredResource = { ...rest, ...loose };
  return { action: 'update', change: updated(resource, after) as Change<DeclaredKindName>, quiet: false, ...cause };
}
