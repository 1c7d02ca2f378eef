// Scalars and flat `{…}` and `[…]` on the short way through YAML.
import { coreValue, unsure } from './core-values.ts';
import {
  close,
  colon,
  doubt,
  isRestEmpty,
  nextLine,
  type Page,
  place,
  type Slot,
  skipSpaces,
  space,
} from './plain-page.ts';

/**
 * Reads the value that begins at `from` and ends on its line (or is a block of text below it), and goes on to the next line. `indent` is the
 * column of the entry that it belongs to: a next line that stands deeper would continue it.
 */
export function readValue(page: Page, slot: Slot, from: number, indent: number): unknown {
  const value = valueAt(page, slot, from, indent);
  if (page.isDoubtful) return undefined;
  nextLine(page);
  return page.indent > indent ? doubt(page) : value;
}

/** The plain word that is a key at an offset, or `''`: a letter, then letters, digits, `_ . / -`, then a colon and a space or the line's end. */
export function keyAt({ text, end }: Page, from: number): string {
  word.lastIndex = from;
  if (!word.test(text)) return '';
  const to = word.lastIndex;
  if (text.charCodeAt(to) !== colon || to - from > 128) return '';
  if (to + 1 < end && text.charCodeAt(to + 1) !== space) return '';
  const key = text.slice(from, to);
  return coreValue(key) === key ? key : '';
}

const word = /[A-Za-z_][\w./-]*/y;

function valueAt(page: Page, slot: Slot, from: number, indent: number): unknown {
  switch (page.text[from]) {
    case '"':
      return readDouble(page, slot, from);
    case "'":
      return readSingle(page, slot, from);
    case '|':
    case '>':
      return readBlock(page, slot, from, indent);
    case '{':
    case '[':
      return readFlow(page, slot, from);
    default:
      return readPlain(page, slot, from);
  }
}

function readPlain(page: Page, slot: Slot, from: number): unknown {
  // The line alone is searched: a text without comments would be searched to its end for each of its scalars.
  const line = page.text.slice(from, page.end);
  const comment = line.indexOf(' #');
  let length = comment === -1 ? line.length : comment;
  while (line.charCodeAt(length - 1) === space) length -= 1;
  const source = line.slice(0, length);
  if (!beginsPlainly.test(source) || source.includes(': ') || source.endsWith(':')) return doubt(page);
  place(page, slot, from, from + length);
  return resolved(page, source);
}

const beginsPlainly = /^(?:[A-Za-z0-9_./+($^~\u00A0-\uFFFF]|-[A-Za-z0-9.])/;

function resolved(page: Page, source: string): unknown {
  const value = coreValue(source);
  return value === unsure ? doubt(page) : value;
}

function readDouble(page: Page, slot: Slot, from: number): unknown {
  const end = endOfDouble(page, from);
  if (end === -1 || !isRestEmpty(page, end)) return doubt(page);
  place(page, slot, from, end);
  return page.text.slice(from + 1, end - 1);
}

function endOfDouble({ text, end }: Page, from: number): number {
  const quote = text.indexOf('"', from + 1);
  if (quote === -1 || quote >= end) return -1;
  return text.slice(from + 1, quote).includes('\\') ? -1 : quote + 1;
}

function readSingle(page: Page, slot: Slot, from: number): unknown {
  const end = endOfSingle(page, from);
  if (end === -1 || !isRestEmpty(page, end)) return doubt(page);
  place(page, slot, from, end);
  return page.text.slice(from + 1, end - 1).replaceAll("''", "'");
}

function endOfSingle({ text, end }: Page, from: number): number {
  let quote = text.indexOf("'", from + 1);
  while (quote !== -1 && text[quote + 1] === "'") quote = text.indexOf("'", quote + 2);
  return quote === -1 || quote >= end ? -1 : quote + 1;
}

/** `|`, `|-`, `>` and `>-` without an indentation indicator; in a folded one no blank lines and none deeper than the first. */
function readBlock(page: Page, slot: Slot, from: number, indent: number): unknown {
  const { text } = page;
  const header = /^([|>])(-?) *$/.exec(text.slice(from, page.end));
  if (!header) return doubt(page);
  const isFolded = header[1] === '>';
  const lines = readBlockLines(page, indent, isFolded);
  if (lines === undefined || text[page.at - 1] !== '\n') return doubt(page);
  place(page, slot, from, page.at);
  const value = lines.join(isFolded ? ' ' : '\n');
  return header[2] === '-' ? value : `${value}\n`;
}

function readBlockLines(page: Page, indent: number, isFolded: boolean): string[] | undefined {
  const { text } = page;
  const margin = skipSpaces(text, page.at) - page.at;
  const { lines, next } = linesFrom(text, page.at, margin);
  if (margin <= indent || (next && next.start - next.at > indent)) return undefined;
  if (lines.some((line) => isBlank(line) && line.end > line.at)) return undefined;
  const content = lines.slice(0, lines.findLastIndex((line) => !isBlank(line)) + 1);
  const last = content.at(-1);
  if (last === undefined || (isFolded && !content.every((line) => isPlainLine(text, line, margin)))) return undefined;
  page.at = Math.min(last.end + 1, text.length);
  return content.map(({ at, end }) => text.slice(Math.min(at + margin, end), end));
}

/** The lines that are blank or stand at least so deep, and the line after them. */
function linesFrom(
  text: string,
  from: number,
  margin: number,
): { readonly lines: readonly Line[]; readonly next: Line | undefined } {
  const lines: Line[] = [];
  let next = lineAt(text, from);
  while (next && (isBlank(next) || next.start - next.at >= margin)) {
    lines.push(next);
    next = lineAt(text, next.end + 1);
  }
  return { lines, next };
}

function isBlank({ start, end }: Line): boolean {
  return start === end;
}

interface Line {
  readonly at: number;
  readonly start: number;
  readonly end: number;
}

function lineAt(text: string, at: number): Line | undefined {
  if (at >= text.length) return undefined;
  const newline = text.indexOf('\n', at);
  const end = newline === -1 ? text.length : newline;
  return { at, start: skipSpaces(text, at), end };
}

/** A line that folding joins to the next with one space. */
function isPlainLine(text: string, { at, start, end }: Line, margin: number): boolean {
  return start - at === margin && text.charCodeAt(end - 1) !== space;
}

/** A `{…}` or `[…]` on one line with nothing nested in it. */
function readFlow(page: Page, slot: Slot, from: number): unknown {
  const { text } = page;
  const isMapping = text[from] === '{';
  const closing = isMapping ? '}' : ']';
  const index = place(page, slot, from, from);
  const list: unknown[] = [];
  const mapping: Record<string, unknown> = {};
  let at = skipSpaces(text, from + 1);
  while (text[at] !== closing) {
    at = isMapping ? readPair(page, mapping, at, slot.depth) : readItem(page, list, at, slot.depth);
    if (page.isDoubtful) return undefined;
    at = skipSpaces(text, at);
    if (text[at] === closing) break;
    const next = skipSpaces(text, at + 1);
    if (text[at] !== ',' || text[next] === closing) return doubt(page);
    at = next;
  }
  if (at >= page.end || slot.depth >= 60 || !isRestEmpty(page, at + 1)) return doubt(page);
  close(page, index, at + 1);
  return isMapping ? mapping : list;
}

function readPair(page: Page, mapping: Record<string, unknown>, at: number, depth: number): number {
  const key = keyAt(page, at);
  if (key === '' || Object.hasOwn(mapping, key) || key === '__proto__') return missed(page);
  const keyEnd = at + key.length;
  return readAtom(page, { name: key, keyStart: at, keyEnd, depth }, skipSpaces(page.text, keyEnd + 1), (value) => {
    mapping[key] = value;
  });
}

function readItem(page: Page, list: unknown[], at: number, depth: number): number {
  return readAtom(page, { name: list.length, keyStart: -1, keyEnd: -1, depth }, at, (value) => list.push(value));
}

const atom = /[A-Za-z0-9_(][\w./+()-]*(?: [\w./+()-]+)*/y;

/** Reads one scalar inside brackets; answers where it ends. */
function readAtom(page: Page, slot: Slot, at: number, give: (value: unknown) => void): number {
  const { text } = page;
  const quote = text[at];
  const end = quote === '"' ? endOfDouble(page, at) : quote === "'" ? endOfSingle(page, at) : endOfAtom(text, at);
  if (end === -1 || end >= page.end) return missed(page);
  place(page, slot, at, end);
  if (quote === '"') give(text.slice(at + 1, end - 1));
  else if (quote === "'") give(text.slice(at + 1, end - 1).replaceAll("''", "'"));
  else give(resolved(page, text.slice(at, end)));
  return end;
}

function endOfAtom(text: string, at: number): number {
  atom.lastIndex = at;
  return atom.test(text) ? atom.lastIndex : -1;
}

function missed(page: Page): number {
  doubt(page);
  return page.text.length;
}
