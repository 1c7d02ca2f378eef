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
import { formerNameProblems } from './former-names.ts';
import { type Matches, matchSteps } from './match.ts';
import { inOrder } from './order.ts';
import type { Plan, Planned } from './planned.ts';
import { followRenames, inNewNames, type Renames, renamesOf } from './renames.ts';

/** Plans in steps, so that a long plan can be sliced. */
export function* planSteps(
  desired: ReadonlyMap<string, Desired>,
  view: View,
  context: Context,
  mode: PlanMode = {},
): Generator<void, Plan, void> {
  const meant = withRenamedByOthers(desired, yield* matchSteps(desired, view), view);
  yield;
  const leaves = leavesDrift(desired, mode);
  const pairs = pairsOf(desired, meant);
  const renames = renamesOf(leaves ? pairs.filter((pair) => !isDriftedName(pair)) : pairs);
  const around: Around = { context, view, mode, renames };
  const documents = new Map(pairs.map(([wanted, { id }]) => [id, wanted]));
  const all = [...(yield* planWanted(desired, meant, around)), ...(yield* planUnwanted(documents, around))];
  const left = leaves ? all.filter(isDrift) : [];
  const done = left.length > 0 ? all.filter((one) => !isDrift(one)) : all;
  const planned = followRenames(done, { renames, meant: documents, left, view, context });
  yield;
  const unchanged = desired.size - planned.filter(altersDocument).length;
  const problems = [...formerNameProblems(desired, meant, view, mode)];
  return {
    ...{ planned: yield* inOrder(planned), unchanged },
    ...(left.length > 0 ? { left } : {}),
    ...(problems.length > 0 ? { problems } : {}),
  };
}

/** What the documents want. */
function* planWanted(
  desired: ReadonlyMap<string, Desired>,
  meant: Matches,
  around: Around,
): Generator<void, readonly Planned[], void> {
  const planned: Planned[] = [];
  let steps = 0;
  for (const [address, wanted] of desired) {
    const current = meant.get(address);
    const next = current ? alter(current, wanted, around) : create(wanted, around);
    if (next) planned.push(next);
    if (++steps % 64 === 0) yield;
  }
  return planned;
}

/** What was declared, and no document means any more. */
function* planUnwanted(
  documents: ReadonlyMap<string, Desired>,
  around: Around,
): Generator<void, readonly Planned[], void> {
  const planned: Planned[] = [];
  let steps = 0;
  for (const resource of allDeclared(around.view)) {
    if (resource.managedBy === 'config' && !documents.has(resource.id)) planned.push(remove(resource, around));
    if (++steps % 256 === 0) yield;
  }
  return planned;
}

/** The documents that mean an object, in order, with the object. */
function pairsOf(
  desired: ReadonlyMap<string, Desired>,
  meant: Matches,
): readonly (readonly [Desired, DeclaredResource])[] {
  return [...desired].flatMap(([address, wanted]) => {
    const current = meant.get(address);
    return current ? [[wanted, current] as const] : [];
  });
}

/** Whether others gave an object its name: where drift is left, that is no rename. */
function isDriftedName([wanted, current]: readonly [Desired, DeclaredResource]): boolean {
  return current.name !== wanted.name && causeOfChange(current, wanted) === 'drift';
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

/** The same, with the objects that no document means by a name, by what they were made from: others may have given them another name. */
function withRenamedByOthers(desired: ReadonlyMap<string, Desired>, matches: Matches, view: View): Matches {
  if (matches.size === desired.size) return matches;
  const kept = new Set([...matches.values()].map(({ id }) => id));
  const byMark = new Map<string, DeclaredResource>();
  for (const resource of allDeclared(view)) {
    const { kind, reconciled } = resource;
    if (resource.managedBy === 'config' && reconciled !== undefined && !kept.has(resource.id))
      byMark.set(keyOf(kind, reconciled), resource);
  }
  if (byMark.size === 0) return matches;
  const found = [...desired].flatMap(([address, wanted]) => {
    const renamed = matches.has(address) ? undefined : byMark.get(keyOf(wanted.kind, markOf(wanted)));
    return renamed ? [[address, renamed] as const] : [];
  });
  return new Map([...matches, ...found]);
}

function keyOf(kind: string, mark: string): string {
  return `${kind} ${mark}`;
}

/** What planning one object needs beside it. */
interface Around {
  readonly context: Context;
  readonly view: View;
  readonly mode: PlanMode;
  readonly renames: Renames;
}

function* allDeclared(view: View): Iterable<DeclaredResource> {
  for (const kind of declaredKindNames) yield* view.all(kind);
}

function create(wanted: Desired, { context, mode }: Around): Planned {
  const { kind, name, previousNames, labels, lifecycle, spec } = wanted;
  const times = { createdAt: context.now, updatedAt: context.now };
  const base = { kind, id: context.newId(), name, previousNames, labels, lifecycle, spec, generation: 1, ...times };
  const mark = mode.serves ? { reconciled: markOf(wanted) } : {};
  const after: DeclaredResource = { ...base, managedBy: 'config', source: wanted.source, ...mark };
  const change = created(after) as Change<DeclaredKindName>;
  return { action: 'create', change, quiet: false, desired: wanted, ...because(causeOfCreation(wanted, mode)) };
}

function alter(current: DeclaredResource, wanted: Desired, around: Around): Planned | undefined {
  const { context, mode } = around;
  // What is left to the API says the names of before this revision.
  const left = inNewNames(current, around.renames);
  const spec = specOver(left, wanted);
  const renamed = current.name !== wanted.name;
  const altered = renamed || !sameEnvelope(current, wanted) || !sameSpec(wanted.kind, current.spec, spec);
  const adopted = current.managedBy === 'api';
  const { name, previousNames, labels, lifecycle, source } = wanted;
  if (!altered && !adopted && isNoted(current, wanted, mode) && sameValue(current.spec, spec)) return undefined;
  const generation = current.generation + (altered ? 1 : 0);
  const updatedAt = altered ? context.now : current.updatedAt;
  const after: DeclaredResource = {
    ...current,
    ...(renamed ? { firstName: current.firstName ?? current.name } : {}),
    name,
    previousNames,
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
  // That it follows a rename is nobody's drift.
  const follows = left !== current && !renamed && sameSpec(wanted.kind, current.spec, specOver(current, wanted));
  const cause = altered && !(follows && sameEnvelope(current, wanted)) ? causeOfChange(current, wanted) : 'source';
  return { action, change, quiet: !altered, desired: wanted, ...because(cause) };
}

/** What a document wants of an object, with the fields that it leaves to the API. */
function specOver(current: DeclaredResource, { kind, spec, lifecycle }: Desired): DeclaredResource['spec'] {
  return withLeaves(kind, spec, current.spec, lifecycle.ignore) as DeclaredResource['spec'];
}

/** Whether an object knows where its document stands and what that said, beside what it wants. */
function isNoted(current: DeclaredResource, wanted: Desired, { serves }: PlanMode): boolean {
  const isMarked = !serves || current.reconciled === markOf(wanted);
  return isMarked && sameValue(current.source, wanted.source) && sameValue(current.previousNames, wanted.previousNames);
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
