// The ledger of record segments: what a snapshot lists of them, so that one which is gone, cut or none of the store's own is known at the next start.
import { genesis, type Heads } from './chain.ts';
import type { Damage } from './damage.ts';
import type { Passing } from './passing.ts';
import { type RecordSegment, segmentPath } from './record-segments.ts';
import type { StoreRecord } from './store.ts';

/** What a snapshot says of the records that have left the journal. */
export interface Ledger {
  /** The chain up to the commit of the snapshot. */
  readonly heads: Heads;
  /** The last commit whose records retention has dropped, by stream: an older segment may be there still, and is not missed. */
  readonly dropped: Dropped;
  /** How many records it has dropped since that is counted; absent in a snapshot that was written before. */
  readonly gone?: Dropped | undefined;
  readonly passing?: Passing | undefined;
  /** Oldest first. */
  readonly segments: readonly RecordSegment[];
}

export type Dropped = Readonly<Record<StoreRecord['stream'], number>>;

/** Nothing was dropped. */
export const nothingDropped: Dropped = { history: 0, audit: 0 };

/** What has become of each stream at a commit: the chain and the number of the commit, in order. */
export type Trail = Readonly<Record<StoreRecord['stream'], readonly { readonly seq: number; readonly hash: string }[]>>;

/** What stands in the folder, beside what should. */
export interface Inventory {
  /** Those that count, oldest first, as they should be. */
  readonly segments: readonly RecordSegment[];
  /** Those that retention has dropped, and that are to be removed. */
  readonly retired: readonly string[];
  readonly damage: readonly Damage[];
}

/** What was there before the journal that was read, and what that journal tells. */
export interface Known {
  readonly ledger: Ledger | undefined;
  /** The commit of the snapshot, and the last one. */
  readonly base: number;
  readonly position: number;
  readonly trail: Trail;
}

/** The lines of a snapshot that hold a ledger. */
export function* ledgerLines({ heads, dropped, gone, passing, segments }: Ledger): Generator<object> {
  yield { ledger: { heads, dropped, ...(gone && { gone }), ...(passing && { passing }) } };
  for (let at = 0; at < segments.length; at += 200) yield { segments: segments.slice(at, at + 200) };
}

/** Compares the segments in a folder with the ledger, and with the journal from there on. */
export function takeInventory(folder: string, found: readonly RecordSegment[], known: Known): Inventory {
  const damage: Damage[] = [];
  const tell = (name: string, offset: number, why: string) =>
    void damage.push({ path: segmentPath(folder, { name }), offset, why });
  const segments = listedThere(found, known.ledger?.segments ?? [], tell);
  const retired: string[] = [];
  const names = new Set(known.ledger?.segments.map(({ name }) => name));
  for (const segment of found.filter(({ name }) => !names.has(name))) {
    const { name, stream, last } = segment;
    if (known.ledger && last <= known.ledger.dropped[stream]) retired.push(name);
    else if (isNewer(segment, segments, known)) segments.push(asJournalTells(segment, known));
    else tell(name, 0, 'the store has not written it: its records are not shown');
  }
  return { segments, retired, damage };
}

function listedThere(
  found: readonly RecordSegment[],
  listed: readonly RecordSegment[],
  tell: (name: string, offset: number, why: string) => void,
): RecordSegment[] {
  const sizes = new Map(found.map(({ name, bytes }) => [name, bytes]));
  const there: RecordSegment[] = [];
  for (const segment of listed) {
    const { name, bytes, count } = segment;
    const size = sizes.get(name);
    if (size === undefined) tell(name, 0, `the file is missing, with ${count} records`);
    else there.push(segment);
    if (size !== undefined && size !== bytes)
      tell(name, Math.min(size, bytes), `it has ${size} bytes instead of ${bytes}`);
  }
  return there;
}

/** Whether a segment that is not listed was written since the snapshot. */
function isNewer({ stream, first, last }: RecordSegment, before: readonly RecordSegment[], known: Known): boolean {
  const end = before.findLast((other) => other.stream === stream)?.last ?? 0;
  return first > Math.max(end, known.ledger ? known.base : 0) && last <= known.position;
}

/** The last commit whose records of a stream are in no chain, because they left the journal before there was one. */
export function unchainedUpTo(found: readonly RecordSegment[], stream: StoreRecord['stream']): number {
  return found.reduce(
    (most, { stream: own, from, last }) => (own === stream && from === undefined ? Math.max(most, last) : most),
    0,
  );
}

/** A segment that was written since the snapshot: the journal still holds what should be in it. */
function asJournalTells(segment: RecordSegment, { trail, ledger }: Known): RecordSegment {
  const { stream, first, last } = segment;
  const own = trail[stream].filter(({ seq }) => seq >= first && seq <= last);
  const hash = own.at(-1)?.hash;
  // One of an older format, whose records are in no chain.
  if (hash === undefined) return segment;
  const before = trail[stream].findLast(({ seq }) => seq < first)?.hash;
  return { ...segment, count: own.length, hash, from: before ?? ledger?.heads[stream] ?? genesis };
}
