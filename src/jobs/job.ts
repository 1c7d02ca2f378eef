// What a scheduled job is: when it runs, and what it does through the write door.
import type { Door } from '../control/submit.ts';
import type { Clock } from '../lib/clock.ts';

/** What jobs need of the world. */
export interface Desk {
  readonly door: Door;
  readonly clock: Clock;
  readonly newId: () => string;
}

export interface Job {
  /** How it is named in the audit log and in messages: what it does (`expire`). */
  readonly name: string;
  /** When it runs: minute, hour, day, month and weekday, as in a crontab; UTC. */
  readonly pattern: string;
  /** Does it once; ends early when `stop` is aborted. What it throws is logged, and it runs again when its time comes. */
  run(desk: Desk, stop: AbortSignal): Promise<void>;
}
