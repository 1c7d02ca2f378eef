// What instances used in the past: a file for each that never grows, with a day of samples and a month of averages.
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ring, type RingRecord, readRing, ringBytes, writeRing } from '../lib/ring.ts';

/** Seconds between two samples. */
export const sampleSeconds = 15;

/** What an instance used at a time (seconds since 1970). `cpuPercent`, of one core, is not known of the first sample of a run. */
export interface Sample {
  readonly at: number;
  readonly memoryBytes: number;
  readonly cpuPercent?: number | undefined;
  readonly diskBytes?: number | undefined;
}

/** What an instance used in a stretch of time that begins at `at`: averages, and the highest samples. */
export interface Stretch extends Sample {
  readonly memoryPeakBytes: number;
  readonly cpuPeakPercent?: number | undefined;
}

/** From `from` to before `to`, in seconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The past of instances. What is added waits in this process until it is flushed. */
export interface History {
  add(id: string, sample: Sample): void;
  /** Writes what waits of one instance. */
  flush(id: string): Promise<void>;
  /** The ids of whatever waits. */
  waiting(): readonly string[];
  read(id: string, span: Span): Promise<{ readonly seconds: number; readonly stretches: readonly Stretch[] }>;
  /** Deletes what is kept of instances that are not there any more. */
  keepOnly(isThere: (id: string) => boolean): Promise<void>;
  forget(id: string): Promise<void>;
}

const fine: Ring = { start: 0, step: sampleSeconds, slots: 86_400 / sampleSeconds, columns: 2 };
const coarse: Ring = { start: ringBytes(fine), step: 300, slots: (30 * 86_400) / 300, columns: 4 };

/** Behind the others, where files of older versions end: what was taken up of the disk, which changes slowly. */
const disk: Ring = { ...coarse, start: ringBytes(fine) + ringBytes(coarse), columns: 1 };

/** How many stretches an answer has at most. */
export const mostStretches = 1000;

/** The lengths of stretches, in seconds: up to a minute they are made from samples, above from averages. */
const lengths = [sampleSeconds, 60, 300, 900, 3600] as const;

/** How many samples of one instance wait at most where they cannot be written. */
const mostWaiting = 240;

/** The history in a folder, which is made when something is written. */
export function openHistory(folder: string): History {
  const waiting = new Map<string, Sample[]>();
  const turns = new Map<string, Promise<unknown>>();
  const inTurn = <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const mine = (turns.get(id) ?? Promise.resolve()).then(work);
    const settled = mine.catch(() => {});
    turns.set(id, settled);
    settled.then(() => turns.get(id) === settled && turns.delete(id));
    return mine;
  };
  const write = async (id: string) => {
    const samples = waiting.get(id);
    if (!samples) return;
    waiting.delete(id);
    try {
      await keep(pathOf(folder, id), folder, samples);
    } catch (error) {
      waiting.set(id, [...samples, ...(waiting.get(id) ?? [])].slice(-mostWaiting));
      throw error;
    }
  };
  return {
    add: (id, sample) => {
      const samples = waiting.get(id);
      if (samples) samples.push(sample);
      else waiting.set(id, [sample]);
    },
    flush: (id) => inTurn(id, () => write(id)),
    waiting: () => [...waiting.keys()],
    read: (id, span) =>
      inTurn(id, async () => {
        // What cannot be written now is not told; what was written before is.
        await write(id).catch(() => {});
        return readSpan(pathOf(folder, id), span);
      }),
    forget: (id) =>
      inTurn(id, async () => {
        waiting.delete(id);
        await rm(pathOf(folder, id), { force: true });
      }),
    keepOnly: async (isThere) => {
      for (const id of await readdir(folder).catch(() => []))
        if (isName(id) && !isThere(id)) await rm(join(folder, id), { force: true });
    },
  };
}

function pathOf(folder: string, id: string): string {
  if (!isName(id)) throw new TypeError(`${JSON.stringify(id)} is no id of an instance`);
  return join(folder, id);
}

function isName(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id);
}

async function keep(path: string, folder: string, samples: readonly Sample[]): Promise<void> {
  const file = await openFile(path, folder);
  try {
    await writeRing(file, fine, samples.map(recordOf));
    const windows = new Set(samples.map(({ at }) => Math.floor(at / coarse.step) * coarse.step));
    for (const from of windows) {
      const records = await readRing(file, fine, from, from + coarse.step);
      await writeRing(file, coarse, summaries(records.map(sampleOf), coarse.step).map(averagesOf));
    }
    await writeRing(file, disk, diskRecords(samples));
  } finally {
    await file.close();
  }
}

async function openFile(path: string, folder: string) {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (!isMissing(error)) throw error;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return open(path, 'wx+', 0o600);
  }
}

async function readSpan(path: string, { from, to }: Span) {
  const seconds = lengths.find((length) => (to - from) / length <= mostStretches) ?? 3600;
  const file = await open(path, 'r').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (!file) return { seconds, stretches: [] };
  try {
    const samples =
      seconds < coarse.step
        ? (await readRing(file, fine, from, to)).map(sampleOf)
        : (await readRing(file, coarse, from, to)).map(stretchOf);
    const disks = await readRing(file, disk, from - disk.step, to);
    // A clock that jumped may have left times of all sorts.
    return { seconds, stretches: withDisk(summaries(samples, seconds).slice(-mostStretches), disks, seconds) };
  } finally {
    await file.close();
  }
}

/** The last of each five minutes. */
function diskRecords(samples: readonly Sample[]): RingRecord[] {
  const last = new Map<number, number>();
  for (const { at, diskBytes } of samples)
    if (diskBytes !== undefined) last.set(Math.floor(at / disk.step) * disk.step, diskBytes);
  return [...last].sort(([a], [b]) => a - b).map(([at, bytes]) => ({ at, values: [bytes] }));
}

/** Each stretch with what was known of the disk by its end. */
function withDisk(stretches: readonly Stretch[], disks: readonly RingRecord[], seconds: number): Stretch[] {
  return stretches.map((stretch) => {
    const found = disks.findLast(({ at }) => at < stretch.at + seconds);
    const isNear = found && stretch.at - found.at < 2 * disk.step;
    const [diskBytes] = isNear ? found.values : [];
    return diskBytes === undefined || Number.isNaN(diskBytes) ? stretch : { ...stretch, diskBytes };
  });
}

/** What samples come to in stretches of so many seconds. */
function summaries(samples: readonly (Sample | Stretch)[], seconds: number): Stretch[] {
  const stretches = Map.groupBy(samples, ({ at }) => Math.floor(at / seconds) * seconds);
  return [...stretches].map(([at, those]) => summary(at, those));
}

function summary(at: number, samples: readonly (Sample | Stretch)[]): Stretch {
  const known = samples.flatMap(({ cpuPercent }) => cpuPercent ?? []);
  const peaks = samples.flatMap((one) => ('cpuPeakPercent' in one ? one.cpuPeakPercent : one.cpuPercent) ?? []);
  const memoryPeaks = samples.map((one) => ('memoryPeakBytes' in one ? one.memoryPeakBytes : one.memoryBytes));
  return {
    at,
    memoryBytes: mean(samples.map(({ memoryBytes }) => memoryBytes)),
    memoryPeakBytes: Math.max(...memoryPeaks),
    ...(known.length > 0 ? { cpuPercent: mean(known), cpuPeakPercent: Math.max(...peaks) } : {}),
  };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

function recordOf({ at, memoryBytes, cpuPercent = Number.NaN }: Sample): RingRecord {
  return { at, values: [memoryBytes, cpuPercent] };
}

function sampleOf({ at, values: [memoryBytes = 0, cpuPercent = Number.NaN] }: RingRecord): Sample {
  return { at, memoryBytes, ...(Number.isNaN(cpuPercent) ? {} : { cpuPercent }) };
}

function averagesOf({ at, memoryBytes, memoryPeakBytes, cpuPercent, cpuPeakPercent }: Stretch): RingRecord {
  return { at, values: [memoryBytes, memoryPeakBytes, cpuPercent ?? Number.NaN, cpuPeakPercent ?? Number.NaN] };
}

function stretchOf({ at, values }: RingRecord): Stretch {
  const [memoryBytes = 0, memoryPeakBytes = 0, cpuPercent = Number.NaN, cpuPeakPercent = Number.NaN] = values;
  const cpu = Number.isNaN(cpuPercent) ? {} : { cpuPercent, cpuPeakPercent };
  return { at, memoryBytes, memoryPeakBytes, ...cpu };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
