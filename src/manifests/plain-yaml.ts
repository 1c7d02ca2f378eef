// The short way through YAML: reads the shape that nearly every manifest has, and leaves all else to the YAML engine.
import type { Places } from './places.ts';
import {
  close,
  dash,
  doubt,
  endOf,
  hash,
  isMarker,
  isOnEntry,
  nextLine,
  type Page,
  place,
  type Slot,
  skipSpaces,
  space,
} from './plain-page.ts';
import { keyAt, readValue } from './plain-scalars.ts';

/** A document read the short way: the same value, and the same places, that the engine's way gives. */
export interface PlainDocument {
  readonly value: unknown;
  readonly places: Places;
}

/**
 * Reads mappings and lists in block style with plain, simply quoted and block scalars, and flat `{a: b}` and `[a, b]` on one line. Answers
 * nothing at the least doubt: an error, an anchor, a tag, a scalar over several lines, a key that is no plain word, a key given twice. Then the
 * engine decides, and words what is wrong. That both agree wherever this one answers is a property under test.
 *
 * It takes a tenth of the engine's time, and that decides what a tree of ten thousand files costs.
 */
export function* readPlainlyInSteps(text: string): Generator<void, PlainDocument[] | undefined> {
  if (/[\t\r]/.test(text) || longestDocument(text) > LIMIT) return undefined;
  const documents: PlainDocument[] = [];
  const page: Page = { text, at: 0, indent: 0, start: 0, end: 0, names: [], spots: [], isDoubtful: false };
  nextLine(page);
  while (page.start < text.length) {
    if (isMarker(page)) nextLine(page);
    else if (documents.push(readDocument(page)) % 8 === 0) yield;
  }
  return page.isDoubtful ? undefined : documents;
}

/** Longer documents are the engine's, which gives way in between. */
const LIMIT = 512 * 1024;

/** How far the markers that part documents stand from one another, at most. */
function longestDocument(text: string): number {
  let longest = 0;
  let start = 0;
  while (text.length - start > LIMIT) {
    const marker = text.indexOf('\n---', start);
    const end = marker === -1 ? text.length : marker + 1;
    longest = Math.max(longest, end - start);
    start = end;
  }
  return longest;
}

const MAX_DEPTH = 60;

function readDocument(page: Page): PlainDocument {
  page.names = [];
  page.spots = [];
  const value =
    page.indent === 0 ? readMapping(page, { name: '', keyStart: -1, keyEnd: -1, depth: 0 }, 0) : doubt(page);
  if (isOnEntry(page)) doubt(page);
  return { value, places: { names: page.names, spots: page.spots } };
}

function readMapping(page: Page, slot: Slot, indent: number): unknown {
  const value: Record<string, unknown> = {};
  const index = place(page, slot, page.start, page.start);
  let last = index;
  if (slot.depth > MAX_DEPTH) return doubt(page);
  while (page.indent === indent && isOnEntry(page)) {
    const key = keyAt(page, page.start);
    if (key === '' || Object.hasOwn(value, key) || key === '__proto__') return doubt(page);
    last = page.names.length;
    value[key] = readEntry(
      page,
      { name: key, keyStart: page.start, keyEnd: page.start + key.length, depth: slot.depth + 1 },
      indent,
    );
  }
  if (page.indent > indent || last === index) return doubt(page);
  close(page, index, endOf(page, last));
  return value;
}

function readEntry(page: Page, slot: Slot, indent: number): unknown {
  const from = skipSpaces(page.text, slot.keyEnd + 1);
  if (from < page.end && page.text.charCodeAt(from) !== hash) return readValue(page, slot, from, indent);
  nextLine(page);
  if (isOnEntry(page)) {
    // A list may begin in the column of its key.
    if (isItem(page) && page.indent >= indent) return readList(page, slot, page.indent, page.indent === indent);
    if (page.indent > indent) return readMapping(page, slot, page.indent);
  }
  place(page, slot, slot.keyEnd, slot.keyEnd);
  return null;
}

function isItem({ text, start }: Page): boolean {
  return text.charCodeAt(start) === dash && text.charCodeAt(start + 1) === space;
}

function readList(page: Page, slot: Slot, indent: number, isCompact: boolean): unknown {
  const value: unknown[] = [];
  const index = place(page, slot, page.start, page.start);
  let last = index;
  if (slot.depth > MAX_DEPTH) return doubt(page);
  while (page.indent === indent && isItem(page)) {
    last = page.names.length;
    value.push(readItem(page, { name: value.length, keyStart: -1, keyEnd: -1, depth: slot.depth + 1 }, indent));
  }
  if (page.indent > indent || (page.indent === indent && !isCompact && isOnEntry(page))) return doubt(page);
  close(page, index, endOf(page, last));
  return value;
}

function readItem(page: Page, slot: Slot, indent: number): unknown {
  const from = skipSpaces(page.text, page.start + 1);
  if (from >= page.end || page.text.charCodeAt(from) === hash) return doubt(page);
  if (keyAt(page, from) === '') return readValue(page, slot, from, indent);
  page.indent += from - page.start;
  page.start = from;
  return readMapping(page, slot, page.indent);
}
