// Restores a snapshot into an instance: that it is wanted is written down, carried out by whoever drives the instance, and then noted.
import { driverProblem, willHavePersistentContext } from '../instances/around.ts';
import { standing, withCondition, withoutCondition } from '../instances/standing.ts';
import { moved } from '../instances/states.ts';
import type { Why } from '../instances/why.ts';
import type { SpecOf } from '../kinds/index.ts';
import { because, updated } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { singleton, type View } from '../model/view.ts';
import { put } from './act-on-instance.ts';
import type { Drivers } from './create-instance.ts';
import { targetIn } from './target.ts';
import { cannot, type InstanceTarget, targeted } from './update-instance.ts';

/** What is said to be done to an instance. */
const done = 'restored';

/**
 * A snapshot of the same team: of this instance, or of another one. Declines (`not_found`, `precondition_failed`, and `conflict` for what its state
 * or the driver does not allow).
 */
export function restoreSnapshot(
  { snapshot, ...target }: InstanceTarget & { readonly snapshot: string },
  drivers: Drivers,
): Proposal {
  return (view, context) => {
    const current = targeted(view, target);
    const taken = snapshotFor(view, current, snapshot);
    const { state, desired } = current.spec;
    const move = moved({ state, desired }, 'restore');
    if ('because' in move) throw cannot(current, done, move.because);
    if (current.spec.restore)
      throw cannot(current, done, 'a snapshot is being restored into it already: wait for that');
    const problem = driverProblem(singleton(view, 'Platform').spec.driver, drivers);
    if (problem !== undefined) throw cannot(current, done, problem);
    if (taken.spec.includesContext && !willHavePersistentContext(view, current))
      throw cannot(current, done, `the snapshot ${taken.name} holds context in files, and ${inMemory}`);
    const secret = secretOf(view, taken);
    const restore = {
      id: context.newId(),
      snapshot: taken.id,
      name: taken.name,
      content: taken.spec.content,
      ...(secret === undefined ? {} : { credentialSecret: secret }),
    };
    const conditions = withoutCondition(current.spec.conditions, 'RestoreFailed');
    const spec: SpecOf<'Instance'> = { ...current.spec, restore, conditions };
    const change = put(current, standing(spec, move, context.now), context);
    return [because(change, `the snapshot ${taken.name} is to be restored`)];
  };
}

const inMemory =
  'this instance keeps its own in memory: set its option contextStorage to file, or take a snapshot without context';

/** A snapshot that may be restored into an instance. Declines (`not_found`). */
export function snapshotFor(view: View, instance: Resource<'Instance'>, id: string): Resource<'Snapshot'> {
  return targetIn(view, 'Snapshot', { id }, ({ spec }) => spec.team === instance.spec.team);
}

/** What the credentials in a snapshot are encrypted with. */
function secretOf(view: View, { spec }: Resource<'Snapshot'>): string | undefined {
  if (spec.instance !== undefined) return view.get('Instance', spec.instance)?.spec.credentialSecret;
  return spec.device === undefined ? undefined : view.get('Device', spec.device)?.spec.credentialSecret;
}

/** How a restore ended: these flows are in it now, which are no deploy; or nothing of it was changed, because. */
export type RestoreEnd = { readonly flowsDigest: string } | Why;

/** Changes nothing where another restore is on its way by now. */
export function endRestore(id: string, restore: string, end: RestoreEnd): Proposal {
  return (view, { now }) => {
    const current = view.get('Instance', id);
    if (!current || current.spec.restore?.id !== restore) return [];
    const { restore: _, ...rest } = current.spec;
    const failed = 'reason' in end ? ({ type: 'RestoreFailed', status: 'True', ...end } as const) : undefined;
    const conditions = failed ? withCondition(rest.conditions, failed, now) : rest.conditions;
    const digest = 'flowsDigest' in end ? { flowsDigest: end.flowsDigest } : {};
    return [updated(current, { ...current, spec: { ...rest, ...digest, conditions } })];
  };
}
