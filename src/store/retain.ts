// Which segments of records are kept, and which of them nobody has to keep any more.
import { streams } from './chain.ts';
import { digestOf } from './digest.ts';
import type { FileSystem } from './file-system.ts';
import type { Dropped } from './ledger.ts';
import type { Passing } from './passing.ts';
import { type RecordSegment, type Retention, segmentPath } from './record-segments.ts';

/** What retention came to. */
export interface Retained {
  readonly kept: readonly RecordSegment[];
  readonly unwanted: readonly RecordSegment[];
  readonly dropped: Dropped;
  /** How many records were dropped, now and before. */
  readonly gone: Dropped;
}

/** Parts the segments, oldest first, by what has to be kept. Nothing gets older while it is not known what time has passed. */
export function retain(
  segments: readonly RecordSegment[],
  before: Pick<Retained, 'dropped' | 'gone'>,
  retention: Retention,
  passing: Passing | undefined,
): Retained {
  const kept: RecordSegment[] = [];
  const unwanted: RecordSegment[] = [];
  const newer = { history: 0, audit: 0 };
  const dropped = { ...before.dropped };
  const gone = { ...before.gone };
  for (const segment of segments.toReversed()) {
    const { stream, count, newest, last } = segment;
    const rule = retention[stream];
    const isOld =
      'count' in rule
        ? newer[stream] >= rule.count
        : passing !== undefined && newest < new Date(passing.time - rule.days * 86_400_000).toISOString();
    newer[stream] += count;
    (isOld ? unwanted : kept).unshift(segment);
    if (!isOld) continue;
    dropped[stream] = Math.max(dropped[stream], last);
    gone[stream] += count;
  }
  return { kept, unwanted, dropped, gone };
}

/** What is told of segments that were dropped: a sentence a stream. */
export function droppedWords(unwanted: readonly RecordSegment[], retention: Retention): readonly string[] {
  return streams.flatMap((stream) => {
    const own = unwanted.filter((segment) => segment.stream === stream);
    if (own.length === 0) return [];
    const count = own.reduce((sum, segment) => sum + segment.count, 0);
    const oldest = own.map((segment) => segment.oldest).sort()[0];
    const newest = own
      .map((segment) => segment.newest)
      .sort()
      .at(-1);
    const rule = retention[stream];
    const kept = 'count' in rule ? `the newest ${rule.count} are kept` : `they are kept for ${rule.days} days`;
    return [`${count} records of ${stream} were dropped, from ${oldest} to ${newest}, because ${kept}`];
  });
}

/** The same segments; those that were written before there was a chain are noted by the SHA-256 of their files. */
export async function noted(
  files: FileSystem,
  folder: string,
  segments: readonly RecordSegment[],
): Promise<readonly RecordSegment[]> {
  const all: RecordSegment[] = [];
  for (const segment of segments) {
    const isKnown = segment.hash !== undefined || segment.sha256 !== undefined;
    // One that cannot be read keeps no snapshot from being taken.
    const sha256 = isKnown ? undefined : await digestOf(files, segmentPath(folder, segment)).catch(() => undefined);
    all.push(sha256 === undefined ? segment : { ...segment, sha256 });
  }
  return all;
}
