// Reads a segment of records onward from a place: its beginning is sought by halves, and the last places are remembered.
import { putNewest } from '../lib/put-newest.ts';
import { codeOf, type FileSystem, type OpenFile, wordsOf } from './file-system.ts';
import { type Format, upgradeFrom } from './format.ts';
import { type Line, scanOnward } from './lines.ts';
import type { OnwardLine, ReadSegment } from './onward.ts';
import { behind, type OnwardPlace, placeText } from './onward-place.ts';
import { type RecordSegment, segmentPath } from './record-segments.ts';
import type { RecordWatch } from './record-watch.ts';

/** Reads the segments in a folder, and has them watched. */
export function onwardLines(
  files: FileSystem,
  folder: string,
  log: (message: string) => void,
  format: Format,
  watch: RecordWatch,
): ReadSegment {
  /** The byte at which the record behind a place begins. A commit may have very many: they are not to be counted again for each page. */
  const places = new Map<string, number>();
  return async (segment, place, limit) => {
    const path = segmentPath(folder, segment);
    watch.met(segment);
    try {
      const file = await files.open(path, 'read');
      try {
        return await read(file, path, segment, place, limit);
      } finally {
        await file.close();
      }
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw new Error(`${path} cannot be read: ${wordsOf(error)}`, { cause: error });
    }
  };

  async function read(
    file: OpenFile,
    path: string,
    segment: RecordSegment,
    place: OnwardPlace,
    limit: number,
  ): Promise<OnwardLine[]> {
    const key = (at: OnwardPlace) => `${segment.name} ${placeText(at)}`;
    const upgrade = upgradeFrom(format, segment.version, 'records');
    const found: OnwardLine[] = [];
    let at = place;
    for await (const { line, seq } of linesBehind(file, segment, place, places.get(key(place)))) {
      const { value, offset, end } = line;
      if (value === undefined) {
        log(`${path}: the line at byte ${offset} is damaged; it is left out`);
        watch.suspect(segment);
      }
      found.push({ seq, record: value?.record ? upgrade(value, 'records').record : undefined });
      at = behind(at, seq);
      if (found.length < limit) continue;
      putNewest(places, key(at), end, 256);
      break;
    }
    return found;
  }
}

/** The line of a record, and its commit; one that cannot be read is of the commit before it, as far as anybody knows. */
interface RecordLine {
  readonly line: Line;
  readonly seq: number;
}

/** The lines of records behind a place; `known` is the byte where they begin, where that is known. */
async function* linesBehind(
  file: OpenFile,
  { first }: RecordSegment,
  { seq, nth }: OnwardPlace,
  known: number | undefined,
): AsyncGenerator<RecordLine> {
  if (known !== undefined) {
    yield* recordLines(file, known, seq);
    return;
  }
  let skip = nth;
  const isStart = seq <= first && nth === 0;
  for await (const one of recordLines(file, await offsetOf(file, await file.size(), seq), isStart ? seq : 0)) {
    if (one.seq > seq || (one.seq === seq && skip === 0)) yield one;
    else if (one.seq === seq) skip -= 1;
  }
}

/** The lines of records from a byte on, before which the commit `before` comes. */
async function* recordLines(file: OpenFile, offset: number, before: number): AsyncGenerator<RecordLine> {
  let seq = before;
  for await (const line of scanOnward(file, offset)) {
    if (line.offset === 0 || line.value?.end) continue;
    seq = line.value?.seq ?? seq;
    yield { line, seq };
  }
}

/** Closer than this, in bytes, lines are read one after another. */
const nearBytes = 1 << 15;

/** Where a line begins before which all are of commits before `seq`: as near to the first that is not as it is worth while. */
async function offsetOf(file: OpenFile, size: number, seq: number): Promise<number> {
  let [low, high] = [0, size];
  while (high - low > nearBytes) {
    const middle = (low + high) >> 1;
    const line = await firstBehind(file, middle, high);
    if (line && line.value.seq < seq) low = line.offset;
    else high = middle;
  }
  return low;
}

/** The first line that begins behind a byte, and before another, and says of which commit it is. */
async function firstBehind(file: OpenFile, middle: number, high: number): Promise<Line | undefined> {
  for await (const line of scanOnward(file, middle)) {
    if (line.offset >= high) return undefined;
    // The first one begins in the middle of a line, most likely.
    if (line.offset > middle && typeof line.value?.seq === 'number' && line.value.record) return line;
  }
  return undefined;
}
