// The in-memory engine: all that a store promises but to outlive its process. For tests, and for planning without a store.
import { type Adapter, Low } from 'lowdb';
import { createEngine } from './engine.ts';
import { emptyLog, type Log } from './log.ts';
import { selectRecords, tailNewestFirst } from './records.ts';
import type { Store } from './store.ts';

/** `rehearse`: evaluates each transaction twice, to find one that is not pure. `log`: told what nobody asked for (default: stderr). */
export interface MemoryStoreOptions {
  readonly rehearse?: boolean;
  readonly log?: (message: string) => void;
}

/** An empty store in memory. It keeps its newest 20 000 records, or up to twice as many. */
export function openMemoryStore(options: MemoryStoreOptions = {}): Store {
  return createEngine(new Low(memoryAdapter(20_000), emptyLog()), {
    records: (log, query) => selectRecords(tailNewestFirst(log.tail, query.stream), query),
    close: async () => {},
    log: options.log ?? ((message) => process.stderr.write(`${message}\n`)),
    now: () => new Date().toISOString(),
    rehearse: options.rehearse ?? false,
  });
}

function memoryAdapter(records: number): Adapter<Log> {
  return {
    read: async () => null,
    write: async (log) => {
      if (log.tail.length > 2 * records) log.tail = log.tail.slice(-records);
    },
  };
}
