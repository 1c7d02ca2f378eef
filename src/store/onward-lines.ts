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
    for await (const { line, seq } of linesBehind(file, place, places.get(key(place)))) {
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

/** The lines of records behind a place, with their commits; `known` is the byte where they begin, where that is known. */
async function* linesBehind(
  file: OpenFile,
  { seq, nth }: OnwardPlace,
  known: number | undefined,
): AsyncGenerator<{ readonly line: Line; readonly seq: number }> {
  const start = known ?? (await offsetOf(file, await file.size(), seq));
  // One that cannot be read is of the commit before it, as far as anybody knows.
  let last = known === undefined ? 0 : seq;
  let skip = known === undefined ? nth : 0;
  for await (const line of scanOnward(file, start)) {
    if (line.value?.weir === 'records' || line.value?.end) continue;
    last = line.value?.seq ?? last;
    if (last < seq) continue;
    if (last === seq && skip > 0) skip -= 1;
    else yield { line, seq: last };
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
