// From evaluated to durable: groups of commits are written, then shown, told and answered.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Engine, NotWritten, type Pending, viewOf, type Waiter, WriteFailed } from './engine-state.ts';
import { wordsOf } from './file-system.ts';
import { LostBehind, LostFooting } from './footing.ts';
import { type Entry, NotKept, OutcomeUnknown } from './store.ts';

/** Makes all that is queued durable, group by group, and shows each group once it is. Never rejects. */
export async function flush(engine: Engine): Promise<void> {
  const log = engine.low.data;
  // A turn later, so that all who were woken by the group before are in the next.
  for (await nextTurn(); engine.queue.length > 0; await nextTurn()) {
    const group = takeGroup(engine);
    log.waiting = group;
    try {
      await engine.low.write();
    } catch (error) {
      // Whoever asks again at once is in the next group.
      if (error instanceof NotWritten || error instanceof LostFooting) {
        refuse(engine, group, error.message);
        continue;
      }
      if (error instanceof LostBehind) {
        doubt(engine, group, error.message);
        continue;
      }
      fail(engine, group, error);
      return;
    }
    // What nobody knew of was cut off before this was written.
    engine.unknown.clear();
    publish(engine, group);
  }
}

/** As many as can be shown at once without a stall; at least one. */
function takeGroup(engine: Engine): Pending[] {
  let changes = 0;
  let bytes = 0;
  let count = 0;
  for (const pending of engine.queue) {
    changes += pending.changes.length;
    bytes += pending.body.length;
    if (count > 0 && (changes > 1000 || bytes > 1 << 20)) break;
    count += 1;
  }
  return engine.queue.splice(0, count);
}

function publish(engine: Engine, group: readonly Pending[]): void {
  const log = engine.low.data;
  for (const { seq, id, changes, records } of group) {
    log.state.apply(changes);
    log.recent.add(id, { seq, changes });
    for (const record of records) log.tail[record.stream].push({ seq, record });
    log.position = seq;
    engine.pending.delete(id);
  }
  // A map that lives long leaves tables behind it, which hold what was in them until all garbage is looked through.
  if (engine.pending.size === 0) engine.pending = new Map();
  log.waiting = [];
  engine.head = undefined;
  engine.view = viewOf(log.state, log.position);
  for (const { seq, id, changes, records } of group) tell(engine, { position: String(seq), id, changes, records });
  for (const { seq, changes, records, result, receipt } of group)
    receipt.resolve({ position: String(seq), changes, records, result });
  const [done, left] = [[] as Waiter[], [] as Waiter[]];
  for (const waiter of engine.waiters) (waiter.position <= log.position ? done : left).push(waiter);
  engine.waiters = left;
  for (const waiter of done) waiter.reached.resolve();
}

function tell(engine: Engine, entry: Entry): void {
  for (const listener of [...engine.listeners]) {
    try {
      listener(entry);
    } catch (error) {
      engine.backing.log(`a subscriber failed at position ${entry.position}: ${wordsOf(error)}`);
    }
  }
}

/** Nothing of the group is on the disk, nor of what was evaluated on top of it: whoever asked may ask again, and finds a store that works. */
function refuse(engine: Engine, group: readonly Pending[], why: string): void {
  for (const { id, receipt } of group) receipt.reject(refusalFor(engine, id, why));
  rejectWaiting(engine, why);
}

/** The group is on the disk, where nobody finds it now: it is there again with the folder, unless something else is written first. */
function doubt(engine: Engine, group: readonly Pending[], why: string): void {
  for (const { id } of group) engine.unknown.add(id);
  refuse(engine, group, why);
}

/** A failed sync is final: after it nobody knows what a descriptor holds, and trying again can report success for lost bytes. */
function fail(engine: Engine, group: readonly Pending[], error: unknown): void {
  const reached = !(error instanceof WriteFailed) || error.reached;
  engine.failure = `writing to the disk failed (${wordsOf(error)}); start again once the disk is well`;
  engine.backing.log(`the store is read-only from now on: ${engine.failure}`);
  if (reached) doubt(engine, group, engine.failure);
  else refuse(engine, group, engine.failure);
  engine.backing.onFailure?.(engine.failure);
}

function refusalFor({ unknown }: Engine, id: string, why: string): Error {
  return unknown.has(id)
    ? new OutcomeUnknown(`it is not known whether ${id} was kept: ${why}`)
    : new NotKept(`nothing was kept: ${why}`);
}

/** Takes back whatever is not durable. */
function rejectWaiting(engine: Engine, why: string): void {
  for (const { id, receipt } of engine.queue) receipt.reject(refusalFor(engine, id, why));
  for (const waiter of engine.waiters) waiter.reached.reject(new NotKept(`nothing was kept: ${why}`));
  engine.queue = [];
  engine.waiters = [];
  engine.pending.clear();
  engine.head = undefined;
  engine.headPosition = engine.low.data.position;
  engine.low.data.waiting = [];
}
