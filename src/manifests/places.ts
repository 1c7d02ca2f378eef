// Where the parts of one document stand: a compact list of offsets, turned into lines and columns only when somebody asks.
import type { Source } from '../core/model/finding.ts';

/**
 * One entry per node, in the order of the text; node `i` has the name `names[i]` (its key or index; `''` for the root) and five numbers from
 * `spots[5 * i]`: start and end of its key, start and end of its value (UTF-16 offsets, end exclusive; -1 where there is none), and the
 * index of the node after its last descendant, or `-1 - target` for an alias of an earlier node `target`; an alias of a key is a leaf.
 */
export interface Places {
  readonly names: readonly (string | number)[];
  readonly spots: readonly number[];
}

export const SPOT = 5;

/** A text and where its lines begin; computed once, when the first position is asked for. */
export interface Lines {
  readonly file: string;
  readonly text: string;
  starts(): readonly number[];
}

/** Wraps the text of a file for `sourceOf`. */
export function linesOf(file: string, text: string): Lines {
  let starts: readonly number[] | undefined;
  return {
    file,
    text,
    starts() {
      starts ??= lineStarts(text);
      return starts;
    },
  };
}

/** Offsets → lines and columns from 1. */
export function sourceOf(lines: Lines, start: number, end: number): Source {
  const from = lineOf(lines.starts(), start);
  const to = end === start ? from : lineOf(lines.starts(), end);
  return {
    file: lines.file,
    line: from + 1,
    column: start - (lines.starts()[from] ?? 0) + 1,
    endLine: to + 1,
    endColumn: end - (lines.starts()[to] ?? 0) + 1,
  };
}

/** The node at a JSON Pointer, and whether it stands there itself or is the nearest enclosing one. */
export function nodeAt(places: Places, pointer: string): { readonly node: number; readonly exact: boolean } {
  let node = 0;
  if (pointer === '') return { node, exact: true };
  for (const part of pointer.slice(1).split('/')) {
    const child = childOf(places, node, part.includes('~') ? part.replaceAll('~1', '/').replaceAll('~0', '~') : part);
    if (child === undefined) return { node, exact: false };
    node = child;
  }
  return { node, exact: true };
}

/** Start and end of a node's key or value. An entry without a value answers with its key, an item without a key with its value. */
export function rangeOf({ spots }: Places, node: number, part: 'key' | 'value'): readonly [number, number] {
  const at = node * SPOT;
  const key = [spots[at] ?? -1, spots[at + 1] ?? -1] as const;
  const value = [spots[at + 2] ?? -1, spots[at + 3] ?? -1] as const;
  if (key[0] < 0) return value;
  return part === 'key' || value[0] < 0 || value[0] === value[1] ? key : value;
}

/** The text of a scalar node as it is written, `undefined` for anything else. */
export function writtenAt(places: Places, node: number, text: string): string | undefined {
  const target = resolveAlias(places, node);
  const next = places.spots[target * SPOT + 4] ?? 0;
  const start = places.spots[target * SPOT + 2] ?? -1;
  const end = places.spots[target * SPOT + 3] ?? -1;
  // Not what stands for a key: that is written somewhere else.
  if (next !== target + 1 || start < 0 || /[{[*]/.test(text[start] ?? '')) return undefined;
  return text.slice(start, trimmedEnd(text, start, end));
}

function childOf(places: Places, parent: number, name: string): number | undefined {
  const node = resolveAlias(places, parent);
  const end = places.spots[node * SPOT + 4] ?? 0;
  for (let child = node + 1; child < end; child = after(places, child)) {
    if (String(places.names[child]) === name) return child;
  }
  return undefined;
}

function after({ spots }: Places, node: number): number {
  const next = spots[node * SPOT + 4] ?? 0;
  return next < 0 ? node + 1 : next;
}

function resolveAlias({ spots }: Places, node: number): number {
  let at = node;
  for (let next = spots[at * SPOT + 4] ?? 0; next < 0; next = spots[at * SPOT + 4] ?? 0) at = -1 - next;
  return at;
}

/** Where a node ends without the line breaks and spaces that belong to a block of text. */
export function trimmedEnd(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && ' \t\r\n'.includes(text[last - 1] ?? '')) last -= 1;
  return last;
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
