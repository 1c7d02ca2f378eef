// The page that the short way through YAML reads: a text, the line that is being looked at, and the places found so far.
import { SPOT } from './places.ts';

/**
 * The content of the current line stands from `start` to `end`, `indent` columns in (`start` is the text's length after the last line); `at` is
 * where the line after it begins. `names` and `spots` are the places of the document that is being read (see `Places`).
 */
export interface Page {
  readonly text: string;
  at: number;
  indent: number;
  start: number;
  end: number;
  names: (string | number)[];
  spots: number[];
  /** The YAML engine has to decide: whatever was read counts for nothing. */
  isDoubtful: boolean;
}

/** A node as it is begun: its name, its key's offsets (-1 for none), and how deep it stands. */
export interface Slot {
  readonly name: string | number;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly depth: number;
}

export const space = 0x20;
export const hash = 0x23;
export const dash = 0x2d;
export const colon = 0x3a;

/** Goes to the next line with content: neither blank nor a comment. */
export function nextLine(page: Page): void {
  const { text } = page;
  while (page.at < text.length) {
    const begin = page.at;
    const newline = text.indexOf('\n', begin);
    const end = newline === -1 ? text.length : newline;
    const start = skipSpaces(text, begin);
    page.at = end + 1;
    if (start < end && text.charCodeAt(start) !== hash) {
      page.start = start;
      page.end = end;
      page.indent = start - begin;
      return;
    }
  }
  page.start = text.length;
  page.end = text.length;
  page.indent = -1;
}

/** Whether the page stands on a line to read: not at its end, and not on `---`. */
export function isOnEntry(page: Page): boolean {
  return page.start < page.text.length && !isMarker(page);
}

export function isMarker({ text, indent, start, end }: Page): boolean {
  return indent === 0 && end - start === 3 && text.startsWith('---', start);
}

export function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === space) at += 1;
  return at;
}

/** Whether nothing but spaces, or spaces and a comment, follow on the line. */
export function isRestEmpty({ text, end }: Page, from: number): boolean {
  if (from === end) return true;
  const at = skipSpaces(text, from);
  return at >= end || (at > from && text.charCodeAt(at) === hash);
}

/** Notes a node and its places. */
export function place({ names, spots }: Page, { name, keyStart, keyEnd }: Slot, start: number, end: number): number {
  const index = names.length;
  names.push(name);
  spots.push(keyStart, keyEnd, start, end, index + 1);
  return index;
}

/** Ends a collection where its last entry ends (`last` is its index), or at an offset of its own. */
export function close({ names, spots }: Page, index: number, end: number): void {
  spots[index * SPOT + 3] = end;
  spots[index * SPOT + 4] = names.length;
}

/** Where an entry ends: its value, or its key where that is empty. */
export function endOf({ spots }: Page, index: number): number {
  return Math.max(spots[index * SPOT + 3] ?? 0, spots[index * SPOT + 1] ?? 0);
}

/** Leaves the text to the engine. */
export function doubt(page: Page): undefined {
  page.isDoubtful = true;
  page.start = page.text.length;
  page.at = page.text.length;
  return undefined;
}
