// One turn of the loop: a settled reading is judged, applied and remembered; whatever goes wrong, the last good state stays.
import { singleton } from '../core/model/view.ts';
import type { DecodeCache } from '../core/plan/desired-tree.ts';
import type { JudgeMemory } from '../core/plan/judge.ts';
import type { Checkout } from '../manifests/settle.ts';
import { isMissing, type Missing, type Tree } from '../manifests/tree.ts';
import { NotKept } from '../store/store.ts';
import { type Blocked, blockedBy } from './again.ts';
import { type Attempt, applyLoaded, isOfCaller, type Occasion, recordMissing, type Workbench } from './attempt.ts';
import { conditionsOf, type Settling } from './conditions.ts';
import { type Attempted, type Condition, driftCount, type HistoryEntry } from './config-status.ts';
import { NotPermitted, PlanBlocked, ReconcilerSuspended, TreeMissing } from './failures.ts';
import { lastAttempts, rememberReconciled, repeats } from './history.ts';
import { postureOf } from './status.ts';
import { requireGoing, whileGoing } from './suspension.ts';
import { judgeTree, type LoadedTree } from './tree.ts';

/** How an event of the loop is told to the operator. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  details?: Readonly<Record<string, unknown>>,
) => void;

export interface LoopOptions extends Workbench {
  readonly root: string;
  readonly overlay?: string | undefined;
  readonly log: Log;
  /** Ends what is waited for. */
  readonly stop?: AbortSignal | undefined;
  /** Conditions of the platform that do not follow from its tree. */
  readonly conditions?: () => readonly Condition[];
  /** Told of every attempt, once it has ended, and of the tree as it was read for it. */
  readonly onAttempt?: (attempt: Attempt, tree: Tree) => void;
  /** Told of every turn, once it has ended, whatever came of it. */
  readonly onTurn?: (turn: Turn) => void;
}

/** What came of one turn, for whoever counts. */
export interface Turn {
  readonly trigger: Occasion['trigger'];
  /**
   * `pending`: a plan waits for somebody to apply it; `missing`: there was no tree; `moved`: the tree or the state was not the caller's; `suspended`: the
   * reconciler was; `denied`: whoever asked may not any more; `failed`: the store took nothing, or Weir failed.
   */
  readonly result: Attempted['result'] | 'missing' | 'moved' | 'suspended' | 'denied' | 'failed';
  /** From a tree that was read to the end, in seconds. */
  readonly seconds: number;
}

/** What the loop remembers between turns. */
export interface Memory {
  readonly decoded: DecodeCache;
  readonly judged: JudgeMemory;
  reading: Tree | Missing | undefined;
  /** How the tree stood still when it was last waited for. */
  settling: Settling | undefined;
  checkout: Checkout | undefined;
  /** The tree that was applied last: the places of what is declared. */
  good: LoadedTree | undefined;
  attempted: Attempted | undefined;
  applied: HistoryEntry | undefined;
  /** What kept the last turn from ending, other than the tree: the store, or a bug. */
  failure: string | undefined;
  /** What stands in the way of a tree that was refused with a plan. */
  blocked: Blocked | undefined;
  reconciling: boolean;
  conditions: readonly Condition[];
  /** The first turn has ended. */
  settled: boolean;
}

/** A memory of what the store tells. */
export async function recall({ store, newId }: Workbench): Promise<Memory> {
  // A store that takes no writes now is asked again at the next start, and tells the same until then.
  await rememberReconciled(store, newId()).catch((error: unknown) => {
    if (!(error instanceof NotKept)) throw error;
  });
  const { attempted, applied } = await lastAttempts(store);
  const nothing = {
    reading: undefined,
    settling: undefined,
    checkout: undefined,
    good: undefined,
    failure: undefined,
    blocked: undefined,
    reconciling: false,
    settled: false,
  };
  return { ...nothing, decoded: new WeakMap(), judged: {}, conditions: [], attempted, applied };
}

/** The platform's settings for following a tree, as applied. */
export function followSettings({ store }: Workbench): { readonly settleMs: number; readonly pollSeconds: number } {
  const { settleMs, pollSeconds } = singleton(store.read(), 'Platform').spec.reconcile;
  return { settleMs, pollSeconds };
}

/**
 * Takes the turn of an occasion with what is read for it. Throws `TreeMissing`, `ReconcilerSuspended`, `NotPermitted`, and what
 * the store throws.
 */
export async function takeTurn(
  { store, ...rest }: LoopOptions,
  memory: Memory,
  occasion: Occasion,
  read: () => Promise<Tree | Missing>,
): Promise<Attempt> {
  requireGoing(store.read(), occasion.permit);
  const options = { ...rest, store: whileGoing(store, occasion.permit) };
  memory.reconciling = true;
  observe(options, memory);
  let result: Turn['result'] = 'failed';
  let begun = options.elapsed();
  const { reading: known, attempted: before } = memory;
  try {
    const reading = await read();
    begun = options.elapsed();
    memory.reading = reading;
    const tree = treeOf(reading);
    const attempt = await applyReading(options, memory, occasion, tree);
    // It says nothing of the tree, and the watch has still to deal with this reading.
    if (isOfCaller(attempt.failure)) memory.reading = known;
    else tell(options, memory, attempt, tree, before);
    result = isOfCaller(attempt.failure) ? 'moved' : attempted(attempt).result;
    return attempt;
  } catch (error) {
    const stopped = stoppedBy(error);
    if (stopped) {
      result = stopped;
      memory.reading = known;
      throw error;
    }
    if (error instanceof TreeMissing) result = 'missing';
    fail(options, memory, error);
    if (error instanceof TreeMissing) await recordMissing(options, occasion, error.message);
    throw error;
  } finally {
    memory.reconciling = false;
    memory.settled = true;
    observe(options, memory);
    options.onTurn?.({ trigger: occasion.trigger, result, seconds: (options.elapsed() - begun) / 1000 });
  }
}

/** Why nothing was to be applied, which says nothing of the tree. */
function stoppedBy(error: unknown): 'suspended' | 'denied' | undefined {
  if (error instanceof ReconcilerSuspended) return 'suspended';
  return error instanceof NotPermitted ? 'denied' : undefined;
}

/** Brings the conditions up to date when something happens, so that their times are those of what happened. */
export function observe(options: LoopOptions, memory: Memory): void {
  const { reading } = memory;
  const missing = reading && isMissing(reading) ? reading.message : undefined;
  memory.conditions = conditionsOf(
    { ...memory, missing, ...postureOf(options.store.read()) },
    memory.conditions,
    options.now(),
  );
}

/** The tree of a reading. Throws `TreeMissing` where there is none. */
export function treeOf(reading: Tree | Missing): Tree {
  if (isMissing(reading)) throw new TreeMissing(reading.message);
  return reading;
}

async function applyReading(options: LoopOptions, memory: Memory, occasion: Occasion, tree: Tree): Promise<Attempt> {
  const loaded = await judgeTree(tree, { facts: options.facts(), decoded: memory.decoded, judged: memory.judged });
  // Somebody who asks for it wants it applied.
  const holds = occasion.trigger !== 'api' && postureOf(options.store.read()).mode === 'manual';
  const attempt = await applyLoaded(options, loaded, { ...occasion, holds });
  if (isOfCaller(attempt.failure)) return attempt;
  memory.failure = undefined;
  memory.attempted = attempted(attempt);
  memory.blocked = attempt.failure instanceof PlanBlocked ? blockedBy(attempt.failure.plan.findings) : undefined;
  if (attempt.failure || attempt.held) return attempt;
  memory.applied = attempt.entry;
  memory.good = loaded;
  return attempt;
}

function attempted({ entry, held }: Attempt): Attempted {
  return held ? { ...entry, result: 'pending' } : entry;
}

function fail(options: LoopOptions, memory: Memory, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const isMissingTree = error instanceof TreeMissing;
  memory.failure = isMissingTree ? undefined : message;
  memory.blocked = undefined;
  // Whoever stops the server knows why.
  const level = isMissingTree || options.stop?.aborted ? 'warn' : 'error';
  options.log(level, `${keptBy(memory)}: ${message}`);
}

function keptBy({ applied }: Memory): string {
  return applied ? 'the last good state is kept' : 'nothing is applied';
}

function tell(options: LoopOptions, memory: Memory, attempt: Attempt, tree: Tree, before: Attempted | undefined): void {
  const { result, revision, summary, errors, warnings, durationMs } = attempt.entry;
  const details = { revision: revision.slice(0, 12), ...summary, errors, warnings, durationMs };
  if (attempt.held) options.log('warn', 'the tree waits to be applied, because reconcile.mode is manual', details);
  else if (result === 'refused' && before && repeats(before, attempt.entry))
    options.log('debug', 'the tree was refused again', details);
  else if (result === 'refused') options.log('error', `the tree was refused: ${keptBy(memory)}`, details);
  else
    options.log('info', result === 'applied' ? 'the tree was applied' : 'the tree was read: nothing changes', details);
  tellDrift(options, memory);
  options.onAttempt?.(attempt, tree);
}

/** Somebody else has changed what the tree declares: whoever runs the platform should know, whatever is done about it. */
function tellDrift({ log, now }: LoopOptions, memory: Memory): void {
  const objects = driftCount(memory.attempted ?? {});
  if (objects === 0) return;
  const drifted = conditionsOf({ ...memory }, [], now()).find(({ type }) => type === 'Drifted');
  if (drifted) log('warn', drifted.message, { reason: drifted.reason, objects });
}
