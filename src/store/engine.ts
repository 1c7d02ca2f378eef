// What all embedded engines share: commits one after another, made durable in groups, shown only once they are.
import type { Low } from 'lowdb';
import { overlay } from '../core/model/overlay.ts';
import type { Resource } from '../core/model/resource.ts';
import type { State } from '../core/model/state.ts';
import { createSlicer, inSlices } from '../lib/slice.ts';
import { createBlobs } from './blobs.ts';
import { healthOf, refusalOf, roomOf, whyNot } from './engine-health.ts';
import { type Backing, type Engine, type Pending, viewOf } from './engine-state.ts';
import { flush } from './flush.ts';
import { encodeBody, encodeBodySteps } from './lines.ts';
import type { Log } from './log.ts';
import type { AnyTransaction, Entry, Evaluation, PositionedView, Receipt, Store } from './store.ts';

/** A store over a lowdb database whose `write` makes `waiting` durable, or throws `WriteFailed`. */
export function createEngine(low: Low<Log>, backing: Backing): Store {
  const engine: Engine = {
    low,
    backing,
    listeners: new Set(),
    closed: new AbortController(),
    pending: new Map(),
    unknown: new Set(),
    queue: [],
    waiters: [],
    view: viewOf(low.data.state, low.data.position),
    head: undefined,
    headPosition: low.data.position,
    evaluating: false,
    long: undefined,
    failure: backing.readOnly,
    flushing: undefined,
    closing: undefined,
  };
  return {
    read: () => engine.view,
    commit: (transaction, { id }) => commit(engine, transaction, id),
    reach: (position) => reach(engine, position),
    subscribe: (listener) => {
      // A function of its own, so that one listener may subscribe twice.
      const own = (entry: Entry) => listener(entry);
      engine.listeners.add(own);
      return () => engine.listeners.delete(own);
    },
    lead: (_name, run) => {
      if (engine.closing === undefined && backing.readOnly === undefined) run(engine.closed.signal);
    },
    records: (query) => backing.records(low.data, query),
    recordsAfter: (query) => backing.recordsAfter(low.data, query),
    countRecords: (filter) => backing.countRecords(low.data, filter),
    blobs: createBlobs(backing.shelf, {
      view: () => engine.view,
      refusal: () => whyNot(engine),
      hasRoom: () => roomOf(engine) === 'enough',
    }),
    health: () => healthOf(engine),
    close: () => {
      engine.closing ??= close(engine);
      return engine.closing;
    },
  };
}

function commit<R>(engine: Engine, transaction: AnyTransaction<R>, id: string): Promise<Receipt<R>> {
  const known = engine.low.data.recent.get(id);
  if (known) {
    const { seq, changes } = known;
    return Promise.resolve({ position: String(seq), changes, records: [], repeated: true });
  }
  const twin = engine.pending.get(id);
  if (twin) return twin.receipt.promise.then(({ result: _, ...receipt }) => ({ ...receipt, repeated: true }));
  const refusal = refusalOf(engine, id);
  if (refusal) return Promise.reject(refusal);
  if (engine.long !== undefined) return engine.long.then(() => commit(engine, transaction, id));
  try {
    const evaluation = evaluate(engine, transaction);
    if (isLong(evaluation)) return commitLong(engine, transaction, id);
    return keep(engine, evaluation, id);
  } catch (error) {
    // What the transaction saw may not be durable yet, and nobody may hear of it before it is.
    return durable(engine, engine.headPosition).then(() => Promise.reject(error));
  }
}

function isLong<R>(
  evaluation: Evaluation<R> | Generator<void, Evaluation<R>, void>,
): evaluation is Generator<void, Evaluation<R>, void> {
  return 'next' in evaluation;
}

/** What it sees stands still until it has ended: nothing is pending, and nothing comes to be. */
async function commitLong<R>(engine: Engine, transaction: AnyTransaction<R>, id: string): Promise<Receipt<R>> {
  const { receipt } = await alone(engine, () => prepareLong(engine, transaction, id));
  return receipt;
}

/** Does work while no transaction is evaluated, once everything before it is durable. */
async function alone<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  const ended = Promise.withResolvers<void>();
  engine.long = ended.promise;
  try {
    await durable(engine, engine.headPosition);
    return await work();
  } finally {
    engine.long = undefined;
    ended.resolve();
  }
}

/** Evaluates, encodes and applies in slices. The receipt comes wrapped, so that others need not wait for it. */
async function prepareLong<R>(
  engine: Engine,
  transaction: AnyTransaction<R>,
  id: string,
): Promise<{ readonly receipt: Promise<Receipt<R>> }> {
  const slicer = createSlicer();
  if (engine.backing.rehearse) await inSlices(evaluationSteps(engine, transaction), slicer);
  const evaluation = await inSlices(evaluationSteps(engine, transaction), slicer);
  const sealed = await inSlices(opsSteps(engine, evaluation), slicer);
  const { ops, records, ...head } = lineOf(engine, evaluation, id, sealed);
  const lists = [['ops', ops] as const, ...(records ? [['records', records] as const] : [])];
  const body = await inSlices(encodeBodySteps(head, lists), slicer);
  const refusal = refusalOf(engine, id);
  if (refusal) throw refusal;
  return { receipt: keep(engine, evaluation, id, body) };
}

function* evaluationSteps<R>(engine: Engine, transaction: AnyTransaction<R>): Generator<void, Evaluation<R>, void> {
  const steps = transaction(viewOf(headOf(engine), engine.headPosition));
  if (!isLong(steps)) return steps;
  for (;;) {
    const step = whileEvaluating(engine, () => steps.next());
    if (step.done) return step.value;
    yield;
  }
}

/** What the journal says of a commit. */
function lineOf({ headPosition, backing }: Engine, { records = [] }: Evaluation, id: string, ops: readonly object[]) {
  return { seq: headPosition + 1, id, at: backing.now(), ops, ...(records.length > 0 && { records }) };
}

/** Encrypting takes its time, too: a long commit does it in steps. */
function* opsSteps(engine: Engine, { changes }: Evaluation): Generator<void, object[], void> {
  const ops: object[] = [];
  for (let at = 0; at < changes.length; at += stepLength) {
    ops.push(...opsOf(engine, changes.slice(at, at + stepLength)));
    yield;
  }
  return ops;
}

function opsOf({ backing }: Engine, changes: Evaluation['changes']): readonly object[] {
  return changes.map(({ kind, id, after }) => (after ? puttingOf(after, backing) : { del: [kind, id] }));
}

const stepLength = 64;

function puttingOf(after: Resource, { seal }: Backing) {
  if (!seal) return { put: after };
  const { row, ...sealed } = seal(after);
  return { put: row, ...sealed };
}

/** Puts what was evaluated on its way to the disk, where there is anything to keep. Throws where the changes make no sense. */
function keep<R>(engine: Engine, evaluation: Evaluation<R>, id: string, body?: Uint8Array): Promise<Receipt<R>> {
  const { changes, records = [], result } = evaluation;
  const before = engine.headPosition;
  if (changes.length === 0 && records.length === 0)
    return durable(engine, before).then(() => ({ position: String(before), changes, records, result }));
  const bytes = body ?? encodeBody(lineOf(engine, evaluation, id, opsOf(engine, changes)));
  try {
    headOf(engine).apply(changes);
  } catch (error) {
    engine.head = undefined;
    throw error;
  }
  const receipt = Promise.withResolvers<Receipt<R>>();
  enqueue(engine, {
    seq: before + 1,
    id,
    changes,
    records,
    body: bytes,
    result,
    receipt: receipt as Pending['receipt'],
  });
  return receipt.promise;
}

/** Evaluates against everything before it, durable or not. */
function evaluate<R>(engine: Engine, transaction: AnyTransaction<R>): ReturnType<AnyTransaction<R>> {
  const view = () => viewOf(headOf(engine), engine.headPosition);
  return whileEvaluating(engine, () => {
    if (engine.backing.rehearse) transaction(view());
    return transaction(view());
  });
}

function whileEvaluating<T>(engine: Engine, work: () => T): T {
  engine.evaluating = true;
  try {
    return work();
  } finally {
    engine.evaluating = false;
  }
}

function headOf(engine: Engine): State {
  engine.head ??= overlay(
    engine.low.data.state,
    [...engine.pending.values()].flatMap((pending) => pending.changes),
  );
  return engine.head;
}

function enqueue(engine: Engine, pending: Pending): void {
  engine.headPosition = pending.seq;
  engine.pending.set(pending.id, pending);
  engine.queue.push(pending);
  engine.flushing ??= flush(engine).finally(() => {
    engine.flushing = undefined;
  });
}

/** Resolves once everything up to a position is durable and shown. */
function durable(engine: Engine, position: number): Promise<void> {
  if (position <= engine.low.data.position) return Promise.resolve();
  const reached = Promise.withResolvers<void>();
  engine.waiters.push({ position, reached });
  return reached.promise;
}

async function reach(engine: Engine, position: string): Promise<PositionedView> {
  const wanted = position === 'head' ? engine.headPosition : Number(position);
  if (!Number.isSafeInteger(wanted) || wanted < 0 || wanted > engine.headPosition)
    throw new RangeError(`position ${position} is not one of this store, which stands at ${engine.headPosition}`);
  await durable(engine, wanted);
  return engine.view;
}

async function close(engine: Engine): Promise<void> {
  engine.closed.abort();
  await engine.long;
  await engine.flushing;
  await engine.backing.close();
}
