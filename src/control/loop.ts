// The loop: applies the tree at start and whenever it changes, keeps the last good state, and recovers by itself.

import type { Document } from '../core/model/document.ts';
import { hasErrors } from '../core/model/finding.ts';
import { singleton } from '../core/model/view.ts';
import type { DecodeCache } from '../core/plan/desired-tree.ts';
import type { PlanDocument } from '../core/plan/plan-document.ts';
import { createSlicer } from '../lib/slice.ts';
import { treeOfTexts } from '../manifests/texts.ts';
import { isMissing, type Missing, type Tree } from '../manifests/tree.ts';
import { watch } from '../manifests/watch.ts';
import { type Attempt, applyLoaded, type Occasion, planLoaded, type Workbench } from './attempt.ts';
import type { Condition, ConfigStatus, HistoryEntry } from './config-status.ts';
import { type BaseMoved, type PlanBlocked, TreeInvalid, TreeMissing } from './failures.ts';
import { lastAttempts } from './history.ts';
import { placesIn } from './places.ts';
import type { Reconciler } from './reconciler.ts';
import { statusOf } from './status.ts';
import { judgeTree, type LoadedTree, readTree } from './tree.ts';

export interface LoopOptions extends Workbench {
  readonly root: string;
  readonly overlay?: string | undefined;
  readonly log: (
    level: 'info' | 'warn' | 'error',
    message: string,
    details?: Readonly<Record<string, unknown>>,
  ) => void;
  /** Told of every attempt, once it has ended. */
  readonly onAttempt?: (attempt: Attempt) => void;
}

export interface Loop extends Reconciler {
  /** Ends the watch and waits for a reconcile that is under way. */
  close(): Promise<void>;
}

/** A loop that runs, and why its first attempt failed, where it did: the caller decides whether to go on. */
export interface Started {
  readonly loop: Loop;
  readonly failure?: TreeInvalid | PlanBlocked | TreeMissing | BaseMoved;
  /** Whether this store was ever given a tree: the state that is served when the first attempt failed. */
  readonly hasGoodState: boolean;
}

/** Reads and applies the tree at `root`, then follows it. Resolves when the first attempt has ended, whatever came of it. */
export async function startLoop(options: LoopOptions): Promise<Started> {
  const { memory, turn, follow, loop } = await createLoop(options);
  const failure = await turn({ trigger: 'start', actor: configActor }, undefined).then(
    (attempt) => attempt.failure,
    (error: unknown) => {
      if (error instanceof TreeMissing) return error;
      throw error;
    },
  );
  follow();
  return { loop, hasGoodState: memory.applied !== undefined, ...(failure ? { failure } : {}) };
}

const configActor = { kind: 'config' } as const;

/** What the loop remembers between turns. */
interface Memory {
  reading: Tree | Missing | undefined;
  /** The tree that was applied last: the places of what is declared. */
  good: LoadedTree | undefined;
  attempted: HistoryEntry | undefined;
  applied: HistoryEntry | undefined;
  failure: string | undefined;
  reconciling: boolean;
  conditions: readonly Condition[];
  /** Turns are taken one after another. */
  queue: Promise<unknown>;
  settled: boolean;
}

async function createLoop(options: LoopOptions) {
  const memory: Memory = {
    reading: undefined,
    good: undefined,
    attempted: undefined,
    applied: undefined,
    ...(await lastAttempts(options.store)),
    failure: undefined,
    reconciling: false,
    conditions: [],
    queue: Promise.resolve(),
    settled: false,
  };
  const decoded: DecodeCache = new WeakMap();
  let watching: ReturnType<typeof watch> | undefined;
  const judge = (tree: Tree) => judgeTree(tree, { facts: options.facts(), decoded, slicer: createSlicer() });
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = memory.queue.then(work, work);
    memory.queue = turn.catch(() => {});
    return turn;
  };

  const turn = (occasion: Occasion, read: Tree | Missing | undefined) =>
    inTurn(() => takeTurn(options, memory, judge, occasion, read)).finally(() => {
      watching?.update(settingsOf(options));
    });

  const follow = () => {
    watching = watch(options.root, {
      ...settingsOf(options),
      previous: memory.reading,
      read: (previous) => readTree(options.root, { previous, overlay: options.overlay }),
      log: (message) => options.log('warn', message),
      onChange: (read, trigger) => turn({ trigger, actor: configActor }, read).then(ignore, ignore),
    });
  };

  const loop: Loop = {
    settled: () => memory.settled,
    status: () => tellStatus(options, memory),
    plan: async () => {
      const loaded = await judge(
        treeOf(await readTree(options.root, { previous: memory.reading, overlay: options.overlay })),
      );
      return withCauses(await planOf(options, loaded), loaded, memory);
    },
    planDocuments: async (documents) => planOf(options, await judge(treeOf(treeOfTexts(documents)))),
    reconcile: async ({ base, consents, actor, requestId }) => {
      const occasion = {
        trigger: 'api',
        actor,
        consents,
        ...(base ? { base } : {}),
        ...(requestId === undefined ? {} : { requestId }),
      } as const;
      const attempt = await turn(occasion, undefined);
      if (attempt.failure) throw attempt.failure;
      return attempt.plan as PlanDocument;
    },
    placesOf: (address) => placesIn(memory.good, address),
    close: async () => {
      await watching?.close();
      await memory.queue;
    },
  };
  return { memory, turn, follow, loop };
}

/** What came of a turn is remembered and logged by the turn itself. */
function ignore(): void {}

function settingsOf({ store }: LoopOptions): { settleMs: number; pollSeconds: number } {
  const { settleMs, pollSeconds } = singleton(store.read(), 'Platform').spec.reconcile;
  return { settleMs, pollSeconds };
}

function treeOf(reading: Tree | Missing): Tree {
  if (isMissing(reading)) throw new TreeMissing(reading.message);
  return reading;
}

async function planOf(options: LoopOptions, loaded: LoadedTree): Promise<PlanDocument> {
  if (hasErrors(loaded.findings)) throw new TreeInvalid(loaded.findings);
  return (await planLoaded(options, loaded, { actor: configActor })).document;
}

async function takeTurn(
  options: LoopOptions,
  memory: Memory,
  judge: (tree: Tree) => Promise<LoadedTree>,
  occasion: Occasion,
  read: Tree | Missing | undefined,
): Promise<Attempt> {
  memory.reconciling = true;
  try {
    const reading = read ?? (await readTree(options.root, { previous: memory.reading, overlay: options.overlay }));
    memory.reading = reading;
    const loaded = await judge(treeOf(reading));
    const attempt = await applyLoaded(options, loaded, occasion);
    remember(memory, attempt, loaded);
    tell(options, attempt);
    return attempt;
  } catch (error) {
    memory.failure = error instanceof TreeMissing ? undefined : messageOf(error);
    options.log(error instanceof TreeMissing ? 'warn' : 'error', `the last good state is kept: ${messageOf(error)}`);
    throw error;
  } finally {
    memory.reconciling = false;
    memory.settled = true;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function remember(memory: Memory, attempt: Attempt, loaded: LoadedTree): void {
  memory.failure = undefined;
  memory.attempted = attempt.entry;
  if (attempt.failure) return;
  memory.applied = attempt.entry;
  memory.good = loaded;
}

function tell(options: LoopOptions, attempt: Attempt): void {
  const { result, revision, summary, errors, warnings, durationMs } = attempt.entry;
  const level = result === 'refused' ? 'error' : 'info';
  const details = { revision: revision.slice(0, 12), ...summary, errors, warnings, durationMs };
  options.log(
    level,
    result === 'refused' ? 'the tree was refused: the last good state is kept' : `the tree was applied (${result})`,
    details,
  );
  options.onAttempt?.(attempt);
}

async function tellStatus(options: LoopOptions, memory: Memory): Promise<ConfigStatus> {
  const { reading } = memory;
  const missing = reading && isMissing(reading) ? reading.message : undefined;
  const status = await statusOf(
    options.store,
    options.inventoryOf,
    { ...memory, missing },
    memory.conditions,
    options.now(),
  );
  memory.conditions = status.conditions;
  return status;
}

/** A change of a document that was applied already, unchanged, means that the state has moved: drift. */
function withCauses(plan: PlanDocument, loaded: LoadedTree, { good }: Memory): PlanDocument {
  const documentOf = (tree: LoadedTree | undefined, address: string): Document | undefined =>
    tree?.desired.desired.get(address)?.document;
  const changes = plan.changes.map((change) => {
    const same = good !== undefined && documentOf(loaded, change.address) === documentOf(good, change.address);
    return { ...change, cause: same ? ('drift' as const) : ('source' as const) };
  });
  return { ...plan, changes };
}
