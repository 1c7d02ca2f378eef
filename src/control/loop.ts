// The loop: applies the tree at start and whenever it changes, keeps the last good state, and recovers by itself.
import { hasErrors } from '../core/model/finding.ts';
import { suspendedWords } from '../core/model/suspension.ts';
import type { View } from '../core/model/view.ts';
import type { PlanDocument } from '../core/plan/plan-document.ts';
import { type Consents, noConsents } from '../core/rules/rule.ts';
import { type Missing, revisionOf, type Tree } from '../manifests/tree.ts';
import { type Watch, watch } from '../manifests/watch.ts';
import { type Attempt, type AttemptFailure, type Occasion, planLoaded } from './attempt.ts';
import { ReconcilerSuspended, TreeInvalid, TreeMissing } from './failures.ts';
import { placesIn } from './places.ts';
import { judgePosted } from './posted.ts';
import type { ReconcileRequest, Reconciler } from './reconciler.ts';
import { postureOf, statusOf } from './status.ts';
import { onSuspension } from './suspension.ts';
import { judgeTree, type LoadedTree, readTree } from './tree.ts';
import { followSettings, type LoopOptions, type Memory, observe, recall, takeTurn, treeOf } from './turn.ts';

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
  const running: Running = {
    options,
    memory: await recall(options),
    queue: Promise.resolve(),
    follows: false,
    isClosed: false,
  };
  const forget = onSuspension(options.store, () => suspendOrResume(running));
  const failure = await begin(running).catch((error: unknown) => {
    forget();
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
  /** Turns are taken one after another. */
  queue: Promise<unknown>;
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
  const { options, memory } = running;
  return queued(running, () => takeTurn(options, memory, occasion));
}

/** A turn for what the watch has read; none where another turn before it has dealt with that. */
function turnFor(running: Running, occasion: Occasion, read: Tree | Missing): Promise<Attempt | undefined> {
  const { options, memory } = running;
  // Asked when its turn has come: until then one that is under way may still leave the reading to the watch.
  return queued(running, async () => (isKnown(memory, read) ? undefined : takeTurn(options, memory, occasion, read)));
}

function queued<T>(running: Running, work: () => Promise<T>): Promise<T> {
  const { options } = running;
  const next = running.queue.then(work);
  running.queue = next.then(ignore, ignore).then(() => running.watch?.update(followSettings(options)));
  return next;
}

/** What came of a turn is remembered and logged by the turn itself. */
function ignore(): void {}

function follow(running: Running): void {
  const { options, memory } = running;
  if (!running.follows || running.isClosed || running.watch) return;
  running.watch = watch(options.root, {
    ...followSettings(options),
    previous: memory.reading,
    read: (previous) => readTree(options.root, { previous, overlay: options.overlay }),
    log: (message) => options.log('warn', message),
    onChange: (read, trigger) => turnFor(running, { trigger, actor: configActor }, read).then(ignore, ignore),
  });
}

/** Somebody asked for a reconcile, and it has dealt with this reading before the watch came to it. */
function isKnown({ reading, failure }: Memory, read: Tree | Missing): boolean {
  return failure === undefined && reading !== undefined && revisionOf(reading) === revisionOf(read);
}

function offer(running: Running, forget: () => void): Loop {
  const { options, memory } = running;
  const conditions = () => [...memory.conditions, ...(options.conditions?.() ?? [])];
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
      await running.watch?.close();
      await running.ending;
      await running.queue;
    },
  };
}

async function reconcile(
  running: Running,
  { base, source, consents, actor, requestId, address, permit }: ReconcileRequest,
): Promise<PlanDocument> {
  const occasion: Occasion = {
    trigger: 'api',
    actor,
    consents,
    permit,
    ...(base ? { base } : {}),
    ...(source ? { source } : {}),
    ...(requestId === undefined ? {} : { requestId }),
    ...(address === undefined ? {} : { address }),
  };
  const { failure, plan } = await turn(running, occasion);
  if (failure) throw failure;
  if (!plan) throw new Error('a reconcile that was not refused has no plan');
  return plan;
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
