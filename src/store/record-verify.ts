// Reads a segment of records from its first byte to its last, and holds it to the chain, or to the SHA-256 that it had when the chain began.
import { createHash, type Hash } from 'node:crypto';
import { breathing } from './breathing.ts';
import { genesis, linkOfBytes } from './chain.ts';
import type { Damage } from './damage.ts';
import { codeOf, type FileSystem, type OpenFile } from './file-system.ts';
import { type Line, scanLines } from './lines.ts';
import { type RecordSegment, segmentPath } from './record-segments.ts';

/** What was found. `readable`: how many records can be shown, in order and twice where they stand there twice. */
export interface Verified {
  readonly readable: number;
  readonly damage: readonly Damage[];
  /** The file is not there at all. */
  readonly isGone?: true;
}

/** Looks at all of a segment, and tells everything that is wrong with it; gives others their turn. Throws where it cannot be read. */
export async function verifySegment(files: FileSystem, folder: string, segment: RecordSegment): Promise<Verified> {
  const path = segmentPath(folder, segment);
  const file = await files.open(path, 'read').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return { readable: 0, damage: [{ path, offset: 0, why: missingWords(segment) }], isGone: true };
  try {
    return await verifyFile(breathing(file), path, segment);
  } finally {
    await file.close();
  }
}

/** Why a segment that is not there is missed. */
function missingWords({ count }: RecordSegment): string {
  return `the file is missing, with ${count} records`;
}

interface Reading {
  readonly path: string;
  readonly segment: RecordSegment;
  readonly tell: (offset: number, why: string) => void;
  readonly ids: Set<string>;
  /** What is told only where the chain is not right. */
  readonly hints: Damage[];
  hash: string;
  seq: number;
  /** How many records stood where one may stand. */
  chained: number;
  /** Where its last line is, once that was met. */
  end: number | undefined;
}

/** The same of a file that is open, and is read from its beginning on; `path` is what it is called where something is wrong. */
export async function verifyFile(
  file: Pick<OpenFile, 'read'>,
  path: string,
  segment: RecordSegment,
): Promise<Verified> {
  const damage: Damage[] = [];
  const tell = (offset: number, why: string) => void damage.push({ path, offset, why });
  const digest = createHash('sha256');
  const start = { hash: segment.from ?? genesis, seq: 0, chained: 0, end: undefined };
  let readable = 0;
  const at: Reading = { path, segment, tell, ids: new Set(), hints: [], ...start };
  const size = await scanLines(segment.sha256 === undefined ? file : digested(file, digest), (line) => {
    if (line.value?.record) readable += 1;
    if (line.offset === 0) checkHeading(line, at);
    else if (line.value === undefined) tell(line.offset, 'the line is not what was written');
    else if (at.end !== undefined) tell(line.offset, 'something follows its last line');
    else if (line.value.end) checkEnd(line, at);
    else checkRecord(line, at);
  });
  if (segment.hash !== undefined && at.end === undefined) tell(size, `its end is missing: ${counts(at)}`);
  // Damage that has a place of its own says more than a sum that is not right.
  const isWhole = damage.length === 0;
  if (isWhole && segment.hash !== undefined && at.hash !== segment.hash)
    tell(at.end ?? size, 'the records before it are not those that were written');
  if (isWhole && segment.sha256 !== undefined && digest.digest('hex') !== segment.sha256)
    tell(0, 'the file is not what was there when the chain of records began');
  if (damage.length > 0) damage.push(...at.hints);
  return { readable, damage: damage.toSorted((a, b) => a.offset - b.offset) };
}

function checkHeading({ value, offset }: Line, { segment, tell }: Reading): void {
  const isRight =
    value?.weir === 'records' &&
    value.stream === segment.stream &&
    value.first === segment.first &&
    value.last === segment.last &&
    value.from === segment.from;
  if (!isRight) tell(offset, 'its first line is not what was written');
}

function checkRecord({ value, offset, body }: Line, at: Reading): void {
  const { seq, record } = value;
  if (!record) {
    at.tell(offset, 'the line holds no record');
    return;
  }
  at.hash = linkOfBytes(at.hash, body);
  at.chained += 1;
  const hint = (why: string) => at.hints.push({ path: at.path, offset, why });
  if (at.ids.has(record.id)) hint(`the record ${record.id} stands there twice`);
  else if (seq < at.seq) hint(`the record of commit ${seq} stands behind that of commit ${at.seq}`);
  at.ids.add(record.id);
  at.seq = Math.max(at.seq, seq);
}

function checkEnd({ value, offset }: Line, at: Reading): void {
  at.end = offset;
  if (at.chained !== at.segment.count || value.count !== at.segment.count) at.tell(offset, counts(at));
  else if (at.segment.hash !== undefined && value.hash !== at.segment.hash)
    at.tell(offset, 'it ends with another hash than the one that was noted');
}

function counts({ chained, segment }: Reading): string {
  return `${chained} records stand before it instead of ${segment.count}`;
}

/** A file that is digested as it is read from its beginning to its end. */
function digested(file: Pick<OpenFile, 'read'>, digest: Hash): Pick<OpenFile, 'read'> {
  return {
    read: async (into, position) => {
      const count = await file.read(into, position);
      digest.update(into.subarray(0, count));
      return count;
    },
  };
}
