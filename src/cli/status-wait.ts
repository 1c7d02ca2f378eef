// Waits until the declared platform is as it is declared.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfigStatus } from '../control/config-status.ts';
import { suspendedWords } from '../core/model/suspension.ts';
import { isTransient } from './failure.ts';
import type { Io } from './io.ts';
import { withProgress } from './progress.ts';

/** Where the answers come from. */
export interface Asked {
  /** The status, asked for at most so many seconds. */
  readonly statusWithin: (seconds: number) => Promise<ConfigStatus>;
  /** The revision that must have been attempted; nothing where that is not known. */
  readonly treeWithin: (seconds: number) => Promise<string | undefined>;
}

/** The last status, and what it still lacked when the time was up. */
export interface Waited {
  readonly status: ConfigStatus;
  readonly problem?: string;
  /** That it will not come by itself: nobody waits for that. */
  readonly hopeless?: true;
}

/**
 * Asks until Ready is True and the current tree was attempted, or the time is up. A server that starts, or a store that is not made yet, is
 * waited for as well; throws why it cannot be asked where that is still so in the end.
 */
export function waitForStatus(seconds: number, io: Io, asked: Asked): Promise<Waited> {
  return withProgress(io, 'waiting until Ready is True', () => waitFor(seconds, io, asked));
}

async function waitFor(seconds: number, io: Io, asked: Asked): Promise<Waited> {
  const deadline = io.elapsed() + seconds * 1000;
  for (;;) {
    const left = deadline - io.elapsed();
    const found = await askOnce(asked, Math.max(left, 1000) / 1000);
    if ('status' in found && (found.problem === undefined || found.hopeless)) return found;
    if (deadline - io.elapsed() <= 0) {
      if ('status' in found) return found;
      throw found.error;
    }
    await sleep(Math.min(intervalMs, Math.max(1, deadline - io.elapsed())));
  }
}

const intervalMs = 1000;

async function askOnce(asked: Asked, left: number): Promise<Waited | { readonly error: unknown }> {
  try {
    const status = await asked.statusWithin(left);
    const problem = await problemOf(status, () => asked.treeWithin(left));
    if (problem === undefined) return { status };
    if (!status.suspended) return { status, problem };
    return {
      status,
      problem: `${problem}, and the reconciler is ${suspendedWords(status.suspended)}: resume it first`,
      hopeless: true,
    };
  } catch (error) {
    if (!isTransient(error)) throw error;
    return { error };
  }
}

async function problemOf(
  { conditions, revision, pending }: ConfigStatus,
  treeNow: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True')
    return `Ready is ${ready?.status ?? 'Unknown'}: ${ready?.message ?? 'nothing is known'}`;
  if (conditions.some(({ type, status }) => type === 'Reconciling' && status === 'True'))
    return 'a reconcile is under way';
  if (pending)
    return `revision ${pending.revision.slice(0, 12)} waits to be applied, because reconcile.mode is manual: "weir apply --server URL --token-file FILE" applies it`;
  const tree = await treeNow();
  if (tree === undefined || tree === revision.attempted) return undefined;
  return tree === 'invalid'
    ? 'the current tree is invalid, and was not attempted yet'
    : `the current tree (${tree.slice(0, 12)}) was not attempted yet: the last one is ${revision.attempted?.slice(0, 12) ?? 'none'}`;
}
