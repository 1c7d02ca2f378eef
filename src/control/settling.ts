// Reading a tree that may not stand still: how long a turn waits for it, and what is taken up only later.
import { hasErrors } from '../core/model/finding.ts';
import type { JudgeMemory } from '../core/plan/judge.ts';
import { checkoutAt } from '../manifests/checkout.ts';
import { type Checkout, type Settled, settle } from '../manifests/settle.ts';
import { isMissing, type Missing, type Tree } from '../manifests/tree.ts';
import { NotKept } from '../store/store.ts';
import { type Occasion, planLoaded } from './attempt.ts';
import { judgeTree, readTree } from './tree.ts';
import { followSettings, type LoopOptions, type Memory, observe } from './turn.ts';

/** Reads the tree once it stands still, or as far as it does. Throws `NotKept` where the loop ends meanwhile. */
export async function readSettled(
  options: LoopOptions,
  memory: Memory,
  { trigger }: Occasion,
): Promise<Tree | Missing> {
  const { settleMs } = followSettings(options);
  const { reading: accepted } = memory;
  const { root, overlay, stop: signal } = options;
  const read = (previous: Tree | Missing | undefined) => readTree(root, { previous, overlay });
  const isAsked = trigger === 'api';
  const settled = await settle({ settleMs, read, accepted, isAsked, checkout: checkoutOf(options, memory), signal });
  if (signal?.aborted) throw new NotKept('nothing was applied, because the server is stopping');
  noteSettled(options, memory, settled);
  const { reading } = settled;
  // What waits for other files is not there yet.
  return accepted && !settled.isRefused && (await isToWait(options, memory, reading)) ? accepted : reading;
}

/** Whether a tree of which some files count as they were would be refused, which may be for them alone; `judged` is the caller's memory of the last one. */
export async function isToWait(
  options: LoopOptions,
  memory: Memory,
  reading: Tree | Missing,
  judged?: JudgeMemory,
): Promise<boolean> {
  if (isMissing(reading) || reading.unsettled === undefined) return false;
  const loaded = await judgeTree(reading, {
    facts: options.facts(),
    decoded: memory.decoded,
    ...(judged ? { judged } : {}),
    git: false,
  });
  if (hasErrors(loaded.findings)) return true;
  return (await planLoaded(options, loaded, { trigger: 'watch', actor: { kind: 'config' } })).blocked;
}

/** Remembers what did not stand still, for conditions and metrics. */
export function noteSettled(
  options: LoopOptions,
  memory: Memory,
  { unquiet, restless, took }: Pick<Settled, 'unquiet' | 'restless' | 'took'>,
): void {
  memory.settling = { files: unquiet, restless, seconds: took / 1_000 };
  observe(options, memory);
}

/** What git says of the tree, which remembers since when git has been at work. */
export function checkoutOf({ root }: LoopOptions, memory: Memory): Checkout {
  memory.checkout ??= checkoutAt(root);
  return memory.checkout;
}
