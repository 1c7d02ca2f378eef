// Keys that an object of a JSON text has twice. `JSON.parse` keeps the last without a word.

/**
 * The way to the first key that stands twice in one object; nothing where there is none. `text` is JSON, and `value` is what it says: they have as many
 * members where no key is lost, which takes a fraction of the time of looking at each.
 */
export function repeatedKey(text: string, value: unknown): readonly (string | number)[] | undefined {
  return membersOf(text) === keysIn(value) ? undefined : found(text);
}

/** How many members the objects of a text have: texts that a colon follows. */
function membersOf(text: string): number {
  let members = 0;
  for (let at = text.indexOf('"'); at >= 0; ) {
    let next = endOf(text, at) + 1;
    while (isSpace(text.charCodeAt(next))) next += 1;
    if (text.charCodeAt(next) === colon) members += 1;
    at = text.indexOf('"', next);
  }
  return members;
}

/** Where the text ends that begins at a place: at its quote. */
function endOf(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

const [colon, backslash, quote, comma] = [0x3a, 0x5c, 0x22, 0x2c];
const [braceOpen, braceClose, bracketOpen, bracketClose] = [0x7b, 0x7d, 0x5b, 0x5d];

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value);
  let keys = Array.isArray(value) ? 0 : items.length;
  for (const item of items) keys += keysIn(item);
  return keys;
}

/** An object or a list that the way leads into: the keys that it had so far, and the one that it is at. */
interface Container {
  readonly keys: Set<string> | undefined;
  at: string | number;
  isAtKey: boolean;
}

function found(text: string): readonly (string | number)[] | undefined {
  const open: Container[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== quote) step(code, open);
    else {
      const end = endOf(text, at);
      if (isRepeated(open.at(-1), text, at, end)) return open.map((one) => one.at);
      at = end;
    }
  }
  return undefined;
}

/** What a character outside of texts does to where one is. */
function step(code: number, open: Container[]): void {
  if (code === braceOpen) open.push({ keys: new Set(), at: '', isAtKey: true });
  else if (code === bracketOpen) open.push({ keys: undefined, at: 0, isAtKey: false });
  else if (code === braceClose || code === bracketClose) open.pop();
  else if (code === comma) goOn(open.at(-1));
}

function isRepeated(here: Container | undefined, text: string, begin: number, end: number): boolean {
  if (!here?.keys || !here.isAtKey) return false;
  const key = String(JSON.parse(text.slice(begin, end + 1)));
  here.at = key;
  here.isAtKey = false;
  if (here.keys.has(key)) return true;
  here.keys.add(key);
  return false;
}

function goOn(here: Container | undefined): void {
  if (here?.keys) here.isAtKey = true;
  else if (here) here.at = Number(here.at) + 1;
}
