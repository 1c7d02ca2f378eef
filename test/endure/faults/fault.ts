// What a fault is, and how a server comes back after one.
import type { Dice } from '../dice.ts';
import type { Load } from '../load.ts';
import type { Scene } from '../scene.ts';
import { verify } from '../verify.ts';
import { patienceMs, type StartOptions } from '../world.ts';

/** A run that goes on. */
export interface Stage extends Scene {
  readonly load: Load;
  readonly dice: Dice;
  /** Something that an operator would see of the fault, for the table. */
  note(what: string): void;
}

export interface Fault {
  readonly name: string;
  /** The server lives through it. */
  readonly isGentle?: true;
  /** It takes its time: left to `npm run endure`. */
  readonly isLong?: true;
  /** Why it cannot be had on this machine; nothing where it can. */
  readonly missing?: () => Promise<string | undefined>;
  /** Does it, brings the server back, and looks at everything. Answers the milliseconds from the end of the fault until all was well again. */
  inject(stage: Stage): Promise<number>;
}

/** Starts the server that has ended, looks at everything, and lets the load go on. Answers how long it took to be ready. */
export async function revive(stage: Stage, when: string, options?: StartOptions): Promise<number> {
  await stage.load.pause();
  const begun = performance.now();
  await stage.world.start(options);
  const took = performance.now() - begun;
  if (took > patienceMs) stage.world.blame(`${when}: it took ${Math.round(took)} ms to be back`);
  await verify(stage, when);
  stage.load.resume();
  return took;
}

/** Looks at everything, with the load held meanwhile. */
export async function lookAround(stage: Stage, when: string): Promise<void> {
  await stage.load.pause();
  await verify(stage, when);
  stage.load.resume();
}

/** Ends the server in order, and blames what is not in order. */
export async function stopInOrder({ world }: Stage, when: string): Promise<void> {
  const begun = performance.now();
  const { code, signal, stderr } = await world.end('SIGTERM');
  const took = performance.now() - begun;
  if (code !== 0) world.blame(`${when}: after SIGTERM it ended with ${signal ?? code}: ${stderr.slice(-500)}`);
  if (took > patienceMs / 2) world.blame(`${when}: it took ${Math.round(took)} ms to stop`);
}
