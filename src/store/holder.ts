// Who holds a folder, as it says of itself and as others are told.
import { basename } from 'node:path';
import { StoreUnavailable } from './store.ts';

/**
 * What a process says to who connects to its socket: it is `starting` as long as it may be about to hold, `waiting` while it is not.
 * One that is `leaving` says nothing and hangs up, one that is `silent` does not even that.
 */
export interface Holder {
  readonly pid: number;
  readonly started: string;
  readonly command: string;
  readonly state: 'starting' | 'waiting' | 'holding' | 'leaving' | 'silent';
}

/** This process, for whoever finds the folder taken. */
export function describe(state: Holder['state']): Holder {
  const [, script = '', ...args] = process.argv;
  const started = new Date(performance.timeOrigin).toISOString();
  return { pid: process.pid, started, command: [basename(script), ...args].join(' '), state };
}

/** The refusal that names who holds the folder. */
export function lockedBy(folder: string, { pid, started, command }: Holder): StoreUnavailable {
  const who =
    started === '' ? `process ${pid}, which does not answer` : `process ${pid} (started ${started}, ${command})`;
  return new StoreUnavailable(
    'locked',
    `the store ${folder} is in use by ${who}: stop it first, or name another folder`,
    { holder: who },
  );
}

/** What a socket said, where it makes sense. */
export function readHolder(text: string): Holder | undefined {
  try {
    const said: Holder = JSON.parse(text);
    return typeof said.pid === 'number' ? said : undefined;
  } catch {
    return undefined;
  }
}
