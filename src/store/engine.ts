// What all embedded engines share: commits one after another, made durable in groups, shown only once they are.
import type { Low } from 'lowdb';
import { overlay } from '../core/model/overlay.ts';
import type { State } from '../core/model/state.ts';
import { createBlobs } from './blobs.ts';
import { type Backing, type Engine, type Pending, viewOf } from './engine-state.ts';
import { flush } from './flush.ts';
import { encodeBody } from './lines.ts';
import type { Log } from './log.ts';
import {
  type Entry,
  type Evaluation,
  NotKept,
  OutcomeUnknown,
  type PositionedView,
  type Receipt,
  type Store,
  type Transaction,
} from './store.ts';

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
    countRecords: (filter) => backing.countRecords(low.data, filter),
    blobs: createBlobs(backing.shelf, { view: () => engine.view, refusal: () => whyNot(engine) }),
    health: () => healthOf(engine),
    close: () => {
      engine.closing ??= close(engine);
      return engine.closing;
    },
  };
}

function commit(engine: Engine, transaction: Transaction, id: string): Promise<Receipt> {
  const known = engine.low.data.recent.get(id);
  if (known) return Promise.resolve({ position: String(known.seq), changes: known.changes, repeated: true });
  const twin = engine.pending.get(id);
  if (twin) return twin.receipt.promise.then((receipt) => ({ ...receipt, repeated: true }));
  const refusal = refusalOf(engine, id);
  if (refusal) return Promise.reject(refusal);
  try {
    const pending = prepare(engine, transaction, id);
    if (pending) return enqueue(engine, pending);
  } catch (error) {
    // What the transaction saw may not be durable yet, and nobody may hear of it before it is.
    return durable(engine, engine.headPosition).then(() => Promise.reject(error));
  }
  const position = engine.headPosition;
  return durable(engine, position).then(() => ({ position: String(position), changes: [] }));
}

function refusalOf(engine: Engine, id: string): Error | undefined {
  if (engine.evaluating) return new Error('a transaction cannot commit: it has to be pure');
  if (engine.unknown.has(id)) return new OutcomeUnknown(`it is not known whether ${id} was kept: ${engine.failure}`);
  const why = whyNot(engine);
  return why === undefined ? undefined : new NotKept(why);
}

/** Why nothing is written any more; nothing where it is. */
function whyNot({ closing, failure }: Engine): string | undefined {
  if (closing !== undefined) return 'the store is closed';
  return failure === undefined ? undefined : `the store is read-only: ${failure}`;
}

/** Evaluates against everything before it, durable or not; nothing where nothing is to be kept. */
function prepare(engine: Engine, transaction: Transaction, id: string): Pending | undefined {
  const { changes, records = [] } = evaluate(engine, transaction);
  if (changes.length === 0 && records.length === 0) return undefined;
  const seq = engine.headPosition + 1;
  const ops = changes.map((change) => (change.after ? { put: change.after } : { del: [change.kind, change.id] }));
  const body = encodeBody({ seq, id, at: engine.backing.now(), ops, ...(records.length > 0 && { records }) });
  try {
    headOf(engine).apply(changes);
  } catch (error) {
    engine.head = undefined;
    throw error;
  }
  return { seq, id, changes, records, body, receipt: Promise.withResolvers() };
}

function evaluate(engine: Engine, transaction: Transaction): Evaluation {
  engine.evaluating = true;
  try {
    if (engine.backing.rehearse) transaction(viewOf(headOf(engine), engine.headPosition));
    return transaction(viewOf(headOf(engine), engine.headPosition));
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

function enqueue(engine: Engine, pending: Pending): Promise<Receipt> {
  engine.headPosition = pending.seq;
  engine.pending.set(pending.id, pending);
  engine.queue.push(pending);
  engine.flushing ??= flush(engine).finally(() => {
    engine.flushing = undefined;
  });
  return pending.receipt.promise;
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

function healthOf(engine: Engine): ReturnType<Store['health']> {
  const { backing, closing, failure, view } = engine;
  const journalBytes = backing.journalBytes?.();
  const common = { position: view.position, ...(journalBytes === undefined ? {} : { journalBytes }) };
  if (closing !== undefined) return { state: 'closed', ...common };
  return failure === undefined ? { state: 'ready', ...common } : { state: 'read-only', reason: failure, ...common };
}

async function close(engine: Engine): Promise<void> {
  engine.closed.abort();
  await engine.flushing;
  await engine.backing.close();
}
