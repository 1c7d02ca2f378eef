// The index of the audit log: made beside the store while it goes on, asked before its segments are read, and made anew where it is lost.
import { type FileSystem, wordsOf } from '../file-system.ts';
import type { Format } from '../format.ts';
import type { RecordSegment } from '../record-segments.ts';
import { gather, inOrder } from './gather.ts';
import { type Consulted, consult, isOf } from './look.ts';
import { coveredBy, merged } from './merge.ts';
import { DamagedRun, type Run } from './run.ts';
import { openRuns, removeFile, writeRun } from './shelf.ts';

/** The index of a store. */
export interface RecordIndex {
  /** Tells which segments there are now, oldest first: those that are not covered are read, those that are gone are forgotten. */
  follow(segments: readonly RecordSegment[]): void;
  /** What is known of those of the segments that are covered. Who consults it lets it go in the end. */
  consult(segments: readonly RecordSegment[]): Consulted;
  /** A run is damaged: it is not asked any more, and its segments are read again. */
  distrust(damage: DamagedRun): void;
  /** Resolves when all that was told is covered, or cannot be now. */
  settled(): Promise<void>;
  /** Resolves when nothing is under way and all files are closed. */
  close(): Promise<void>;
}

/** What an index stands on. `mayWrite`: whether there is room for what can wait; rejects where the folder is not ours any more. */
export interface IndexOptions {
  readonly files: FileSystem;
  readonly folder: string;
  readonly format: Format;
  readonly log: (message: string) => void;
  readonly mayWrite: () => Promise<boolean>;
}

/** For a store that is read while another process writes it: its index is that one's. */
export const noIndex: Pick<RecordIndex, 'consult' | 'distrust'> = {
  consult: () => consult([], []),
  distrust: () => {},
};

/** So many small runs in a row become one. */
const mergedAtOnce = 16;

/** A run that is larger than this, in bytes, stays as it is. */
const largestMerged = 1 << 20;

/** Offsets have four bytes. */
const largestSegment = 2 ** 32 - 1;

/** An index that covers nothing until it is told of segments. */
export function createRecordIndex(options: IndexOptions): RecordIndex {
  const { files, folder, log } = options;
  const ending = new AbortController();
  /** In the order of the segments that they cover. */
  let runs: readonly Run[] | undefined;
  let wanted: readonly RecordSegment[] = [];
  let damaged: readonly Run[] = [];
  let pass: Promise<void> = Promise.resolve();
  let busy = false;
  let again = false;
  let told: string | undefined;

  return {
    follow: (segments) => {
      wanted = segments.filter(({ stream, bytes }) => stream === 'audit' && bytes <= largestSegment);
      begin();
    },
    consult: (segments) => consult(all(), segments),
    distrust: ({ path }) => {
      const found = all().filter((run) => run.path === path);
      runs = all().filter((run) => !found.includes(run));
      damaged = [...damaged, ...found];
      begin();
    },
    settled,
    close: async () => {
      ending.abort();
      await settled();
      await Promise.all([...all(), ...damaged].map((run) => run.retire()));
    },
  };

  async function settled(): Promise<void> {
    do await pass;
    while (busy);
  }

  /** One pass at a time; what is told meanwhile is looked at in the next. */
  function begin(): void {
    again = true;
    if (busy) return;
    busy = true;
    pass = passes();
  }

  async function passes(): Promise<void> {
    while (again && !ending.signal.aborted) {
      again = false;
      await catchUp().catch(tell);
    }
    busy = false;
  }

  function tell(error: unknown): void {
    const words = wordsOf(error);
    if (words === told || ending.signal.aborted) return;
    told = words;
    log(
      `${folder}: the index of the audit log is not kept up, so that to look something up in it takes longer: ${words}`,
    );
  }

  async function catchUp(): Promise<void> {
    if (!(await options.mayWrite())) return;
    runs ??= ordered(await openRuns(files, folder));
    const needless = [...damaged, ...withoutUse(runs, wanted)];
    damaged = [];
    await remove(needless);
    for (const segment of wanted) if (!isCovered(segment)) await cover(segment);
    for (let row = smallRow(all()); row.length > 0 && !ending.signal.aborted; row = smallRow(all())) await merge(row);
    told = undefined;
  }

  function all(): readonly Run[] {
    return runs ?? [];
  }

  function isCovered(segment: RecordSegment): boolean {
    return all().some(({ covered }) => covered.some((one) => isOf(segment, one)));
  }

  async function cover(segment: RecordSegment): Promise<void> {
    const gathered = await gather(files, folder, segment, options.format, ending.signal);
    if (!(await options.mayWrite())) return;
    ending.signal.throwIfAborted();
    add(await writeRun(files, folder, segment, [gathered.covered], inOrder(gathered)));
  }

  /** Makes one of several; where one of them is damaged, its segments are read again. */
  async function merge(row: readonly Run[]): Promise<void> {
    try {
      const sources = [];
      for (const { covered, terms } of row) sources.push({ covered, terms: await terms() });
      const covered = coveredBy(row);
      const among = wanted.filter(({ name }) => covered.some((one) => one.name === name));
      const [first, last] = [among.at(0)?.first ?? 0, among.at(-1)?.last ?? 0];
      add(await writeRun(files, folder, { first, last }, covered, merged(sources)));
    } catch (error) {
      if (!(error instanceof DamagedRun)) throw error;
      again = true;
    }
    await remove(row);
  }

  function add(run: Run): void {
    runs = ordered([...all(), run]);
  }

  async function remove(some: readonly Run[]): Promise<void> {
    runs = all().filter((run) => !some.includes(run));
    for (const run of some) {
      run.retire().catch(() => {});
      // Its segments may have been read again meanwhile, into a file of the same name.
      if (all().every(({ path }) => path !== run.path)) await removeFile(files, run.path);
    }
  }
}

function ordered(runs: readonly Run[]): readonly Run[] {
  const first = ({ covered }: Run) => covered[0]?.name ?? '';
  return runs.toSorted((a, b) => (first(a) < first(b) ? -1 : 1));
}

/** Those that cover nothing which is there, and is not covered by larger ones. */
function withoutUse(runs: readonly Run[], segments: readonly RecordSegment[]): readonly Run[] {
  const seen = new Set<string>();
  const byName = new Map(segments.map((segment) => [segment.name, segment]));
  return runs
    .toSorted((a, b) => b.covered.length - a.covered.length)
    .filter(({ covered }) => {
      const own = covered.filter((one) => {
        const segment = byName.get(one.name);
        return segment && isOf(segment, one) && !seen.has(one.name);
      });
      for (const { name } of own) seen.add(name);
      return own.length === 0;
    });
}

/** The first small runs that follow one another, where they are enough. */
function smallRow(runs: readonly Run[]): readonly Run[] {
  let row: Run[] = [];
  for (const run of runs) {
    row = run.bytes <= largestMerged ? [...row, run] : [];
    if (row.length === mergedAtOnce) return row;
  }
  return [];
}
