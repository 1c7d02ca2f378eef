// Makes one run of several whose segments follow one another.
import type { Covered, Part, Term } from './encode.ts';

/** What is to be merged: the terms in the order of their keys. */
export interface Source {
  readonly covered: readonly Covered[];
  readonly terms: Iterable<Term>;
}

/** All segments of the sources, in order. */
export function coveredBy(sources: readonly Pick<Source, 'covered'>[]): Covered[] {
  return sources.flatMap(({ covered }) => covered);
}

/** All terms of the sources in the order of their keys, with the parts of each source behind those of the ones before it. */
export function* merged(sources: readonly Source[]): Generator<Term> {
  let base = 0;
  const heads = sources.map(({ covered, terms }) => {
    const iterator = terms[Symbol.iterator]();
    const head: Head = { base, terms: iterator, next: iterator.next() };
    base += covered.length;
    return head;
  });
  for (let key = leastKey(heads); key !== undefined; key = leastKey(heads))
    yield { key, parts: heads.flatMap((head) => partsOf(head, key ?? '')) };
}

/** A source, where its segments begin among all, and the term that comes next. */
interface Head {
  readonly base: number;
  readonly terms: Iterator<Term, unknown>;
  next: IteratorResult<Term, unknown>;
}

function leastKey(heads: readonly Head[]): string | undefined {
  let least: string | undefined;
  for (const { next } of heads)
    if (!next.done && (least === undefined || next.value.key < least)) least = next.value.key;
  return least;
}

/** What a source has of a term, which it goes past. */
function partsOf(head: Head, key: string): Part[] {
  const { base, next, terms } = head;
  if (next.done || next.value.key !== key) return [];
  head.next = terms.next();
  return next.value.parts.map((part) => ({ ...part, segment: base + part.segment }));
}
