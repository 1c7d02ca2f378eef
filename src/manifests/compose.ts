// One walk over a YAML document's tree: plain values, the places of all its parts, and what strict YAML refuses.
import type { Alias, Node, Scalar, YAMLMap } from 'yaml';
import { isAlias, isMap, isNode, isScalar } from 'yaml';
import type { Places } from './places.ts';
import { SPOT } from './places.ts';
import { numberProblem, quoted, shown, unrendered } from './words.ts';

/** How deep mappings and lists may stand in one another. */
export const MAX_DEPTH = 64;

/** How many nodes the aliases of one document may stand for. */
export const MAX_ALIAS_NODES = 10_000;

/** How many problems of one document are told. */
export const MAX_PROBLEMS = 100;

/**
 * Something refused, at an offset range of the text. `earlier`: the offset of what it collides with. `vague`: it may be only the echo of another
 * problem before it. `damaging`: the document's value is not what was written.
 */
export interface Problem {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly earlier?: number;
  readonly vague?: true;
  readonly damaging?: true;
}

export interface Composed {
  readonly value: unknown;
  readonly places: Places;
  readonly problems: readonly Problem[];
}

/**
 * Turns what `yaml` composed into plain data (own properties only, also for a key `__proto__`). An alias shares the value that it names and
 * counts with its full size, so an alias bomb costs nothing.
 */
export function compose(contents: Node | null): Composed {
  const walk: Walk = { names: [], spots: [], problems: [], anchors: new Map(), expanded: 0, deepest: 0, last: -1 };
  const value = read(walk, contents, '', -1, -1, 0);
  return { value, places: { names: walk.names, spots: walk.spots }, problems: walk.problems };
}

/** The message for what is nested deeper than `MAX_DEPTH`. */
export const tooDeep = `mappings and lists cannot be nested more than ${MAX_DEPTH} deep: flatten what stands here`;

interface Walk {
  readonly names: (string | number)[];
  readonly spots: number[];
  readonly problems: Problem[];
  readonly anchors: Map<string, Anchor>;
  /** How many nodes aliases have stood for so far. */
  expanded: number;
  /** The deepest level reached in the anchored node that is being read. */
  deepest: number;
  /** The last entry of the mapping or list that was read last, -1 for an empty one. */
  last: number;
}

/**
 * `index`: its node; nothing where it is a key, which has none of its own. `size`: how many nodes it stands for, aliases in it expanded; 0 while it
 * is being read. `height`: levels of nesting in it.
 */
interface Anchor {
  readonly index?: number;
  readonly size: number;
  readonly height: number;
  readonly value: unknown;
}

function read(
  walk: Walk,
  item: Node | null,
  name: string | number,
  keyStart: number,
  keyEnd: number,
  depth: number,
): unknown {
  const index = walk.names.length;
  const start = item?.range?.[0] ?? keyEnd;
  const end = item?.range?.[1] ?? keyEnd;
  // An entry without a value stands where its key ends, not behind the colon, the spaces and the comments after it.
  const isEmpty = start === end && keyEnd >= 0;
  walk.names.push(name);
  walk.spots.push(keyStart, keyEnd, isEmpty ? keyEnd : start, isEmpty ? keyEnd : end, index + 1);
  if (isAlias(item)) return readAlias(walk, item, index, depth);
  if (item === null || item === undefined) return null;
  return item.anchor === undefined
    ? readPlain(walk, item, index, depth)
    : readAnchored(walk, item, item.anchor, index, depth);
}

function readPlain(walk: Walk, item: Exclude<Node, Alias>, index: number, depth: number): unknown {
  if (isScalar(item)) return readScalar(walk, item);
  if (depth > walk.deepest) walk.deepest = depth;
  if (depth >= MAX_DEPTH) {
    report(walk, item, tooDeep);
    return null;
  }
  const value = isMap<Node | null, Node | null>(item)
    ? readMapping(walk, item, depth + 1)
    : readList(walk, item, depth + 1);
  walk.spots[index * SPOT + 4] = walk.names.length;
  // A block ends where its last entry ends; what `yaml` calls its end takes in the comments and empty lines after it.
  if (item.flow !== true && walk.last >= 0) walk.spots[index * SPOT + 3] = endOf(walk, walk.last);
  return value;
}

function readScalar(walk: Walk, item: Scalar): unknown {
  const { value } = item;
  checkText(walk, item);
  if (typeof value !== 'number') return value;
  if (!Number.isSafeInteger(value)) {
    const message = numberProblem(value, item.source ?? '');
    if (message !== undefined) report(walk, item, message, Number.isFinite(value));
  }
  return value + 0; // -0 becomes 0, as it does in JSON
}

/** Escapes can write what no text of a message, a program or a file may hold. */
function checkText(walk: Walk, item: Scalar): void {
  const { value } = item;
  if (typeof value !== 'string') return;
  if (value.includes('\0')) report(walk, item, 'a text cannot hold NUL (U+0000): leave it out', true);
  if (!value.isWellFormed())
    report(
      walk,
      item,
      'a text cannot hold half of a surrogate pair (\\uD800 to \\uDFFF): write the character itself',
      true,
    );
}

function readMapping(walk: Walk, map: YAMLMap<Node | null, Node | null>, depth: number): unknown {
  const value: Record<string, unknown> = {};
  const first = walk.names.length;
  let last = -1;
  for (const pair of map.items) {
    const key = readKey(walk, pair.key, map);
    if (key === undefined) continue;
    const twice = Object.hasOwn(value, key);
    if (twice) reportDuplicate(walk, key, pair.key, first);
    last = walk.names.length;
    const entry = read(walk, pair.value, key, pair.key?.range?.[0] ?? -1, pair.key?.range?.[1] ?? -1, depth);
    if (key === '__proto__')
      Object.defineProperty(value, key, { value: entry, enumerable: true, configurable: true, writable: true });
    else if (!twice) value[key] = entry;
  }
  walk.last = last;
  return value;
}

function readList(walk: Walk, list: { readonly items: readonly unknown[] }, depth: number): unknown {
  const value: unknown[] = [];
  let last = -1;
  for (const item of list.items) {
    last = walk.names.length;
    value.push(read(walk, isNode(item) ? item : null, value.length, -1, -1, depth));
  }
  walk.last = last;
  return value;
}

function readKey(walk: Walk, key: Node | null, map: YAMLMap): string | undefined {
  const item = isAlias(key) ? walk.anchors.get(key.source)?.value : isScalar(key) ? key.value : key;
  if (isScalar(key) && key.anchor !== undefined) {
    walk.anchors.set(key.anchor, { size: 1, height: 0, value: key.value });
  }
  if (isScalar(key)) checkText(walk, key);
  if (typeof item === 'string' && !(item === '<<' && isScalar(key) && key.type === 'PLAIN')) return item;
  // Two braces one after the other: a mapping in braces that is the first key of another one.
  const isPlaceholder =
    isMap(key) && key.flow === true && map.flow === true && key.range?.[0] === (map.range?.[0] ?? -2) + 1;
  if (isPlaceholder) report(walk, map, unrendered);
  else report(walk, key?.range ? key : map, keyProblem(key, item));
  return undefined;
}

function keyProblem(key: Node | null, item: unknown): string {
  if (item === '<<') return 'a merge key (<<) cannot be used, because it is no part of YAML 1.2: write the fields out';
  if (isAlias(key))
    return `the alias *${key.source} cannot be a key, because it does not name a text: write the key itself`;
  if (isScalar(key) && (key.source ?? '') !== '') {
    const what = key.value === null ? 'null' : `a ${typeof key.value}`;
    return `the key ${shown(key.source)} cannot be ${what}, because every key is text: write ${quoted(key.source)} with its quotes`;
  }
  if (isScalar(key) || key === null) return 'an entry cannot be without a key: write `key: value`';
  return `a ${isMap(key) ? 'mapping' : 'list'} cannot be a key, because every key is text: put quotes around it if it is meant as text`;
}

function readAnchored(walk: Walk, item: Exclude<Node, Alias>, name: string, index: number, depth: number): unknown {
  const outer = { deepest: walk.deepest, expanded: walk.expanded };
  walk.anchors.set(name, { index, size: 0, height: 0, value: null });
  walk.deepest = depth;
  const value = readPlain(walk, item, index, depth);
  const size = walk.names.length - index + walk.expanded - outer.expanded;
  walk.anchors.set(name, { index, size, height: walk.deepest - depth, value });
  walk.deepest = Math.max(walk.deepest, outer.deepest);
  return value;
}

function readAlias(walk: Walk, item: Alias, index: number, depth: number): unknown {
  const target = walk.anchors.get(item.source);
  const problem = aliasProblem(walk, item.source, target, depth);
  if (problem !== undefined) report(walk, item, problem);
  if (target === undefined || target.size === 0 || problem !== undefined) return null;
  walk.expanded += target.size;
  walk.deepest = Math.max(walk.deepest, depth + target.height);
  if (walk.expanded > MAX_ALIAS_NODES) {
    report(
      walk,
      item,
      `the aliases of one document cannot stand for more than ${MAX_ALIAS_NODES} nodes: write the values out`,
    );
    return null;
  }
  if (target.index !== undefined) walk.spots[index * SPOT + 4] = -1 - target.index;
  return target.value;
}

function aliasProblem(walk: Walk, name: string, target: Anchor | undefined, depth: number): string | undefined {
  if (target === undefined)
    return `the alias *${name} cannot be resolved, because no anchor &${name} stands before it in this document: quote it if it is text`;
  if (target.size === 0)
    return `the alias *${name} cannot stand inside what &${name} names, because it would contain itself`;
  if (depth + target.height > MAX_DEPTH) return tooDeep;
  // Said once: after the limit is passed every other alias is silently null, and the document is refused anyway.
  return walk.expanded > MAX_ALIAS_NODES ? '' : undefined;
}

function reportDuplicate(walk: Walk, key: string, item: Node | null, first: number): void {
  if (walk.problems.length >= MAX_PROBLEMS) return;
  let index = first;
  while (index < walk.names.length && walk.names[index] !== key)
    index = Math.max(index + 1, walk.spots[index * SPOT + 4] ?? 0);
  const earlier = walk.spots[index * SPOT] ?? 0;
  const [start, end] = item?.range ?? [earlier, earlier];
  walk.problems.push({ start, end, message: `the key ${quoted(key)} cannot be given twice in one mapping`, earlier });
}

function report(walk: Walk, item: Node, message: string, harmless = false): void {
  if (message === '' || walk.problems.length >= MAX_PROBLEMS) return;
  const [start, end] = item.range ?? [0, 0];
  walk.problems.push({ start, end, message, ...(harmless ? {} : { damaging: true }) });
}

function endOf({ spots }: Walk, index: number): number {
  return Math.max(spots[index * SPOT + 3] ?? 0, spots[index * SPOT + 1] ?? 0);
}
