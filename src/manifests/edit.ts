// Edits one document of a file field by field, and leaves the rest of the text, comments included, as it stands.
import { type Document, isMap, isNode, isScalar, isSeq, type Node, Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import { envelope } from '../core/kinds/envelope.ts';
import { type DeclaredKindName, kindOf } from '../core/kinds/index.ts';
import { type Parts, partsOf } from '../core/kinds/kind.ts';
import { fieldIn } from '../core/model/children.ts';
import { sameValue } from '../core/model/leaves.ts';
import { stepsOf } from '../core/model/pointer.ts';
import { changeLike } from '../lib/line-diff.ts';
import { documentsIn, type Indent, textOf } from './format.ts';

/** One field to set, or to take away (`undefined`). Items of named lists stand in the path by their name (`/spec/instanceTypes/small/limit`). */
export interface Edit {
  readonly path: string;
  readonly value: unknown;
}

/**
 * The text with the edits made in the document that declares `kind` and `name`: as little changed as possible, and, should that not do, all of it
 * written anew. Nothing where there is no such document in it.
 */
export function editText(
  text: string,
  { kind, name }: { readonly kind: DeclaredKindName; readonly name: string },
  edits: readonly Edit[],
): readonly [string, string] | undefined {
  const documents = documentsIn(text);
  const document = documents.find(({ contents }) => isMap(contents) && isNamed(contents, kind, name));
  if (!document || !isMap(document.contents)) return undefined;
  const indent = indentOf(text);
  const written = () => documents.map((one, index) => textOf(one, index, indent)).join('');
  const before = written();
  // What is set comes first, so that no section is emptied that something is put into.
  for (const edit of edits.toSorted((a, b) => Number(a.value === undefined) - Number(b.value === undefined)))
    apply(document, document.contents, rootOf(kind), stepsOf(edit.path), edit.value);
  const after = written();
  return [changeLike(text, before, after), after];
}

/** As the file has it. */
function indentOf(text: string): Indent {
  const indent = /^( {1,8})[^\s#-]/m.exec(text)?.[1]?.length ?? 2;
  return { indent, indentSeq: !hasFlushList(text) };
}

/** Whether a list begins as far left as the key that it belongs to, in the line below it; remarks may stand between. */
function hasFlushList(text: string): boolean {
  let list: string | undefined;
  for (const line of text.split('\n')) {
    if (/^ *#/.test(line)) continue;
    if (list !== undefined && line.startsWith(list)) return true;
    const indent = /^ */.exec(line)?.[0] ?? '';
    list = opensBlock(line.slice(indent.length)) ? `${indent}- ` : undefined;
  }
  return false;
}

/** Whether a line is a key without a value. */
function opensBlock(line: string): boolean {
  return /^[^\s#-]/.test(line) && /:[ \t]*$|:[ \t]*#/.test(line);
}

function isNamed(map: YAMLMap, kind: string, name: string): boolean {
  return map.get('kind') === kind && map.getIn(['metadata', 'name']) === name;
}

function rootOf(kind: DeclaredKindName): Parts {
  return { type: 'object', fields: { ...envelope.shape, spec: kindOf(kind).spec } };
}

function apply(
  document: Document,
  holder: YAMLMap | YAMLSeq,
  parts: Parts,
  steps: readonly string[],
  value: unknown,
): void {
  if (isSeq(holder)) applyToItem(document, holder, parts, steps, value);
  else applyToField(document, holder, parts, steps, value);
}

function applyToField(
  document: Document,
  map: YAMLMap,
  parts: Parts,
  [step = '', ...rest]: readonly string[],
  value: unknown,
): void {
  const schema = parts.type === 'map' ? parts.value : fieldIn(parts, step);
  if (rest.length === 0) put(document, map, parts, step, value);
  else if (schema) {
    const inner = innerOf(document, map, parts, step, value === undefined ? undefined : partsOf(schema));
    if (!inner) return;
    const had = inner.items.length;
    apply(document, inner, partsOf(schema), rest, value);
    if (had > 0 && inner.items.length === 0) map.delete(step);
  }
}

/** The mapping or list below a key; made where there is none, unless nothing is to be put there. */
function innerOf(
  document: Document,
  map: YAMLMap,
  parts: Parts,
  step: string,
  made: Parts | undefined,
): YAMLMap | YAMLSeq | undefined {
  const there = map.get(step, true);
  if (isMap(there) || isSeq(there)) return there;
  if (made === undefined) return undefined;
  put(document, map, parts, step, made.type === 'list' ? [] : {});
  const fresh = map.get(step, true);
  return isMap(fresh) || isSeq(fresh) ? fresh : undefined;
}

/** An item of a named list goes with its name, and comes with it. */
function applyToItem(
  document: Document,
  list: YAMLSeq,
  parts: Parts,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): void {
  if (parts.type !== 'list' || parts.namedBy === undefined) return;
  const { namedBy, item: schema } = parts;
  const at = list.items.findIndex((item) => isMap(item) && String(item.get(namedBy)) === name);
  if (rest.length === 1 && rest[0] === namedBy && value === undefined) {
    if (at !== -1) list.items.splice(at, 1);
    return;
  }
  if (at === -1 && value === undefined) return;
  if (at === -1) list.items.push(document.createNode({ [namedBy]: name }));
  const item = list.items.at(at);
  if (isMap(item)) apply(document, item, partsOf(schema), rest, value);
}

function put(document: Document, map: YAMLMap, parts: Parts, key: string, value: unknown): void {
  if (value === undefined) {
    map.delete(key);
    return;
  }
  const pair = map.items.find((one) => isScalar(one.key) && one.key.value === key);
  if (pair) {
    const schema = fieldIn(parts, key);
    const list = schema && partsOf(schema);
    pair.value = changed(document, pair.value, value, list?.type === 'list' && list.set);
    return;
  }
  const fields = parts.type === 'object' ? Object.keys(parts.fields) : [];
  const rank = (one: unknown) => fields.indexOf(String(isScalar(one) ? one.value : one));
  const before = map.items.findIndex((one) => rank(one.key) > rank(key));
  const made = new Pair(document.createNode(key), nodeOf(document, value));
  map.items.splice(before === -1 ? map.items.length : before, 0, made);
}

/** What stands there with another value; its comments stay. A set stays in the order of the file. */
function changed(document: Document, node: unknown, value: unknown, isSet: boolean): Node {
  if (isScalar(node) && (typeof value !== 'object' || value === null)) {
    node.value = value;
    return node;
  }
  if (isSeq(node) && Array.isArray(value)) {
    const items = itemsFor(document, node, value);
    node.items = isSet ? items.toSorted((a, b) => placeIn(node, a) - placeIn(node, b)) : items;
    return node;
  }
  const next = nodeOf(document, value);
  if (isNode(node)) {
    next.commentBefore = node.commentBefore ?? null;
    next.comment = node.comment ?? null;
  }
  return next;
}

/** A node for each value, in their order: the one that has it already, with its comments, or a new one. */
function itemsFor(document: Document, list: YAMLSeq, values: readonly unknown[]): unknown[] {
  const left = [...list.items];
  return values.map((value) => {
    const at = left.findIndex((item) => sameValue(plain(document, item), value));
    return at === -1 ? nodeOf(document, value) : left.splice(at, 1)[0];
  });
}

/** What is new comes last. */
function placeIn(list: YAMLSeq, item: unknown): number {
  const at = list.items.indexOf(item);
  return at === -1 ? list.items.length : at;
}

function plain(document: Document, item: unknown): unknown {
  return isNode(item) ? item.toJS(document) : item;
}

function nodeOf(document: Document, value: unknown): Node {
  const node = document.createNode(value) as Node;
  // A reference to a secret stands on one line.
  if (isMap(node) && node.items.length === 1 && (node.has('fromEnv') || node.has('fromFile'))) node.flow = true;
  return node;
}
