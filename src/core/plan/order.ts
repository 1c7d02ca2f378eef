// The order of a plan: what others build on comes first; deletions come last, the other way round.
import { declaredKindNames } from '../kinds/index.ts';
import { referencesOf } from '../model/references.ts';
import { addressOf } from '../model/resource.ts';
import type { Planned } from './planned.ts';

/** Sorts by kind, and within a kind by what refers to what, then as the documents stand; in steps, so that a long plan can be sliced. */
export function* inOrder(planned: readonly Planned[]): Generator<void, Planned[]> {
  const written = planned.filter(({ change }) => change.after);
  const deleted = planned.filter(({ change }) => !change.after);
  yield;
  const order: Planned[] = [];
  for (const some of byKind(written)) for (const one of yield* dependenciesFirst(some)) order.push(one);
  const last: Planned[] = [];
  for (const some of byKind(deleted)) for (const one of yield* dependenciesFirst(some)) last.push(one);
  return order.concat(last.reverse());
}

function byKind(planned: readonly Planned[]): Planned[][] {
  return declaredKindNames.map((kind) => planned.filter(({ change }) => change.kind === kind));
}

function* dependenciesFirst(planned: readonly Planned[]): Generator<void, Iterable<Planned>> {
  const byAddress = new Map(planned.map((one) => [addressOf(subjectOf(one)), one]));
  const placed = new Set<Planned>();
  yield;
  for (const one of planned) yield* place(one);
  return placed;

  /** A chain of references is walked without recursion: it may be as long as the tree. */
  function* place(start: Planned): Generator<void> {
    const path = new Set<Planned>();
    const waiting = [start];
    while (waiting.length > 0) {
      const one = waiting.at(-1) as Planned;
      const next = path.has(one) ? [] : dependenciesOf(one).filter((other) => !placed.has(other) && !path.has(other));
      path.add(one);
      for (const other of next) waiting.push(other);
      if (next.length > 0) continue;
      placed.add(waiting.pop() as Planned);
      if (placed.size % 64 === 0) yield;
    }
  }

  function dependenciesOf(one: Planned): Planned[] {
    return referencesOf(subjectOf(one)).flatMap(({ kind, to }) => byAddress.get(`${kind}/${to}`) ?? []);
  }
}

function subjectOf({ change }: Planned) {
  return (change.after ?? change.before) as NonNullable<typeof change.after>;
}
