// The log: what lowdb holds as its data, the state in memory and what waits to be written.
import type { Change } from '../core/model/change.ts';
import { createState, type State } from '../core/model/state.ts';
import { type Heads, noHeads } from './chain.ts';
import type { Passing } from './passing.ts';
import { createRecent, type Recent } from './recent.ts';
import type { StoreRecord } from './store.ts';

/** One commit on its way to the disk. `seq` counts commits from 1, without gaps. */
export interface Waiting {
  readonly seq: number;
  readonly id: string;
  readonly changes: readonly Change[];
  readonly records: readonly StoreRecord[];
  /** Its journal line but for the opening. */
  readonly body: Uint8Array;
}

/** A record, and the commit that it rode in. */
export interface TailRecord {
  readonly seq: number;
  readonly record: StoreRecord;
  /** The record as an older format has it, in which it was written: that is what the chain is over. */
  readonly written?: { readonly version: number; readonly record: StoreRecord };
}

/** Everything durable (but old records), and what is to be written next. */
export interface Log {
  readonly state: State;
  readonly recent: Recent;
  /** The last durable commit; 0 before the first. */
  position: number;
  /** Records that stand in the journal only, by stream, oldest first. Replaced, not shortened, when some of them move out. */
  readonly tail: Record<StoreRecord['stream'], TailRecord[]>;
  /** The chain up to the last durable commit, and up to the last record that left the journal. Replaced, not changed. */
  heads: Heads;
  movedHeads: Heads;
  /** What the age of records counts from; nothing before the first commit. */
  passing: Passing | undefined;
  /** What the adapter's next `write` makes durable. */
  waiting: readonly Waiting[];
}

/** A log of nothing. */
export function emptyLog(): Log {
  return {
    state: createState(),
    recent: createRecent(),
    position: 0,
    tail: { history: [], audit: [] },
    heads: noHeads,
    movedHeads: noHeads,
    passing: undefined,
    waiting: [],
  };
}
