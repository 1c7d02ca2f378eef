// The in-memory engine: all that a store promises but to outlive its process. For tests, and for planning without a store.
import { type Adapter, Low } from 'lowdb';
import { systemClock } from '../lib/clock.ts';
import { memoryShelf } from './blobs.ts';
import { streams } from './chain.ts';
import { createEngine } from './engine.ts';
import { nothingDropped } from './ledger.ts';
import { emptyLog, type Log, type TailRecord } from './log.ts';
import { readOnward } from './onward.ts';
import { type Found, isWhole, searchFor, take, tally } from './record-search.ts';
import { tailNewestFirst } from './records.ts';
import type { Store, StoreRecord } from './store.ts';

/** `rehearse`: evaluates each transaction twice, to find one that is not pure. `log`: told what nobody asked for (default: stderr). */
export interface MemoryStoreOptions {
  readonly rehearse?: boolean;
  readonly log?: (message: string) => void;
}

/** An empty store in memory. It keeps the newest 20 000 records of each stream, or up to twice as many. */
export function openMemoryStore(options: MemoryStoreOptions = {}): Store {
  const gone = { ...nothingDropped };
  return createEngine(new Low(memoryAdapter(20_000, gone), emptyLog()), {
    records: async ({ tail }, query) => {
      const page = await take(foundIn(tail[query.stream]), searchFor(query), query.limit);
      return page.map(({ record }) => record);
    },
    recordsAfter: (log, query) =>
      readOnward(
        log,
        () => ({ segments: [], gone }),
        async () => undefined,
        query,
      ),
    countRecords: async ({ tail }, filter) =>
      isWhole(filter) ? tail[filter.stream].length : tally(foundIn(tail[filter.stream]), searchFor(filter)),
    close: async () => {},
    shelf: memoryShelf(),
    log: options.log ?? ((message) => process.stderr.write(`${message}\n`)),
    now: systemClock(),
    rehearse: options.rehearse ?? false,
  });
}

function* foundIn(tail: readonly TailRecord[]): Generator<Found> {
  for (const record of tailNewestFirst(tail)) yield { record };
}

function memoryAdapter(records: number, gone: Record<StoreRecord['stream'], number>): Adapter<Log> {
  return {
    read: async () => null,
    write: async (log) => {
      for (const stream of streams)
        if (log.tail[stream].length > 2 * records) {
          const first = beginningBefore(log.tail[stream], log.tail[stream].length - records);
          log.tail[stream] = log.tail[stream].slice(first);
          gone[stream] += first;
        }
    },
  };
}

/** Where the records of the commit begin that has the one at `index`: a commit is not parted. */
function beginningBefore(tail: readonly TailRecord[], index: number): number {
  let first = index;
  while (first > 0 && tail[first - 1]?.seq === tail[first]?.seq) first -= 1;
  return first;
}
