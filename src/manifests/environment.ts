// The documents of an environment: those of the tree, with those of its overlay merged over them by kind and name.

import { fieldOf } from '../core/kinds/public-files.ts';
import type { Document } from '../core/model/document.ts';
import type { Finding } from '../core/model/finding.ts';
import { mergePatch, patchedAt } from '../core/model/merge-patch.ts';
import { stepsOf } from '../core/model/pointer.ts';

/** What an overlay document came to, and what it was merged over: nothing where it declares something new. */
export interface Merge {
  readonly base: Document | undefined;
  readonly merged: Document;
}

/** Documents with their overlay. `merges`: by the documents of the overlay, for the next reading. */
export interface Environment {
  readonly documents: readonly Document[];
  readonly findings: readonly Finding[];
  readonly merges: ReadonlyMap<Document, Merge>;
}

/**
 * Merges the documents of an overlay over those of the tree (RFC 7386). One that names nothing that the tree declares is something new. What is the
 * same as in an earlier reading stays the very same document, so that it is not decoded again. In steps, so that a large one can be sliced.
 */
export function* environmentSteps(
  documents: readonly Document[],
  overlays: readonly Document[],
  earlier: ReadonlyMap<Document, Merge> = new Map(),
): Generator<void, Environment> {
  if (overlays.length === 0) return { documents, findings: [], merges: new Map() };
  const places = placesOf(documents);
  yield;
  const [firsts, findings] = apart(overlays);
  yield;
  const result = [...documents];
  const merges = new Map<Document, Merge>();
  for (const [patch, address] of firsts) {
    const at = address === undefined ? undefined : places.get(address);
    const merge = mergeOnce(at === undefined ? undefined : documents[at], patch, earlier.get(patch));
    merges.set(patch, merge);
    if (at === undefined) result.push(merge.merged);
    else result[at] = merge.merged;
    if (merges.size % 64 === 0) yield;
  }
  return { documents: result, findings, merges };
}

/** The documents of an overlay with their addresses, and a finding for each that stands there twice. */
function apart(overlays: readonly Document[]): readonly [ReadonlyMap<Document, string | undefined>, Finding[]] {
  const known = new Map<string, Document>();
  const firsts = new Map<Document, string | undefined>();
  const findings: Finding[] = [];
  for (const patch of overlays) {
    const address = addressOf(patch);
    const first = address === undefined ? undefined : known.get(address);
    if (first) findings.push(twice(patch, first));
    else firsts.set(patch, address);
    if (address !== undefined && !first) known.set(address, patch);
  }
  return [firsts, findings];
}

function mergeOnce(base: Document | undefined, patch: Document, earlier: Merge | undefined): Merge {
  return earlier && earlier.base === base ? earlier : { base, merged: merged(base, patch) };
}

/** The first document of each address; that there is a second one is told where it is decoded. */
function placesOf(documents: readonly Document[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [index, document] of documents.entries()) {
    const address = addressOf(document);
    if (address !== undefined && !places.has(address)) places.set(address, index);
  }
  return places;
}

function addressOf({ value }: Document): string | undefined {
  const [kind, name] = [fieldOf(value, 'kind'), fieldOf(fieldOf(value, 'metadata'), 'name')];
  return typeof kind === 'string' && typeof name === 'string' ? `${kind}/${name}` : undefined;
}

function twice(patch: Document, first: Document): Finding {
  const [kind, name] = (addressOf(patch) ?? '').split('/') as [string, string];
  const { file, line } = first.locate('/metadata/name', 'value');
  const message = `${kind}/${name}: cannot stand twice in one overlay, because ${file}:${line} has it already: write both as one document`;
  const source = patch.locate('/metadata/name', 'value');
  return { rule: 'duplicate-object', severity: 'error', message, kind, name, path: '/metadata/name', source };
}

/** Each part stands where it was set. What an object is called, and where it begins, is the document that declares it. */
function merged(base: Document | undefined, patch: Document): Document {
  const value = mergePatch(base?.value, patch.value);
  if (base === undefined)
    return { ...patch, value, raw: (pointer) => (has(value, pointer) ? patch.raw(pointer) : undefined) };
  const setIn = (pointer: string) =>
    !identity.has(pointer) && patchedAt(base.value, patch.value, stepsOf(pointer)) !== 'left' ? patch : base;
  return {
    file: base.file,
    value,
    locate: (pointer, part) => setIn(pointer).locate(pointer, part),
    raw: (pointer) => (has(value, pointer) ? setIn(pointer).raw(pointer) : undefined),
  };
}

const identity: ReadonlySet<string> = new Set(['', '/apiVersion', '/kind', '/metadata', '/metadata/name', '/spec']);

function has(value: unknown, pointer: string): boolean {
  let at = value;
  for (const step of stepsOf(pointer)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return true;
}
