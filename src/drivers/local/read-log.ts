// Reads the log of a runtime in pages, from its end.
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { putNewest } from '../../lib/put-newest.ts';
import type { LogLine, LogPage, LogWish } from '../driver.ts';
import { type LogPart, partsOf, settleLog } from './log-file.ts';

/** The last lines before a place, in the order in which they were written. */
export async function readLog(path: string, { limit, before }: LogWish): Promise<LogPage> {
  await settleLog(path);
  const parts = await partsOf(path);
  const end = parts.at(-1);
  const all = end ? end.start + end.size : 0;
  const from = Math.min(before ?? all, all);
  const { lines, start } = await linesBefore(parts, from, limit);
  const first = parts[0]?.start ?? 0;
  return { lines: lines.map(lineOf), count: await countLines(parts), ...(start > first ? { next: start } : {}) };
}

const chunkBytes = 64 * 1024;
/** However long the lines are, a page is not read from further back. */
const mostBytes = 4 * 1024 * 1024;

/** The lines that end at a place or before, and where the first of them begins. */
async function linesBefore(parts: readonly LogPart[], end: number, limit: number) {
  const found: Found = { chunks: [], breaks: 0, start: end };
  for (const part of parts.toReversed()) await readBack(part, found, limit);
  const isTorn = found.start > (parts[0]?.start ?? 0);
  return lastLines(Buffer.concat(found.chunks), { end, limit, isTorn });
}

/** What was read so far, from the end back. */
interface Found {
  readonly chunks: Buffer[];
  breaks: number;
  start: number;
}

async function readBack(part: LogPart, found: Found, limit: number): Promise<void> {
  // What was turned over meanwhile is gone.
  const file = await open(part.path, 'r').catch(() => undefined);
  if (!file) return;
  try {
    while (found.start > part.start && found.start <= part.start + part.size && found.breaks <= limit) {
      if (found.chunks.length * chunkBytes >= mostBytes) return;
      const amount = Math.min(chunkBytes, found.start - part.start);
      const from = found.start - amount - part.start;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(amount), 0, amount, from);
      const chunk = buffer.subarray(0, bytesRead);
      found.chunks.unshift(chunk);
      found.breaks += breaksIn(chunk).length;
      found.start -= amount;
    }
  } finally {
    await file.close();
  }
}

const lineBreak = 10;

function breaksIn(text: Buffer): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(lineBreak); at >= 0; at = text.indexOf(lineBreak, at + 1)) places.push(at);
  return places;
}

function lastLines(
  text: Buffer,
  { end, limit, isTorn }: { readonly end: number; readonly limit: number; readonly isTorn: boolean },
) {
  // What does not end yet is still being written.
  const last = text.lastIndexOf(lineBreak);
  const starts = [...(isTorn ? [] : [0]), ...breaksIn(text).map((at) => at + 1)].filter((at) => at <= last);
  // A line longer than what is read at once is shown in pieces.
  const shown = starts.length === 0 && isTorn ? [0] : starts.slice(-limit);
  const lines = shown.map((at) => text.subarray(at, endOf(text, at)));
  return { lines, start: shown[0] === undefined ? 0 : end - text.length + shown[0] };
}

function endOf(text: Buffer, from: number): number {
  const at = text.indexOf(lineBreak, from);
  return at < 0 ? text.length : at;
}

/** How a line begins that the runtime logged: when, and how grave it is. */
const logged = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) (fatal|error|warn|info|debug|trace) +(.*)$/s;

/** How much of a line is shown, in characters. */
const mostText = 8192;

function lineOf(bytes: Buffer): LogLine {
  const text = bytes.toString('utf8').replace(/\r$/, '');
  const [, at, level, message] = logged.exec(text) ?? [];
  const shown = (message ?? text).slice(0, mostText);
  return { ...(at !== undefined && level !== undefined ? { at, level } : {}), message: shown };
}

async function countLines(parts: readonly LogPart[]): Promise<number> {
  let count = 0;
  for (const part of parts) count += await countedIn(part);
  return count;
}

/** What was counted of a file, up to a size. Another file of its name begins elsewhere in all that was ever written. */
interface Counted {
  readonly start: number;
  readonly size: number;
  readonly count: number;
}

// A memo of what was counted, so that a page costs what was written since: what is appended changes nothing before it.
const counted = new Map<string, Counted>();
const mostCounted = 2000;

async function countedIn({ path, start, size }: LogPart): Promise<number> {
  const found = counted.get(path);
  const known = found?.start === start && found.size <= size ? found : { start, size: 0, count: 0 };
  const count = known.count + (await breaksBetween(path, known.size, size));
  putNewest(counted, path, { start, size, count }, mostCounted);
  return count;
}

async function breaksBetween(path: string, start: number, end: number): Promise<number> {
  let count = 0;
  if (end <= start) return count;
  for await (const chunk of createReadStream(path, { start, end: end - 1, highWaterMark: chunkBytes }))
    for (let at = chunk.indexOf(lineBreak); at >= 0; at = chunk.indexOf(lineBreak, at + 1)) count++;
  return count;
}
