// The loop: applies the tree at start and whenever it changes, keeps the last good state, and recovers by itself.
import { hasErrors } from '../core/model/finding.ts';
import type { PlanDocument } from '../core/plan/plan-document.ts';
import { type Consents, noConsents } from '../core/rules/rule.ts';
import { treeOfTexts } from '../manifests/texts.ts';
import { type Missing, revisionOf, type Tree } from '../manifests/tree.ts';
import { type Watch, watch } from '../manifests/watch.ts';
import { type Attempt, type Occasion, planLoaded } from './attempt.ts';
import { type BaseMoved, type PlanBlocked, TreeInvalid, TreeMissing } from './failures.ts';
import { placesIn } from './places.ts';
import type { ReconcileRequest, Reconciler } from './reconciler.ts';
import { statusOf } from './status.ts';
import { judgeTree, type LoadedTree, readTree } from './tree.ts';
import { followSettings, type LoopOptions, type Memory, recall, takeTurn, treeOf } from './turn.ts';

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
  const running: Running = { options, memory: await recall(options), queue: Promise.resolve() };
  const failure = await turn(running, { trigger: 'start', actor: configActor }).then(
    (attempt) => attempt.failure,
    (error: unknown) => {
      if (error instanceof TreeMissing) return error;
      throw error;
    },
  );
  running.watch = follow(running);
  const hasGoodState = running.memory.applied !== undefined;
  return { loop: offer(running), hasGoodState, ...(failure ? { failure } : {}) };
}

const configActor = { kind: 'config' } as const;

interface Running {
  readonly options: LoopOptions;
  readonly memory: Memory;
  /** Turns are taken one after another. */
  queue: Promise<unknown>;
  watch?: Watch;
}

function turn(running: Running, occasion: Occasion, read?: Tree | Missing): Promise<Attempt> {
  const { options, memory } = running;
  const next = running.queue.then(() => takeTurn(options, memory, occasion, read));
  running.queue = next.then(ignore, ignore).then(() => running.watch?.update(followSettings(options)));
  return next;
}

/** What came of a turn is remembered and logged by the turn itself. */
function ignore(): void {}

function follow(running: Running): Watch {
  const { options, memory } = running;
  return watch(options.root, {
    ...followSettings(options),
    previous: memory.reading,
    read: (previous) => readTree(options.root, { previous, overlay: options.overlay }),
    log: (message) => options.log('warn', message),
    onChange: (read, trigger) => {
      if (isKnown(memory, read)) return;
      return turn(running, { trigger, actor: configActor }, read).then(ignore, ignore);
    },
  });
}

/** Somebody asked for a reconcile, and it has dealt with this reading before the watch came to it. */
function isKnown({ reading, failure }: Memory, read: Tree | Missing): boolean {
  return failure === undefined && reading !== undefined && revisionOf(reading) === revisionOf(read);
}

function offer(running: Running): Loop {
  const { options, memory } = running;
  return {
    settled: () => memory.settled,
    status: () => statusOf(options.store, options.inventoryOf, memory, memory.conditions),
    standing: () => memory,
    plan: () => planOwn(options, memory),
    planDocuments: async (documents, consents, environment) =>
      planOf(options, await judge(options, memory, treeOfTexts(documents, environment)), consents),
    reconcile: (request) => reconcile(running, request),
    placesOf: (address) => placesIn(memory.good, address),
    close: async () => {
      await running.watch?.close();
      await running.queue;
    },
  };
}

async function reconcile(
  running: Running,
  { base, consents, actor, requestId, address }: ReconcileRequest,
): Promise<PlanDocument> {
  const occasion: Occasion = {
    trigger: 'api',
    actor,
    consents,
    ...(base ? { base } : {}),
    ...(requestId === undefined ? {} : { requestId }),
    ...(address === undefined ? {} : { address }),
  };
  const { failure, plan } = await turn(running, occasion);
  if (failure) throw failure;
  if (!plan) throw new Error('a reconcile that was not refused has no plan');
  return plan;
}

function judge(options: LoopOptions, { decoded }: Memory, reading: Tree | Missing): Promise<LoadedTree> {
  return judgeTree(treeOf(reading), { facts: options.facts(), decoded });
}

async function planOwn(options: LoopOptions, memory: Memory): Promise<PlanDocument> {
  const reading = await readTree(options.root, { previous: memory.reading, overlay: options.overlay });
  const loaded = await judge(options, memory, reading);
  return withCauses(await planOf(options, loaded), loaded, memory);
}

async function planOf(
  options: LoopOptions,
  loaded: LoadedTree,
  consents: Consents = noConsents,
): Promise<PlanDocument> {
  if (hasErrors(loaded.findings)) throw new TreeInvalid(loaded.findings);
  return (await planLoaded(options, loaded, { actor: configActor, consents })).document;
}

/** Where a document is the one that was applied, the state has moved: drift. Else the source has. */
function withCauses(plan: PlanDocument, loaded: LoadedTree, { good }: Memory): PlanDocument {
  const changes = plan.changes.map((change) => {
    const before = good?.desired.desired.get(change.address)?.document;
    const isSame = good !== undefined && loaded.desired.desired.get(change.address)?.document === before;
    return { ...change, cause: isSame ? ('drift' as const) : ('source' as const) };
  });
  return { ...plan, changes };
}
