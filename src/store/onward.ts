// Reads the records of a stream onward from a place: in the segments first, then in memory. What it costs grows with what it answers.
import type { Log, TailRecord } from './log.ts';
import { before, behind, type OnwardPlace, placeOf, placeText } from './onward-place.ts';
import type { RecordSegment } from './record-segments.ts';
import type { Onward, OnwardQuery, StoreRecord } from './store.ts';

/** What stands where, as it is at the moment: the segments of all streams, and how many records of each retention has dropped. */
export interface Standing {
  readonly segments: readonly RecordSegment[];
  readonly gone: Readonly<Record<StoreRecord['stream'], number>>;
}

/** What a segment has from a place on. Nothing at all where the file is gone. */
export type ReadSegment = (
  segment: RecordSegment,
  place: OnwardPlace,
  limit: number,
) => Promise<readonly OnwardLine[] | undefined>;

/** A record of a commit; none where the line cannot be read. */
export interface OnwardLine {
  readonly seq: number;
  readonly record: StoreRecord | undefined;
}

/** What was read so far. */
interface Reading {
  place: OnwardPlace;
  lost: number;
  readonly records: Onward['records'][number][];
}

/** Reads on. `standing` is asked again where retention drops a segment while it is about to be read. */
export async function readOnward(
  log: Log,
  standing: () => Standing,
  readSegment: ReadSegment,
  { stream, after, limit }: OnwardQuery,
): Promise<Onward> {
  const total = () => countOf(standing(), stream) + log.tail[stream].length;
  const place = after === undefined ? before(log.position + 1, total()) : placeOf(after, log.position);
  const reading: Reading = { place, lost: 0, records: [] };
  while (reading.records.length < limit) {
    const next = nextSegment(standing(), stream, reading.place);
    if (!next) break;
    await readFrom(next, reading, readSegment, limit, () => standing().segments.includes(next.segment));
  }
  // Nothing is waited for from here on, so that all of it is of one moment.
  if (reading.records.length < limit) readTail(log.tail[stream], countOf(standing(), stream), reading, limit);
  const { records, lost } = reading;
  const waiting = Math.max(0, total() - reading.place.count);
  return { records, lost, waiting, place: placeText(reading.place) };
}

/** How many records of a stream have ever left memory. */
function countOf({ segments, gone }: Standing, stream: StoreRecord['stream']): number {
  return segments.reduce((sum, segment) => (segment.stream === stream ? sum + segment.count : sum), gone[stream]);
}

interface Next {
  readonly segment: RecordSegment;
  /** How many records of the stream come before it. */
  readonly count: number;
}

/** The first segment that may have something behind a place. */
function nextSegment(
  { segments, gone }: Standing,
  stream: StoreRecord['stream'],
  place: OnwardPlace,
): Next | undefined {
  let count = gone[stream];
  for (const segment of segments) {
    if (segment.stream !== stream) continue;
    if (segment.last >= place.seq) return { segment, count };
    count += segment.count;
  }
  return undefined;
}

async function readFrom(
  { segment, count }: Next,
  reading: Reading,
  readSegment: ReadSegment,
  limit: number,
  isThere: () => boolean,
): Promise<void> {
  if (reading.place.seq < segment.first) comeTo(reading, before(segment.first, count));
  const most = limit - reading.records.length;
  const found = await readSegment(segment, reading.place, most);
  if (!found && !isThere()) return;
  for (const one of found ?? []) add(reading, one.seq, one.record);
  // The end of it was reached: what its first line counts, and nobody has seen, cannot be read.
  if ((found?.length ?? 0) < most) comeTo(reading, before(segment.last + 1, count + segment.count));
}

/** Goes on to a place further on. What stood between them was dropped, or cannot be read. */
function comeTo(reading: Reading, place: OnwardPlace): void {
  reading.lost += Math.max(0, place.count - reading.place.count);
  reading.place = place;
}

function add(reading: Reading, seq: number, record: StoreRecord | undefined): void {
  reading.place = behind(reading.place, seq);
  if (record) reading.records.push({ record, place: placeText(reading.place) });
  else reading.lost += 1;
}

function readTail(tail: readonly TailRecord[], count: number, reading: Reading, limit: number): void {
  const { seq, nth } = reading.place;
  const first = firstFrom(tail, seq);
  const start = tail[first]?.seq === seq ? Math.min(first + nth, firstFrom(tail, seq + 1)) : first;
  // How many come before it is known for sure here, whatever was counted on the way.
  comeTo(reading, { ...reading.place, count: count + start });
  for (const { seq: own, record } of tail.slice(start, start + limit - reading.records.length))
    add(reading, own, record);
}

/** Where the records from a commit on begin. */
function firstFrom(tail: readonly TailRecord[], seq: number): number {
  let [low, high] = [0, tail.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tail[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
