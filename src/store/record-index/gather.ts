// Reads a segment of records and notes where the records of each term stand.
import { breathing } from '../breathing.ts';
import type { FileSystem } from '../file-system.ts';
import { type Format, upgradeFrom } from '../format.ts';
import { scanLines } from '../lines.ts';
import type { Times } from '../record-search.ts';
import { type RecordSegment, segmentPath } from '../record-segments.ts';
import { type Block, blockRecords, type Covered, type Term } from './encode.ts';
import { encodeOffsets } from './offsets.ts';
import { keyOf, termsOf } from './terms.ts';

/** Every term of a segment, by its key, with the offsets of its records; what cannot be read has none. */
export interface Gathered {
  readonly covered: Covered;
  readonly offsets: ReadonlyMap<string, readonly number[]>;
}

/** Reads all of it; gives others their turn. Throws what the disk says, and where it is to stop. */
export async function gather(
  files: FileSystem,
  folder: string,
  segment: RecordSegment,
  format: Format,
  signal: AbortSignal,
): Promise<Gathered> {
  const { name, bytes, hash, version } = segment;
  const upgrade = upgradeFrom(format, version, 'records');
  const offsets = new Map<string, number[]>();
  const keys = new Map<string, string>();
  const blocks: Growing[] = [];
  // Many are of the same millisecond.
  let [at, times] = ['', timesOf('')];
  const file = await files.open(segmentPath(folder, segment), 'read');
  try {
    await scanLines(breathing(file, pieceSize), ({ offset, value }) => {
      signal.throwIfAborted();
      if (!value?.record) return;
      const { record } = upgrade(value, 'records');
      for (const term of termsOf(record)) {
        const key = keys.get(term) ?? keyOf(term);
        if (keys.size < rememberedKeys) keys.set(term, key);
        const own = offsets.get(key);
        if (own) own.push(offset);
        else offsets.set(key, [offset]);
      }
      if (record.at !== at) [at, times] = [record.at, timesOf(record.at)];
      count(blocks, offset, times);
    });
  } finally {
    await file.close();
  }
  return { covered: { name, bytes, hash, blocks }, offsets };
}

/** So much of a segment takes about two milliseconds. */
const pieceSize = 1 << 16;

/** Most terms are one record's alone, and need not be remembered. */
const rememberedKeys = 10_000;

/** A block that is not whole yet. */
type Growing = { -readonly [K in keyof Block]: Block[K] };

function count(blocks: Growing[], offset: number, { oldest, newest }: Times): void {
  const last = blocks.at(-1);
  if (!last || last.count >= blockRecords) {
    blocks.push({ offset, count: 1, oldest, newest });
    return;
  }
  last.count += 1;
  if (oldest < last.oldest) last.oldest = oldest;
  if (newest > last.newest) last.newest = newest;
}

/** When a record was made; any time, where that cannot be told. */
function timesOf(at: string): Times {
  const time = Date.parse(at);
  const [oldest, newest] = time >= 0 && time <= lastTime ? [time, time] : [0, lastTime];
  return { oldest: new Date(oldest).toISOString(), newest: new Date(newest).toISOString() };
}

/** The last that a year of four digits has, in milliseconds since 1970. */
const lastTime = 253_402_300_799_999;

/** The terms in the order of their keys, a few of which are put in order at a time. */
export function* inOrder({ offsets }: Gathered): Generator<Term> {
  const buckets = new Map<string, string[]>();
  for (const key of offsets.keys()) {
    const own = buckets.get(key.slice(0, 1));
    if (own) own.push(key);
    else buckets.set(key.slice(0, 1), [key]);
  }
  for (const bucket of [...buckets.keys()].sort())
    for (const key of buckets.get(bucket)?.sort() ?? []) {
      const own = offsets.get(key) ?? [];
      yield { key, parts: [{ segment: 0, count: own.length, list: encodeOffsets(own) }] };
    }
}
