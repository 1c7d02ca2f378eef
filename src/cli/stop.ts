// Ends a server in order: asked once it finishes what is under way, asked twice it ends at once, and it never takes ten seconds.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Io } from './io.ts';

/** A terminal's Ctrl-C reaches us directly and once more through npm: that is one wish, not two. */
const sameWishMs = 1000;

/** How long each of the two steps of stopping may take. What is acknowledged is on the disk whether or not a step ends. */
const patienceMs = 3500;

/**
 * `asked` resolves, and `signal` aborts, when somebody asks for an end, or `end` does with a code of its own; asking again ends the process at once. After `over` the end has come and its exit code is
 * decided: who asks then is still heard, so that the system does not end the process with another one, and changes nothing.
 */
export function stopRequest(io: Io): {
  readonly asked: Promise<undefined>;
  readonly signal: AbortSignal;
  readonly over: () => void;
  readonly end: (code: ExitCode) => void;
  /** What to end with. */
  readonly code: () => ExitCode;
} {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const stopping = new AbortController();
  let first: number | undefined;
  let isOver = false;
  let code: ExitCode = exitCodes.fine;
  io.onStop(() => {
    if (isOver) return;
    if (first !== undefined && io.elapsed() - first > sameWishMs) io.exit(130);
    first ??= io.elapsed();
    resolve(undefined);
    stopping.abort();
  });
  return {
    asked: promise,
    signal: stopping.signal,
    over: () => {
      isOver = true;
    },
    end: (own) => {
      code = own;
      resolve(undefined);
      stopping.abort();
    },
    code: () => code,
  };
}

/** When a command that prints again and again is over: somebody asks for its end, or nobody reads it any more. */
export function endOf(
  { asked }: Pick<ReturnType<typeof stopRequest>, 'asked'>,
  { readerGone }: Io,
): Promise<undefined> {
  return readerGone === undefined ? asked : Promise.race([asked, readerGone]);
}

/** Takes the steps one after another, and gives each up that takes too long. */
export async function inOrder(steps: readonly (() => Promise<unknown>)[], io: Io): Promise<void> {
  for (const step of steps) {
    const over = new AbortController();
    const late = sleep(patienceMs, 'late', { signal: over.signal }).catch(() => undefined);
    const outcome = await Promise.race([step(), late]);
    over.abort();
    if (outcome === 'late')
      io.stderr.write('weir: something that is under way does not end, and is cut off: nothing acknowledged is lost\n');
  }
}
