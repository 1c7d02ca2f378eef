// Gives one target the audit log: in order, each entry at least once, tried until it is taken, in its own time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditTargetStanding } from '../../control/audit-delivered.ts';
import { messageOf } from '../../lib/message-of.ts';
import { type Batch, batchOf, halfOf, lastOf } from './batch.ts';
import { type Desk, targetIn } from './desk.ts';
import { type Progress, progressOf } from './progress.ts';
import type { Put, Sink } from './sink.ts';

/** A target, and what is known of it. */
export interface Teller {
  readonly desk: Desk;
  readonly name: string;
  readonly progress: Progress;
  readonly sink: Sink;
  /** How many entries wait, and since when the first of them does. */
  waiting: number;
  oldest: string | undefined;
  failing: AuditTargetStanding['failing'];
  /** Tries since the last that was taken. */
  failures: number;
  /** What was tried in vain: it is tried again as it is. */
  batch: Batch | undefined;
  /** How many entries it takes at once, as far as that is known. */
  most: number;
  /** Whether it is known where to go on from. */
  hasBegun: boolean;
  /** Ends the wait for something to tell. */
  wake: () => void;
  /** Aborted, and a new one made, when what is declared changes: then no pause is waited for any longer. */
  changed: AbortController;
}

/** Nothing is begun before `work`. */
export function tellerOf(desk: Desk, name: string, sinkOf: (progress: Progress) => Sink): Teller {
  const progress = progressOf(desk, name);
  return {
    ...{ desk, name, progress, sink: sinkOf(progress) },
    ...{ waiting: 0, oldest: undefined, failing: undefined, failures: 0, batch: undefined },
    ...{ most: desk.batch.entries, hasBegun: false },
    ...{ wake: () => {}, changed: new AbortController() },
  };
}

/** Entries were made just now. */
export function hear(teller: Teller, entries: readonly { readonly at: string }[]): void {
  if (teller.waiting === 0) teller.oldest = entries[0]?.at;
  teller.waiting += entries.length;
  teller.wake();
}

/** How a target stands. */
export function standingOf({ name, waiting, oldest, failing, progress }: Teller): AuditTargetStanding {
  return { target: name, waiting, oldest: waiting > 0 ? oldest : undefined, failing, dropped: progress.dropped() };
}

/** Until the target is declared no more, or Weir stops. Never rejects. */
export async function work(teller: Teller): Promise<void> {
  while (isWanted(teller)) {
    const woken = somethingNew(teller);
    const { signal } = teller.changed;
    const outcome = await step(teller);
    if (outcome === 'nothing') await woken;
    else if (outcome !== 'again') await pause(teller, outcome, signal);
  }
  await teller.sink.close();
  await teller.progress.save();
}

function isWanted({ desk, name }: Teller): boolean {
  return !desk.closing.signal.aborted && targetIn(desk, name) !== undefined;
}

function somethingNew(teller: Teller): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  teller.wake = resolve;
  return promise;
}

/** A new target begins with what comes from now on, and that is kept at once: a crash must not move it. */
async function begin(teller: Teller): Promise<void> {
  const { desk, progress } = teller;
  if (progress.place() !== undefined) return passOver(teller);
  const { place } = await desk.door.store.recordsAfter({ stream: 'audit', limit: 1 });
  progress.reached(place, 0);
  await progress.save();
}

const [passedAtOnce, passedAtMost] = [500, 10_000];

/** What the target has already is not told again where it can be known: a crash comes between a delivery and its being kept. */
async function passOver({ desk, progress, sink }: Teller): Promise<void> {
  const newest = await sink.newest();
  let after = progress.place();
  let lost = 0;
  for (let passed = 0; newest !== undefined && after !== undefined && passed < passedAtMost; passed += passedAtOnce) {
    const page = await desk.door.store.recordsAfter({ stream: 'audit', after, limit: passedAtOnce });
    lost += page.lost;
    const there = page.records.find(({ record }) => record.id === newest);
    if (there) {
      progress.missed(lost);
      progress.reached(there.place, 0);
    }
    if (there || page.records.length < passedAtOnce) return;
    after = page.place;
  }
}

type Later = Extract<Put, { readonly came: 'later' }>;

/** Reads what is next, and has it put. `nothing`: there is nothing more. */
async function step(teller: Teller): Promise<Later | 'nothing' | 'again'> {
  try {
    if (!teller.hasBegun) await begin(teller);
    teller.hasBegun = true;
    teller.batch ??= await nextBatch(teller);
  } catch (error) {
    return { came: 'later', reason: `the audit log cannot be read: ${messageOf(error)}` };
  }
  if (!teller.batch) return 'nothing';
  const put = await teller.sink.put(teller.batch);
  if (put.came === 'taken') return taken(teller, teller.batch);
  if (!put.isTooLarge || teller.batch.length === 1) return put;
  teller.batch = halfOf(teller.batch);
  teller.most = teller.batch.length;
  return 'again';
}

function taken(teller: Teller, batch: Batch): 'again' {
  const { desk, progress } = teller;
  if (teller.failing) desk.log('info', `${teller.name} takes the audit log again`);
  teller.batch = undefined;
  teller.failing = undefined;
  teller.failures = 0;
  teller.waiting = Math.max(0, teller.waiting - batch.length);
  progress.reached(lastOf(batch).place, batch.length);
  return 'again';
}

async function nextBatch(teller: Teller): Promise<Batch | undefined> {
  const { desk, progress, name } = teller;
  const after = progress.place();
  const query = { stream: 'audit', limit: Math.min(teller.most, desk.batch.entries) } as const;
  const page = await desk.door.store.recordsAfter(after === undefined ? query : { ...query, after });
  const batch = batchOf(page, desk.batch);
  if (page.lost > 0) {
    const what = `${page.lost} entries of the audit log`;
    desk.log('error', `${what} will never come to ${name}: they were gone, or damaged, before they were delivered`);
    progress.missed(page.lost);
    if (!batch) progress.reached(page.place, 0);
  }
  teller.waiting = page.waiting + page.records.length;
  teller.oldest = page.records[0]?.record.at;
  return batch;
}

/** Waits for the next try. */
async function pause(teller: Teller, { reason, afterMs = 0 }: Later, changed: AbortSignal): Promise<void> {
  const { desk, name } = teller;
  if (desk.closing.signal.aborted) return;
  teller.failing = { since: teller.failing?.since ?? desk.clock(), reason };
  teller.failures += 1;
  const step = desk.retryMs[Math.min(teller.failures, desk.retryMs.length) - 1] ?? 0;
  // Not all servers that one receiver failed shall come back at once.
  const wait = Math.max(step * (1 + Math.random() / 5), afterMs);
  const when = `next try in ${(wait / 1000).toFixed(1)} s`;
  desk.log('warn', `the audit log could not be delivered to ${name} yet, because ${reason}; ${when}`);
  await sleep(wait, undefined, { signal: AbortSignal.any([changed, desk.closing.signal]) }).catch(() => {});
}
