// The loop: applies the tree at start and whenever it changes, keeps the last good state, and recovers by itself.
import { hasErrors } from '../core/model/finding.ts';
import { suspendedWords } from '../core/model/suspension.ts';
import type { View } from '../core/model/view.ts';
import type { PlanDocument } from '../core/plan/plan-document.ts';
import { type Consents, noConsents } from '../core/rules/rule.ts';
import { withSortedKeys } from '../lib/sorted-keys.ts';
import { type Missing, revisionOf, type Tree } from '../manifests/tree.ts';
import { type Watch, watch } from '../manifests/watch.ts';
import { type Again, createAgain } from './again.ts';
import { type Attempt, type AttemptFailure, type Occasion, planLoaded } from './attempt.ts';
import { ReconcilerSuspended, TreeInvalid, TreeMissing } from './failures.ts';
import { anyOf, deniedOf } from './permits.ts';
import { placesIn } from './places.ts';
import { judgePosted } from './posted.ts';
import type { ReconcileRequest, Reconciler } from './reconciler.ts';
import { checkoutOf, isToWait, noteSettled, readSettled } from './settling.ts';
import { postureOf, statusOf } from './status.ts';
import { readyWhereWritable } from './store-writable.ts';
import { onSuspension } from './suspension.ts';
import { judgeTree, type LoadedTree, readTree } from './tree.ts';
import { followSettings, type LoopOptions, type Memory, observe, recall, takeTurn, treeOf } from './turn.ts';
import { createTurnQueue, type TurnQueue } from './turn-queue.ts';

export interface Loop extends Reconciler {
  /** Ends the watch and waits for a reconcile that is under way. */
  close(): Promise<void>;
}

/** A loop that runs, and why its first attempt failed, where it did: the caller decides whether to go on. */
export interface Started {
  readonly loop: Loop;
  readonly failure?: AttemptFailure | TreeMissing;
  /** Whether this store was ever given a tree: the state that is served when the first attempt failed. */
  readonly hasGoodState: boolean;
}

/**
 * Reads and applies the tree at `root`, then follows it. Resolves when the first attempt has ended, whatever came of it. While the reconciler is
 * suspended nothing is read; that begins once it is resumed.
 */
export async function startLoop(options: LoopOptions): Promise<Started> {
  const memory = await recall(options);
  const running: Running = {
    options,
    memory,
    queue: createTurnQueue(() => running.watch?.update(followSettings(options))),
    again: createAgain({
      ...options,
      pollSeconds: () => followSettings(options).pollSeconds,
      standing: () => memory,
      turn: (reason) => turnAgain(running, reason),
    }),
    follows: false,
    isClosed: false,
  };
  const forget = onSuspension(options.store, () => suspendOrResume(running));
  const failure = await begin(running).catch((error: unknown) => {
    forget();
    running.again.close();
    throw error;
  });
  const hasGoodState = running.memory.applied !== undefined || isDeclared(options.store.read());
  return { loop: offer(running, forget), hasGoodState, ...(failure ? { failure } : {}) };
}

/** Whether a state came from a tree. An older version of Weir may have forgotten when it was applied. */
function isDeclared(view: View): boolean {
  return view.named('Platform', 'platform')?.managedBy === 'config';
}

const configActor = { kind: 'config' } as const;

interface Running {
  readonly options: LoopOptions;
  readonly memory: Memory;
  readonly queue: TurnQueue;
  readonly again: Again;
  /** Whether the tree is followed, or is about to be; not while the reconciler is suspended. */
  follows: boolean;
  isClosed: boolean;
  watch?: Watch | undefined;
  /** The watch that was followed before, until it has ended. */
  ending?: Promise<unknown>;
}

/** Applies the tree, and follows it from then on; only says so where the reconciler is suspended. Throws what the store throws. */
async function begin(running: Running): Promise<Started['failure']> {
  const { options, memory } = running;
  const { suspended } = postureOf(options.store.read());
  if (suspended) options.log('warn', `nothing is read or applied: the reconciler is ${suspendedWords(suspended)}`);
  running.follows = suspended === undefined;
  const failure = running.follows ? await firstTurn(running) : undefined;
  memory.settled = true;
  observe(options, memory);
  follow(running);
  return failure;
}

function firstTurn(running: Running): Promise<Started['failure']> {
  return turn(running, { trigger: 'start', actor: configActor }).then(
    (attempt) => attempt.failure,
    (error: unknown) => {
      if (error instanceof TreeMissing) return error;
      if (error instanceof ReconcilerSuspended) return undefined;
      throw error;
    },
  );
}

/** A resumed reconciler applies the tree as if it had just been started. */
function suspendOrResume(running: Running): void {
  const { options, memory, watch: followed } = running;
  const { suspended } = postureOf(options.store.read());
  if (running.isClosed) return;
  if (suspended && running.follows) {
    options.log('warn', `the reconciler is ${suspendedWords(suspended)}`);
    running.follows = false;
    running.watch = undefined;
    // Not waited for: what it has read may wait for a turn, which is refused then.
    running.ending = Promise.all([running.ending, followed?.close()]);
  } else if (!suspended && !running.follows) {
    options.log('info', 'the reconciler is resumed');
    // What kept the turn from ending was logged by the turn itself.
    begin(running).catch(() => follow(running));
  }
  observe(options, memory);
}

function turn(running: Running, occasion: Occasion): Promise<Attempt> {
  return running.queue.take(() => taken(running, occasion));
}

/** A turn for what the watch has read; none where another turn before it has dealt with that. */
function turnFor(running: Running, occasion: Occasion, read: Tree | Missing): Promise<Attempt | undefined> {
  // Asked when its turn has come: until then one that is under way may still leave the reading to the watch.
  return running.queue.take(async () => (isKnown(running.memory, read) ? undefined : taken(running, occasion, read)));
}

/** A turn that nobody asked for and no change of the tree; none where another turn before it has dealt with that. */
function turnAgain(running: Running, reason: 'failed' | 'moved'): Promise<Attempt | undefined> {
  const { memory } = running;
  return running.queue.take(async () => {
    const isDue = reason === 'failed' ? memory.failure !== undefined : memory.blocked !== undefined;
    if (!isDue || !running.follows) return undefined;
    const occasion = { trigger: 'poll', actor: configActor } as const;
    return taken(running, occasion, reason === 'moved' ? memory.reading : undefined);
  });
}

/** Takes a turn, and sees to another where it came to nothing for no fault of the tree. */
async function taken(running: Running, occasion: Occasion, read?: Tree | Missing): Promise<Attempt> {
  try {
    const { options, memory } = running;
    return await takeTurn(options, memory, occasion, async () => read ?? readSettled(options, memory, occasion));
  } finally {
    const { allowDeletes, adopt } = occasion.consents ?? noConsents;
    running.again.ended(allowDeletes !== undefined || adopt.size > 0);
  }
}

/** What came of a turn is remembered and logged by the turn itself. */
function ignore(): void {}

function follow(running: Running): void {
  const { options, memory } = running;
  if (!running.follows || running.isClosed || running.watch) return;
  const foreseen = {};
  running.watch = watch(options.root, {
    ...followSettings(options),
    previous: memory.reading,
    read: (previous) => readTree(options.root, { previous, overlay: options.overlay }),
    log: (message) => options.log('warn', message),
    isToWait: (read) => isToWait(options, memory, read, foreseen),
    onSettled: (settled) => noteSettled(options, memory, settled),
    checkout: checkoutOf(options, memory),
    onChange: (read, trigger) => turnFor(running, { trigger, actor: configActor }, read).then(ignore, ignore),
  });
}

/** Somebody asked for a reconcile, and it has dealt with this reading before the watch came to it. */
function isKnown({ reading, failure }: Memory, read: Tree | Missing): boolean {
  return failure === undefined && reading !== undefined && revisionOf(reading) === revisionOf(read);
}

function offer(running: Running, forget: () => void): Loop {
  const { options, memory } = running;
  const conditions = () => readyWhereWritable([...memory.conditions, ...(options.conditions?.() ?? [])]);
  return {
    settled: () => memory.settled,
    status: () => statusOf(options.store, options.inventoryOf, memory, conditions()),
    standing: () => ({ ...memory, conditions: conditions(), ...postureOf(options.store.read()) }),
    plan: () => planOwn(options, memory),
    planDocuments: async (posted) => planOf(options, await judgePosted(posted, options.facts()), posted.consents),
    reconcile: (request) => reconcile(running, request),
    placesOf: (address) => placesIn(memory.good, address),
    close: async () => {
      running.isClosed = true;
      forget();
      running.again.close();
      // First of all: the watch waits for its turn.
      const ended = running.queue.close();
      await running.watch?.close();
      await running.ending;
      await ended;
    },
  };
}

/** One turn for all who ask for the same before it begins: a caller who comes while a turn is under way gets one that reads after that. */
async function reconcile(running: Running, request: ReconcileRequest): Promise<PlanDocument> {
  const { base, source, consents, actor } = request;
  const adopt = [...consents.adopt].sort();
  const key = JSON.stringify([actor, { ...consents, adopt }, base, source], withSortedKeys);
  const { attempt, denied } = await running.queue.share(key, request, (all) => turnOf(running, all));
  const reason = denied.get(request);
  if (reason) throw reason;
  const { failure, plan } = attempt;
  if (failure) throw failure;
  if (!plan) throw new Error('a reconcile that was not refused has no plan');
  return plan;
}

interface SharedTurn {
  readonly attempt: Attempt;
  /** Who may not ask for it (any more), of whom somebody else asks for the same. */
  readonly denied: ReadonlyMap<ReconcileRequest, unknown>;
}

async function turnOf(running: Running, all: readonly ReconcileRequest[]): Promise<SharedTurn> {
  const denied = deniedOf(running.options.store.read(), all);
  const [first = all[0]] = all.filter((one) => !denied.has(one));
  if (!first) throw new Error('nobody asked for this turn');
  const { permit: _, ...asked } = first;
  const permits = all.flatMap((one) => (one.permit && (one === first || !denied.has(one)) ? [one.permit] : []));
  const attempt = await taken(running, { ...asked, trigger: 'api', permit: anyOf(permits) });
  return { attempt, denied };
}

async function planOwn(options: LoopOptions, memory: Memory): Promise<PlanDocument> {
  const reading = await readTree(options.root, { previous: memory.reading, overlay: options.overlay });
  const loaded = await judgeTree(treeOf(reading), { facts: options.facts(), decoded: memory.decoded });
  return withCauses(await planOf(options, loaded));
}

async function planOf(
  options: LoopOptions,
  loaded: LoadedTree,
  consents: Consents = noConsents,
): Promise<PlanDocument> {
  if (hasErrors(loaded.findings)) throw new TreeInvalid(loaded.findings);
  return (await planLoaded(options, loaded, { actor: configActor, consents })).document;
}

/** Every change of a server's own plan says why it is there. */
function withCauses(plan: PlanDocument): PlanDocument {
  return { ...plan, changes: plan.changes.map((change) => ({ ...change, cause: change.cause ?? 'source' })) };
}
