// Finds records that stand in memory by their terms. What nobody asks for is not sorted out, and what was is not looked at again.
import { createSlicer } from '../lib/slice.ts';
import type { TailRecord } from './log.ts';
import { termsOf } from './record-index/terms.ts';
import type { StoreRecord } from './store.ts';

/** Looks terms up among the records in memory. */
export interface TailIndex {
  /** The records, oldest first, that have the rarest of some terms: all that have all of them are among these. */
  having(tail: readonly TailRecord[], terms: readonly string[]): Promise<readonly StoreRecord[]>;
}

/** The records of one tail by those of their terms that begin alike (`team:`). */
interface Sorted {
  readonly tail: readonly TailRecord[];
  readonly byTerm: Map<string, StoreRecord[]>;
  /** How many records of the tail are in it. */
  upTo: number;
}

/** An index that begins anew whenever records have left memory, so that the tail is another. */
export function createTailIndex(): TailIndex {
  const sorted = new Map<string, Sorted>();
  return {
    having: async (tail, terms) => {
      let rarest: readonly StoreRecord[] | undefined;
      for (const term of terms) {
        const { byTerm } = await caughtUp(tail, term.slice(0, term.indexOf(':') + 1));
        const found = byTerm.get(term) ?? [];
        if (!rarest || found.length < rarest.length) rarest = found;
      }
      return rarest ?? tail.map(({ record }) => record);
    },
  };

  async function caughtUp(tail: readonly TailRecord[], beginning: string): Promise<Sorted> {
    const known = sorted.get(beginning);
    const own = known?.tail === tail ? known : { tail, byTerm: new Map<string, StoreRecord[]>(), upTo: 0 };
    sorted.set(beginning, own);
    const slicer = createSlicer();
    while (own.upTo < tail.length) {
      add(own, beginning);
      if (slicer.spent()) await slicer.breathe();
    }
    return own;
  }
}

function add(own: Sorted, beginning: string): void {
  const record = own.tail[own.upTo]?.record;
  own.upTo += 1;
  if (!record) return;
  for (const term of termsOf(record)) {
    if (!term.startsWith(beginning)) continue;
    const others = own.byTerm.get(term);
    if (others) others.push(record);
    else own.byTerm.set(term, [record]);
  }
}
