// A document file in its canonical form: keys in the order of the schemas, two spaces, and every comment with what it is about.
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseAllDocuments,
  visit,
  type YAMLMap,
} from 'yaml';
import type { z } from 'zod';
import { envelope } from '../core/kinds/envelope.ts';
import { isDeclaredKind, kindOf } from '../core/kinds/index.ts';
import { partsOf } from '../core/kinds/kind.ts';
import { fieldIn } from '../core/model/children.ts';
import type { Finding } from '../core/model/finding.ts';
import { withSortedKeys } from '../lib/sorted-keys.ts';
import { parse } from './parse.ts';

/** The text as it should be, or what keeps it from being read. */
export type Formatted = { readonly text: string } | { readonly findings: readonly Finding[] };

/**
 * Formats the text of a document file. It means the same afterwards, and has the same comments; what is formatted already stays as it is. The order
 * of lists is never touched, because it may say something to people even where it says nothing to Weir.
 */
export function format(file: string, text: string): Formatted {
  const { findings } = parse(file, text);
  if (findings.some(({ severity }) => severity === 'error')) return { findings };
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  // Where the order cannot be changed without losing something, at least the layout is made canonical.
  const tries = [true, false].map((ordered) => settled(plain, ordered));
  const found = tries.find((next) => next !== undefined && isTheSame(file, plain, next));
  return { text: (found ?? plain).replaceAll('\n', eol) };
}

/** Written until nothing changes any more: the first time may bring comments to where the second finds them otherwise. */
function settled(text: string, ordered: boolean): string | undefined {
  let last = text;
  for (let round = 0; round < 4; round += 1) {
    const next = written(last, ordered);
    if (next === last) return next;
    last = next;
  }
  return undefined;
}

function written(text: string, ordered: boolean): string {
  const documents = documentsIn(text);
  for (const document of documents) if (ordered && !hasAliases(document)) order(document);
  return documents.map((document, index) => textOf(document, index)).join('');
}

/** The documents of a text that is known to be sound. */
export function documentsIn(text: string): Document[] {
  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    uniqueKeys: false,
  });
  return Array.isArray(documents) ? (documents as Document[]) : [];
}

/** How documents are written. */
const layout = { indent: 2, indentSeq: true, lineWidth: 0, flowCollectionPadding: false } as const;

/** How deep things are set in, where not as usual. */
export interface Indent {
  readonly indent?: number;
  readonly indentSeq?: boolean;
}

/** A document as it is written, the `index`th of its file. */
export function textOf(document: Document, index: number, indent: Indent = {}): string {
  if (index > 0 && document.directives) document.directives.docStart = true;
  return document.toString({ ...layout, ...indent });
}

/** Formatting must never change what somebody wrote, neither values nor comments. */
function isTheSame(file: string, before: string, after: string): boolean {
  const [old, fresh] = [parse(file, before), parse(file, after)];
  const isSound = fresh.findings.length === 0 && old.documents.length === fresh.documents.length;
  return isSound && valuesOf(old) === valuesOf(fresh) && commentsIn(before) === commentsIn(after);
}

function valuesOf({ documents }: ReturnType<typeof parse>): string {
  return JSON.stringify(
    documents.map(({ value }) => value),
    withSortedKeys,
  );
}

/** All comments of a text, whatever they stand at. */
function commentsIn(text: string): string {
  const lines: string[] = [];
  const take = (comment: string | null | undefined) => {
    for (const line of comment?.split('\n') ?? []) if (line.trim() !== '') lines.push(line.trim());
  };
  for (const document of documentsIn(text)) {
    take(document.commentBefore);
    take(document.comment);
    visit(document, { Node: (_key, { commentBefore, comment }) => [commentBefore, comment].forEach(take) });
  }
  return JSON.stringify(lines.sort());
}

/** What an alias stands for must come before it. */
function hasAliases(document: Document): boolean {
  let found = false;
  visit(document, {
    Node: (_key, node) => {
      found ||= isAlias(node) || ('anchor' in node && node.anchor !== undefined);
    },
  });
  return found;
}

function order({ contents }: Document): void {
  if (!isMap(contents)) return;
  const kind = contents.get('kind');
  if (!isDeclaredKind(kind)) return;
  // What stands above the first key speaks of the document, and stays above.
  sortKeys(contents, Object.keys(envelope.shape), 'holder');
  for (const part of ['metadata', 'lifecycle'] as const) orderNode(contents.get(part, true), envelope.shape[part]);
  orderNode(contents.get('spec', true), kindOf(kind).spec);
}

function orderNode(node: unknown, schema: z.core.$ZodType): void {
  const parts = partsOf(schema);
  if (isSeq(node) && parts.type === 'list') for (const item of node.items) orderItem(item, parts.item);
  if (!isMap(node) || (parts.type !== 'object' && parts.type !== 'map')) return;
  for (const { key, value } of node.items) {
    const field = parts.type === 'map' ? parts.value : fieldIn(parts, nameOf(key));
    if (field) orderNode(value, field);
  }
  if (parts.type === 'object') sortKeys(node, Object.keys(parts.fields), 'entry');
}

/** What stands above the dash of an item speaks of the item; nothing is put between the dash and its first key. */
function orderItem(item: unknown, schema: z.core.$ZodType): void {
  const above = isMap(item) ? item.commentBefore : undefined;
  if (isMap(item)) item.commentBefore = null;
  orderNode(item, schema);
  if (!isMap(item)) return;
  const key = item.items[0]?.key;
  const own = isNode(key) && !item.flow ? key.commentBefore : undefined;
  if (isNode(key) && own) key.commentBefore = null;
  item.commentBefore = joined(above, own);
}

/** Sorts keys as the schema has them, unknown ones last. `top`: whether a comment above the first speaks of that entry, or of what holds it. */
function sortKeys(map: YAMLMap, fields: readonly string[], top: 'entry' | 'holder'): void {
  const rank = ({ key }: Pair) => {
    const at = fields.indexOf(nameOf(key));
    return at === -1 ? fields.length : at;
  };
  const [first] = map.items;
  const sorted = map.items.toSorted((a, b) => rank(a) - rank(b));
  if (!first || sorted.every((pair, index) => pair === map.items[index])) return;
  const [head] = sorted;
  // `yaml` hangs a comment above the first entry on the mapping, or on the entry.
  const above = joined(map.commentBefore, isNode(first.key) ? first.key.commentBefore : undefined);
  const owner = top === 'entry' ? first.key : head?.key;
  map.commentBefore = null;
  if (isNode(first.key)) first.key.commentBefore = null;
  if (isNode(owner)) owner.commentBefore = joined(above, owner.commentBefore);
  map.items = sorted;
  if (head && isNode(head.key)) head.key.spaceBefore = false;
}

function joined(first: string | null | undefined, second: string | null | undefined): string | null {
  return first && second ? `${first}\n${second}` : first || second || null;
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String((key as Node & { value: unknown }).value) : '';
}
