// Has something done to an instance: what is wanted is written down, and carried out by whoever drives it.
import { driverProblem, upgradeOf } from '../instances/around.ts';
import { withoutSafeMode, withSafeMode } from '../instances/safe-mode.ts';
import { standing } from '../instances/standing.ts';
import { type InstanceAction, type Move, moved, wantsDriver } from '../instances/states.ts';
import type { SpecOf } from '../kinds/index.ts';
import { type Change, updated } from '../model/change.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import { singleton, type View } from '../model/view.ts';
import type { Drivers } from './create-instance.ts';
import { cannot, type InstanceTarget, targeted } from './update-instance.ts';

/** What people do to an instance that stays. */
export type InstanceOperation = Exclude<InstanceAction, 'delete' | 'restore'>;

/** What is said to have been done. */
const done: Readonly<Record<InstanceOperation, string>> = {
  start: 'started',
  stop: 'stopped',
  restart: 'restarted',
  suspend: 'suspended',
  'upgrade-stack': 'upgraded',
};

/**
 * Declines (`not_found`, `precondition_failed`, and `conflict` for what its state or the driver does not allow). Changes nothing where it is so
 * already, or on its way.
 */
export function actOnInstance({ action, safe, ...target }: InstanceTarget & InstanceAct, drivers: Drivers): Proposal {
  return (view, context) => {
    const current = targeted(view, target);
    const { state, desired } = current.spec;
    // What runs with its flows has to be started anew to run without them.
    const isAnew = safe === true && !current.spec.safeMode && isUp(current.spec);
    const move = moved({ state, desired }, isAnew ? 'restart' : action);
    if ('because' in move) throw cannot(current, done[action], move.because);
    refuseWithoutDriver(view, current, { action, move, drivers });
    if (action === 'upgrade-stack') return upgrade(view, current, move, context);
    const spec = modeAfter(current.spec, { action, safe }, move, context.now);
    const isSo = move.state === state && move.desired === desired && spec.safeMode === current.spec.safeMode;
    // Who asks again while it restarts wants what was changed meanwhile, too.
    return isSo && !(action === 'restart' && state === 'restarting')
      ? []
      : [put(current, standing(spec, move, context.now), context)];
  };
}

/** What is to be done; `safe`: a start or restart without its flows. */
export interface InstanceAct {
  readonly action: InstanceOperation;
  readonly safe?: boolean | undefined;
}

function isUp({ state }: SpecOf<'Instance'>): boolean {
  return state === 'running' || state === 'starting' || state === 'creating';
}

/** A start that moves something, and each restart, leave safe mode, unless it is asked for. */
function modeAfter(
  spec: SpecOf<'Instance'>,
  { action, safe }: InstanceAct,
  move: Move,
  now: string,
): SpecOf<'Instance'> {
  if (safe) return withSafeMode(spec, now);
  const leaves = action === 'restart' || (action === 'start' && move.state !== spec.state);
  return leaves ? withoutSafeMode(spec) : spec;
}

function refuseWithoutDriver(
  view: View,
  current: Resource<'Instance'>,
  { action, move, drivers }: { readonly action: InstanceOperation; readonly move: Move; readonly drivers: Drivers },
): void {
  if (!wantsDriver(move)) return;
  const problem = driverProblem(singleton(view, 'Platform').spec.driver, drivers);
  if (problem !== undefined) throw cannot(current, done[action], problem);
}

/** To the stack on offer. One that runs goes back to its old stack when that fails. */
function upgrade(view: View, current: Resource<'Instance'>, move: Move, context: Context): Change[] {
  const next = upgradeOf(view, current);
  const own = view.get('Stack', current.spec.stack);
  if (!next) {
    const what = own ? addressOf(own) : 'its stack';
    throw cannot(current, done['upgrade-stack'], `there is no active stack that replaces ${what}`);
  }
  const spec: SpecOf<'Instance'> = {
    ...withoutSafeMode(current.spec),
    stack: next.id,
    previousStack: current.spec.stack,
  };
  return [put(current, standing(spec, move, context.now), context)];
}

/** The instance with another spec: what is wanted of it has changed. */
export function put(current: Resource<'Instance'>, spec: SpecOf<'Instance'>, { now }: Pick<Context, 'now'>): Change {
  return updated(current, { ...current, spec, generation: current.generation + 1, updatedAt: now });
}
