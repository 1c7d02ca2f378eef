// Keeps what becomes of instances: what a driver did or saw, and what is wrong with one that runs on.
import type { Change } from '../core/model/change.ts';
import { type AnyProposal, withEvents } from '../core/model/proposal.ts';
import type { Resource } from '../core/model/resource.ts';
import { noticeInstance } from '../core/proposals/notice-instance.ts';
import { type Observation, observeInstance } from '../core/proposals/observe-instance.ts';
import type { Driver, Notice } from '../drivers/driver.ts';
import type { Clock } from '../lib/clock.ts';
import { type Door, submit } from './submit.ts';

/** What it takes to look after instances. */
export interface Plant {
  readonly door: Door;
  /** The drivers that there are, by kind. */
  readonly drivers: ReadonlyMap<string, Driver>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
}

/** Keeps what became of an instance; `seen` is how it was when the work began. */
export function observed(plant: Plant, seen: Resource<'Instance'>, observation: Observation): Promise<void> {
  return keep(plant, observeInstance(seen, observation));
}

/** What is wrong with an instance that runs on: what its driver tells of, and that a deploy has no snapshot. */
export type Trouble = Notice | (Pick<Notice, 'why'> & { readonly type: 'SnapshotFailed' });

/** That something is wrong is an event, although nothing that anybody wants changes. */
export async function note(plant: Plant, id: string, { type, why }: Trouble): Promise<void> {
  const events = (changes: readonly Change[]) =>
    changes.flatMap(({ after }) => {
      if (after?.kind !== 'Instance' || !('team' in after.spec) || !why) return [];
      const target = { kind: 'Instance', id, name: after.name };
      return [{ event: noticeEvents[type], target, team: after.spec.team, reason: `${why.reason}: ${why.message}` }];
    });
  await keep(plant, withEvents(noticeInstance(id, { type, ...(why ? { why } : {}) }), events));
}

const noticeEvents: Readonly<Record<Trouble['type'], string>> = {
  FlowsStopped: 'instance.flows-stopped',
  LogCut: 'instance.log-cut',
  SafeMode: 'instance.safe-mode',
  SnapshotFailed: 'instance.snapshot-failed',
};

/** Keeps what the loop itself wants. */
export async function keep({ clock, newId, door }: Plant, proposal: AnyProposal): Promise<void> {
  const actor = { kind: 'job', name: 'converge' } as const;
  await submit(door, proposal, { now: clock(), newId, actor, origin: 'api' });
}
