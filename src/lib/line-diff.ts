// Texts compared line by line: what changed between two, as people read it, and the same change made to a third.

/** Lines `start` to `end` of the first text became lines `from` to `to` of the second (from 0, ends exclusive). */
export interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

/** A unified diff of a file, with three lines around each change; nothing where the texts are equal. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const [a, b] = [linesOf(before), linesOf(after)];
  const groups = grouped(hunksOf(a, b));
  if (groups.length === 0) return '';
  return `--- a/${path}\n+++ b/${path}\n${groups.map((group) => shown(group, a, b)).join('')}`;
}

/**
 * Makes the change from `before` to `after` in a text that is laid out otherwise than `before`: lines that the change does not touch stay as
 * `original` has them.
 */
export function changeLike(original: string, before: string, after: string): string {
  const [o, a, b] = [linesOf(original), linesOf(before), linesOf(after)];
  const layout = hunksOf(a, o).flatMap(lineByLine);
  const regions = hunksOf(a, b).map((hunk) => widened(hunk, layout));
  const result: string[] = [];
  let at = 0;
  for (const { start, end, from, to } of regions) {
    const begin = moved(start, layout, false);
    // Two changes may meet in one place that is laid out otherwise.
    if (begin < at) return after;
    result.push(...o.slice(at, begin), ...b.slice(from, to));
    at = moved(end, layout, true);
  }
  return [...result, ...o.slice(at)].join('');
}

/** As many lines for as many others: each is laid out otherwise by itself. */
function lineByLine(hunk: Hunk): readonly Hunk[] {
  const { start, end, from, to } = hunk;
  if (end - start !== to - from) return [hunk];
  return Array.from({ length: end - start }, (_, at) => ({
    start: start + at,
    end: start + at + 1,
    from: from + at,
    to: from + at + 1,
  }));
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** What differs, by the longest common part of what is left between equal beginnings and ends. */
export function hunksOf(a: readonly string[], b: readonly string[]): readonly Hunk[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
    tail += 1;
  const [aEnd, bEnd] = [a.length - tail, b.length - tail];
  if (head === aEnd && head === bEnd) return [];
  // Comparing all with all would take too long: then it is one change.
  if ((aEnd - head) * (bEnd - head) > mostPairs) return [{ start: head, end: aEnd, from: head, to: bEnd }];
  return gapsBetween(commonLines(a.slice(head, aEnd), b.slice(head, bEnd)), head, aEnd, bEnd);
}

const mostPairs = 4_000_000;

/** The places of lines that both have, in order. */
function commonLines(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pairs: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

function gapsBetween(pairs: readonly (readonly [number, number])[], head: number, aEnd: number, bEnd: number): Hunk[] {
  const hunks: Hunk[] = [];
  let [start, from] = [head, head];
  for (const [i, j] of [...pairs, [aEnd - head, bEnd - head] as const]) {
    const [end, to] = [i + head, j + head];
    if (end > start || to > from) hunks.push({ start, end, from, to });
    [start, from] = [end + 1, to + 1];
  }
  return hunks;
}

/** A change grown over all that is laid out otherwise where it is. */
function widened(hunk: Hunk, layout: readonly Hunk[]): Hunk {
  let { start, end } = hunk;
  for (const other of layout) {
    const isEmpty = start === end || other.start === other.end;
    if (isEmpty ? other.start > end || other.end < start : other.start >= end || other.end <= start) continue;
    start = Math.min(start, other.start);
    end = Math.max(end, other.end);
  }
  return { start, end, from: hunk.from - (hunk.start - start), to: hunk.to + (end - hunk.end) };
}

/** Where a line of the first text stands in the second. */
function moved(line: number, hunks: readonly Hunk[], isEnd: boolean): number {
  let shift = 0;
  for (const { start, end, from, to } of hunks)
    if (isEnd ? end <= line : end < line || (end === line && start < end)) shift += to - from - (end - start);
  return line + shift;
}

const around = 3;

function grouped(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1);
    if (last && hunk.start - (last.at(-1)?.end ?? 0) <= 2 * around) last.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function shown(group: readonly Hunk[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [group[0], group.at(-1)];
  if (!first || !last) return '';
  const before = Math.min(around, first.start);
  const after = Math.min(around, a.length - last.end);
  const rows: string[] = [];
  let at = first.start - before;
  for (const { start, end, from, to } of group) {
    for (const line of a.slice(at, start)) rows.push(row(' ', line));
    for (const line of a.slice(start, end)) rows.push(row('-', line));
    for (const line of b.slice(from, to)) rows.push(row('+', line));
    at = end;
  }
  for (const line of a.slice(at, at + after)) rows.push(row(' ', line));
  const old = span(first.start - before, last.end + after);
  return `@@ -${old} +${span(first.from - before, last.to + after)} @@\n${rows.join('')}`;
}

/** `diff` counts from 1, and an empty part stands after the line before it. */
function span(start: number, end: number): string {
  return `${end > start ? start + 1 : start},${end - start}`;
}

function row(sign: string, line: string): string {
  return line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`;
}
