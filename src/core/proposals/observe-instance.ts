// Notes what became of an instance: what a driver did, or saw.

import { afterEnd } from '../instances/safe-mode.ts';
import type { Settings } from '../instances/settings.ts';
import { standing, withCondition, withoutCondition } from '../instances/standing.ts';
import type { Why } from '../instances/why.ts';
import type { SpecOf } from '../kinds/index.ts';
import { because, type Change, deleted, updated } from '../model/change.ts';
import { sameValue } from '../model/leaves.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { put } from './act-on-instance.ts';

/** What became of it: it runs with these settings; it is down; nothing is left of it; what was tried failed; or it ended by itself. */
export type Observation =
  | { readonly came: 'up'; readonly settings: Settings; readonly url?: string }
  | { readonly came: 'down' }
  | { readonly came: 'gone' }
  | ({ readonly came: 'failed' } & Why)
  | ({ readonly came: 'crashed' } & Why);

/**
 * Changes nothing where something else is wanted since the work began (`seen`): whoever drives it looks again. That it ended by itself holds
 * whatever was changed since, as long as it counts as running. That it moves by itself is no change of what is wanted, so its generation stays.
 */
export function observeInstance(seen: Resource<'Instance'>, observation: Observation): Proposal {
  return (view, context) => {
    const current = view.get('Instance', seen.id);
    if (!current || current.spec.state !== seen.spec.state) return [];
    const isStale = current.generation !== seen.generation && observation.came !== 'crashed';
    if (isStale) return [];
    const change = noted(current, observation, context);
    // What fails again as it did before is nothing new.
    return change.after && sameValue(change.after.spec, current.spec) ? [] : [change];
  };
}

function noted(current: Resource<'Instance'>, observation: Observation, context: Context): Change {
  switch (observation.came) {
    case 'up':
      return up(current, observation, context);
    case 'down':
      return moveTo(current, current.spec.desired === 'suspended' ? 'suspended' : 'stopped', context);
    case 'gone':
      return deleted(current);
    case 'failed':
      return failed(current, observation, context);
    case 'crashed':
      return moveTo(current, 'crashed', context, observation);
  }
}

function up(
  current: Resource<'Instance'>,
  { settings, url }: Extract<Observation, { came: 'up' }>,
  { now }: Context,
): Change {
  const { state, desired, conditions } = current.spec;
  const known = state === 'upgrading' ? withoutCondition(conditions, 'UpgradeFailed') : conditions;
  const base = standing({ ...current.spec, conditions: known }, { state: 'running', desired }, now);
  const spec = { ...base, started: { at: now, ...settings }, ...(url === undefined ? {} : { url }) };
  return updated(current, { ...current, spec });
}

/**
 * What cannot be started has crashed; an upgrade that fails goes back to the stack before it, and leaves alone what runs with that still; what cannot be stopped is still to be
 * stopped.
 */
function failed(current: Resource<'Instance'>, { reason, message }: Why, context: Context): Change {
  const { state, previousStack, desired } = current.spec;
  const { now } = context;
  if (state === 'upgrading' && previousStack !== undefined) {
    const condition = { type: 'UpgradeFailed', status: 'True', reason, message } as const;
    const back = {
      ...current.spec,
      stack: previousStack,
      conditions: withCondition(current.spec.conditions, condition, now),
    };
    return because(
      put(current, standing(back, { state: 'starting', desired }, now), context),
      told({ reason, message }),
    );
  }
  const goesUp = state !== 'stopping' && state !== 'deleting';
  return moveTo(current, goesUp ? 'crashed' : state, context, { reason, message });
}

function moveTo(
  current: Resource<'Instance'>,
  state: Resource<'Instance'>['spec']['state'],
  { now }: Context,
  why?: Why,
): Change {
  const ended = state === 'crashed' && why ? afterEnd(current.spec, why, now) : current.spec;
  const moved = standing(ended, { state, desired: current.spec.desired }, now, why);
  const spec = state === 'crashed' && current.spec.state !== 'crashed' ? crashed(moved, now, why) : moved;
  const change = updated(current, { ...current, spec });
  return why ? because(change, told(why)) : change;
}

/** One crash more. A start that fails again and again is one. */
function crashed(spec: SpecOf<'Instance'>, at: string, { reason, message }: Why = unknown): SpecOf<'Instance'> {
  return { ...spec, crashes: { count: (spec.crashes?.count ?? 0) + 1, at, reason, message } };
}

const unknown: Why = { reason: 'Unknown', message: 'nobody knows why' };

/** For the audit log: the word for programs, and the sentence. */
function told({ reason, message }: Why): string {
  return `${reason}: ${message}`;
}
