// Follows the chain of records through the journal as it is read, and holds each line to what it says of it.
import { advance, type Heads, noHeads, streams } from './chain.ts';
import type { Damage } from './damage.ts';
import type { Transacted, Written } from './journal.ts';
import { type Ledger, type Trail, unchainedUpTo } from './ledger.ts';
import type { RecordSegment } from './record-segments.ts';
import type { StoreRecord } from './store.ts';

/** The chain so far. */
export interface TrailMaker {
  readonly trail: Trail;
  readonly damage: readonly Damage[];
  heads(): Heads;
  follow(transaction: Transacted, written: Written, path: string): void;
}

/** Goes on from a ledger, or from the last record that was written before there was a chain. */
export function createTrail(found: readonly RecordSegment[], ledger: Ledger | undefined): TrailMaker {
  const trail: Record<StoreRecord['stream'], { seq: number; hash: string }[]> = { history: [], audit: [] };
  const damage: Damage[] = [];
  const from = (stream: StoreRecord['stream']) => (ledger ? 0 : unchainedUpTo(found, stream));
  const unchained = { history: from('history'), audit: from('audit') };
  let heads = ledger?.heads ?? noHeads;
  return {
    trail,
    damage,
    heads: () => heads,
    follow: ({ seq, chain }, { records, offset }, path) => {
      for (const record of records) {
        const { stream } = record;
        if (seq <= unchained[stream]) continue;
        heads = advance(heads, seq, [record]);
        trail[stream].push({ seq, hash: heads[stream] });
      }
      for (const stream of streams) {
        const told = chain?.[stream];
        if (told === undefined || told === heads[stream]) continue;
        damage.push({ path, offset, why: `the records of ${stream} up to here are not those that were written` });
        heads = { ...heads, [stream]: told };
        const last = trail[stream].at(-1);
        if (last) last.hash = told;
      }
    },
  };
}
