// The hash chain over the records of a stream: each link holds the one before it, so that the last tells of all that was ever written.
import { createHash, hash } from 'node:crypto';
import type { StoreRecord } from './store.ts';

/** The streams of records. */
export const streams = ['history', 'audit'] as const satisfies readonly StoreRecord['stream'][];

/** The last link of each stream: SHA-256 in hexadecimal. */
export type Heads = Readonly<Record<StoreRecord['stream'], string>>;

/** What the first record of a stream goes on from. */
export const genesis = '0'.repeat(64);

/** The heads of streams that have no record yet. */
export const noHeads: Heads = { history: genesis, audit: genesis };

/** What a link is made over, and what stands in the line of a segment behind its checksum: `"seq":1,"record":{…}}`. */
export function bodyOf(seq: number, record: StoreRecord): string {
  return JSON.stringify({ seq, record }).slice(1);
}

/** The link that follows another: SHA-256 of that one (in hexadecimal) and of the record's body. */
export function link(previous: string, body: string): string {
  return hash('sha256', previous + body);
}

/** The same of a body that is bytes of a file. */
export function linkOfBytes(previous: string, body: Uint8Array): string {
  return createHash('sha256').update(previous).update(body).digest('hex');
}

/** The heads once the records of a commit are in the chain. */
export function advance(heads: Heads, seq: number, records: readonly StoreRecord[]): Heads {
  let next = heads;
  for (const record of records) next = { ...next, [record.stream]: link(next[record.stream], bodyOf(seq, record)) };
  return next;
}

/** The heads that some records have moved, as the line of their commit holds them. */
export function movedHeads(heads: Heads, records: readonly StoreRecord[]): Partial<Heads> {
  return Object.fromEntries(
    streams
      .filter((stream) => records.some((record) => record.stream === stream))
      .map((stream) => [stream, heads[stream]]),
  );
}
