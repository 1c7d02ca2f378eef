// Reads the log of a runtime in pages, from its end.
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { LogLine, LogPage, LogWish } from '../driver.ts';
import { type LogPart, partsOf } from './log-file.ts';

/** The last lines before a place, in the order in which they were written. */
export async function readLog(path: string, { limit, before }: LogWish): Promise<LogPage> {
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
  let text = Buffer.alloc(0);
  let start = end;
  for (const part of parts.toReversed()) {
    const file = await open(part.path, 'r').catch(() => undefined);
    if (!file) continue;
    try {
      while (start > part.start && start <= part.start + part.size && !isEnough(text, limit)) {
        const amount = Math.min(chunkBytes, start - part.start);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(amount), 0, amount, start - amount - part.start);
        text = Buffer.concat([buffer.subarray(0, bytesRead), text]);
        start -= amount;
      }
    } finally {
      await file.close();
    }
  }
  return lastLines(text, end, limit, start > (parts[0]?.start ?? 0));
}

function isEnough(text: Buffer, limit: number): boolean {
  if (text.length >= mostBytes) return true;
  let breaks = 0;
  for (const byte of text) if (byte === lineBreak) breaks++;
  return breaks > limit;
}

const lineBreak = 10;

function lastLines(text: Buffer, end: number, limit: number, isTorn: boolean) {
  const ends: number[] = [];
  for (const [index, byte] of text.entries()) if (byte === lineBreak) ends.push(index);
  // What does not end yet is still being written, unless all of it is.
  const last = ends.at(-1) ?? -1;
  const starts = [isTorn ? undefined : 0, ...ends.map((index) => index + 1)].filter(
    (index) => index !== undefined && index <= last,
  );
  const shown = starts.slice(-limit);
  const begin = shown[0] ?? last + 1;
  const lines = shown.map((index) => text.subarray(index, text.indexOf(lineBreak, index)));
  return { lines, start: shown.length === 0 ? 0 : end - text.length + begin };
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
  for (const { path, size } of parts) {
    if (size === 0) continue;
    for await (const chunk of createReadStream(path, { end: size - 1, highWaterMark: chunkBytes }))
      for (let at = chunk.indexOf(lineBreak); at >= 0; at = chunk.indexOf(lineBreak, at + 1)) count++;
  }
  return count;
}
