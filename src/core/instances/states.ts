// The states of an instance in one table: what each action may do from each, and what is left to be done in each.

import type { SpecOf } from '../kinds/index.ts';
import { type desiredStates, type InstanceState, instanceStates } from '../kinds/instance.ts';

/** What people can have done to an instance. */
export const instanceActions = ['start', 'stop', 'restart', 'suspend', 'upgrade-stack', 'restore', 'delete'] as const;
export type InstanceAction = (typeof instanceActions)[number];

/** What an instance should be. */
export type Desired = (typeof desiredStates)[number];

/** The state that follows, or why there is none, as it follows "because". */
type Cell = InstanceState | { readonly because: string };

const runsNot = (state: string) => ({ because: `it is ${state}, and does not run: start it instead` });
const first = (what: string) => ({ because: `it is ${what}: wait for that` });
const isGoing = { because: 'it is being deleted' } as const;

/** What can be done to what runs, or shall. */
const up = {
  stop: 'stopping',
  restart: 'restarting',
  suspend: 'stopping',
  'upgrade-stack': 'upgrading',
  delete: 'deleting',
} as const;

/** A restore replaces what an instance holds, so it waits until nothing else is on its way; what runs is restarted with it. */
const restored = { restore: 'restarting' } as const;

/**
 * From each state, what each action leads to. The same state again: there is nothing to do, because it is so already, or on its way. What is being
 * deleted stays so. Stopping and suspending are one way down; `desired` says where it ends.
 */
export const transitions: Readonly<Record<InstanceState, Readonly<Record<InstanceAction, Cell>>>> = {
  creating: {
    start: 'creating',
    stop: 'stopping',
    restart: 'creating',
    suspend: 'stopping',
    'upgrade-stack': 'creating',
    restore: first('being made'),
    delete: 'deleting',
  },
  starting: { start: 'starting', ...up, restore: first('being started') },
  running: { start: 'running', ...up, ...restored },
  stopping: {
    start: 'starting',
    stop: 'stopping',
    restart: 'restarting',
    suspend: 'stopping',
    'upgrade-stack': 'stopping',
    restore: first('being stopped'),
    delete: 'deleting',
  },
  stopped: {
    start: 'starting',
    stop: 'stopped',
    restart: runsNot('stopped'),
    suspend: 'stopping',
    'upgrade-stack': 'stopped',
    restore: 'stopping',
    delete: 'deleting',
  },
  suspended: {
    start: 'starting',
    stop: { because: 'it is suspended, which is more than stopped' },
    restart: runsNot('suspended'),
    suspend: 'suspended',
    'upgrade-stack': 'suspended',
    restore: 'stopping',
    delete: 'deleting',
  },
  restarting: { start: 'restarting', ...up, restore: first('being restarted') },
  upgrading: {
    start: 'upgrading',
    stop: 'stopping',
    restart: 'upgrading',
    suspend: 'stopping',
    'upgrade-stack': { because: 'it is being upgraded already: wait until it runs' },
    restore: first('being upgraded'),
    delete: 'deleting',
  },
  crashed: { start: 'starting', ...up, ...restored },
  deleting: {
    start: isGoing,
    stop: isGoing,
    restart: isGoing,
    suspend: isGoing,
    'upgrade-stack': isGoing,
    restore: isGoing,
    delete: 'deleting',
  },
};

const desires: Readonly<Partial<Record<InstanceAction, Desired>>> = {
  start: 'running',
  restart: 'running',
  stop: 'stopped',
  suspend: 'suspended',
};

/** What an action makes of what is wanted, and of the state. */
export interface Move {
  readonly state: InstanceState;
  readonly desired: Desired;
}

/** What an action leads to, or why it cannot be, as it follows "because". */
export function moved(current: Move, action: InstanceAction): Move | { readonly because: string } {
  const cell = transitions[current.state][action];
  return typeof cell === 'string' ? { state: cell, desired: desires[action] ?? current.desired } : cell;
}

/** What has to be done with a driver: `restart` replaces whatever runs, `suspend` gives back what stopping keeps. */
export type Work = 'start' | 'restart' | 'stop' | 'suspend' | 'remove';

/** What is left to be done for an instance; nothing where it is what it should be. */
export function workOf({ state, desired }: Pick<SpecOf<'Instance'>, 'state' | 'desired'>): Work | undefined {
  const down = desired === 'suspended' ? 'suspend' : 'stop';
  switch (state) {
    case 'deleting':
      return 'remove';
    case 'stopping':
      return down;
    case 'creating':
    case 'starting':
    case 'crashed':
      return desired === 'running' ? 'start' : down;
    case 'restarting':
    case 'upgrading':
      return 'restart';
    case 'running':
      return desired === 'running' ? undefined : down;
    case 'stopped':
    case 'suspended':
      return undefined;
  }
}

/** The states in which something is left to be done, or may be. */
export const unsettledStates: readonly InstanceState[] = instanceStates.filter(
  (state) => workOf({ state, desired: 'running' }) !== undefined,
);

/** Whether in this state a driver has to make something run. */
export function wantsDriver({ state, desired }: Move): boolean {
  return ['start', 'restart'].includes(workOf({ state, desired }) ?? '');
}
