// The order of a plan: what others build on comes first; deletions come last, the other way round.
import { declaredKindNames } from '../kinds/index.ts';
import { referencesOf } from '../model/references.ts';
import { addressOf } from '../model/resource.ts';
import type { Planned } from './planned.ts';

/** Sorts by kind, and within a kind by what refers to what, then as the documents stand. */
export function inOrder(planned: readonly Planned[]): Planned[] {
  const written = planned.filter(({ change }) => change.after);
  const deleted = planned.filter(({ change }) => !change.after);
  return [...byKind(written).flatMap(dependenciesFirst), ...byKind(deleted).flatMap(dependenciesFirst).reverse()];
}

function byKind(planned: readonly Planned[]): Planned[][] {
  return declaredKindNames.map((kind) => planned.filter(({ change }) => change.kind === kind));
}

function dependenciesFirst(planned: readonly Planned[]): Planned[] {
  const byAddress = new Map(planned.map((one) => [addressOf(subjectOf(one)), one]));
  const placed = new Set<Planned>();
  for (const one of planned) place(one);
  return [...placed];

  /** A chain of references is walked without recursion: it may be as long as the tree. */
  function place(start: Planned): void {
    const path = new Set<Planned>();
    const waiting = [start];
    while (waiting.length > 0) {
      const one = waiting.at(-1) as Planned;
      const next = path.has(one) ? [] : dependenciesOf(one).filter((other) => !placed.has(other) && !path.has(other));
      path.add(one);
      for (const other of next) waiting.push(other);
      if (next.length > 0) continue;
      placed.add(waiting.pop() as Planned);
    }
  }

  function dependenciesOf(one: Planned): Planned[] {
    return referencesOf(subjectOf(one)).flatMap(({ kind, to }) => byAddress.get(`${kind}/${to}`) ?? []);
  }
}

function subjectOf({ change }: Planned) {
  return (change.after ?? change.before) as NonNullable<typeof change.after>;
}
