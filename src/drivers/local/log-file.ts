// The log of a runtime: a file that it writes by itself, so that it goes on whatever happens to Weir; what grows too long is cut.
import { constants } from 'node:fs';
import { copyFile, open, readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** How much each of the two files of a log holds at most, in bytes, but for what is written between two looks. */
export const mostLog = 5 * 1024 * 1024;

/** A file of a log. `start` is where it begins in all that was ever written, in bytes. */
export interface LogPart {
  readonly path: string;
  readonly start: number;
  readonly size: number;
}

/** The files of a log, the older first. The older one has in its name where it begins. */
export async function partsOf(path: string): Promise<LogPart[]> {
  const older = await olderOf(path);
  const current = { path, start: older ? older.start + older.size : 0, size: await sizeOf(path) };
  return older ? [older, current] : [current];
}

async function olderOf(path: string): Promise<LogPart | undefined> {
  const name = basename(path);
  const files = await readdir(dirname(path)).catch(() => []);
  const starts = files.filter((file) => isOlder(name, file)).map((file) => Number(file.slice(name.length + 1)));
  if (starts.length === 0) return undefined;
  const start = Math.max(...starts);
  const newest = `${path}.${start}`;
  return { path: newest, start, size: await sizeOf(newest) };
}

/**
 * Turns a log over where it is too long: its end becomes the older file, and it begins anew. The runtime appends, and so goes on at the new end; what it
 * writes in the instant between copying and cutting is lost. Answers how much was thrown away of what nobody could read yet, in bytes.
 */
export async function turnOver(path: string, most = mostLog): Promise<number> {
  await settleLog(path);
  if ((await sizeOf(path)) <= most || turning.has(path)) return 0;
  turning.add(path);
  try {
    return await turn(path, most);
  } finally {
    turning.delete(path);
  }
}

// The logs that this process turns over now: nothing of those was left by another.
const turning = new Set<string>();
// A memo of the logs that were looked at already.
const settled = new Set<string>();

/** How the name of a copy ends that is whole while the log may not be cut yet: what follows is where it begins. */
const copied = '.turning.';

/** Ends what a Weir that was killed had begun: a copy whose log was cut is the older file, and one whose log was not is none. Once a process. */
export async function settleLog(path: string): Promise<void> {
  if (settled.has(path) || turning.has(path)) return;
  settled.add(path);
  const [folder, name] = [dirname(path), basename(path)];
  const files = await readdir(folder).catch(() => []);
  const before = await olderOf(path);
  const begins = before ? before.start + before.size : 0;
  for (const file of files.filter((one) => one.startsWith(`${name}${copied}`))) {
    const copy = join(folder, file);
    const start = file.slice(name.length + copied.length);
    if (await isUncut(path, copy, Number(start) - begins)) await rm(copy, { force: true });
    else await rename(copy, `${path}.${start}`);
  }
  const older = await olderOf(path);
  for (const file of await readdir(folder).catch(() => []))
    if (isOlder(name, file) && join(folder, file) !== older?.path) await rm(join(folder, file), { force: true });
}

function isOlder(name: string, file: string): boolean {
  return file.startsWith(`${name}.`) && /^\d+$/.test(file.slice(name.length + 1));
}

/** Whether a log still has what was copied of it, from a place on, as far as the beginning of that tells. */
async function isUncut(path: string, copy: string, from: number): Promise<boolean> {
  const [size, amount] = [await sizeOf(path), await sizeOf(copy)];
  if (from < 0 || size < from + amount) return false;
  const [one, other] = [await someOf(path, from), await someOf(copy, 0)];
  const length = Math.min(one.length, other.length);
  return one.subarray(0, length).equals(other.subarray(0, length));
}

async function someOf(path: string, from: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sampleBytes), 0, sampleBytes, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const sampleBytes = 64 * 1024;

async function turn(path: string, most: number): Promise<number> {
  const [older, current] = await bothOf(path);
  const kept = Math.min(current.size, 2 * most);
  const next = `${path}.new`;
  if (kept === current.size) await copyFile(path, next, constants.COPYFILE_FICLONE);
  else await copyEnd(path, next, kept);
  const start = current.start + current.size - kept;
  const copy = `${path}${copied}${start}`;
  await rename(next, copy);
  await truncate(path, 0);
  await rename(copy, `${path}.${start}`);
  if (older) await rm(older.path, { force: true });
  return current.size - kept;
}

async function bothOf(path: string): Promise<[older: LogPart | undefined, current: LogPart]> {
  const parts = await partsOf(path);
  const [first, second] = parts;
  if (second) return [first, second];
  return [undefined, first ?? { path, start: 0, size: 0 }];
}

async function copyEnd(from: string, to: string, amount: number): Promise<void> {
  const [source, target] = [await open(from, 'r'), await open(to, 'w', 0o600)];
  try {
    const { size } = await source.stat();
    const { bytesRead, buffer } = await source.read(Buffer.alloc(amount), 0, amount, Math.max(0, size - amount));
    await target.writeFile(buffer.subarray(0, bytesRead));
  } finally {
    await source.close();
    await target.close();
  }
}

/** In bytes; 0 where there is none. */
async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
