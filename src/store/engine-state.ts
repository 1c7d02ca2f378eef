// What an embedded engine holds, and what it stands on.
import type { Low } from 'lowdb';
import type { Resource } from '../core/model/resource.ts';
import type { State } from '../core/model/state.ts';
import type { View } from '../core/model/view.ts';
import type { Shelf } from './blobs.ts';
import type { Damage } from './damage.ts';
import { wordsOf } from './file-system.ts';
import type { Log, Waiting } from './log.ts';
import type { SealedRow } from './seal.ts';
import type {
  Entry,
  Onward,
  OnwardQuery,
  PositionedView,
  Receipt,
  RecordFilter,
  RecordQuery,
  StoreRecord,
  Usage,
} from './store.ts';

/** What an engine adds: where records are found, how it closes, and what it tells a person. */
export interface Backing {
  readonly records: (log: Log, query: RecordQuery) => Promise<readonly StoreRecord[]>;
  readonly countRecords: (log: Log, filter: RecordFilter) => Promise<number>;
  readonly recordsAfter: (log: Log, query: OnwardQuery) => Promise<Onward>;
  readonly close: () => Promise<void>;
  /** Where blobs are. */
  readonly shelf: Shelf;
  readonly log: (message: string) => void;
  /** RFC 3339. */
  readonly now: () => string;
  /** Evaluates each transaction twice and keeps the second, so that one that is not pure is found out. */
  readonly rehearse?: boolean;
  /** A resource as its line in the journal holds it, secrets encrypted; absent where nothing is written to a disk. */
  readonly seal?: (row: Resource) => SealedRow;
  /** How much the journal has grown since the last snapshot, in bytes. */
  readonly journalBytes?: () => number;
  /** How the disk is for room; absent where it is no matter. */
  readonly room?: () => Room;
  /** Why nothing is kept for now, as the last look found: the next one may find otherwise. Absent where that cannot be. */
  readonly lost?: () => string | undefined;
  /** Told once why nothing is kept any more. */
  readonly onFailure?: ((reason: string) => void) | undefined;
  /** How the disk is, and what the store takes of it, as far as it was looked at. */
  readonly usage?: () => Usage;
  /** What is wrong with the records, as far as it is known; absent where they are kept in memory alone. */
  readonly damage?: () => readonly Damage[];
  /** Why this store takes no writes, where it was opened for reading. */
  readonly readOnly?: string;
}

/** Whether the disk has room: `low` where the reserve was broken into, so that what can wait is refused; `none` where commits are. */
export type Room = 'enough' | 'low' | 'none';

/** A write that failed for good; `reached` when some of its bytes may be on the disk. */
export class WriteFailed extends Error {
  override readonly name = 'WriteFailed';
  readonly reached: boolean;
  constructor(reached: boolean, cause: unknown) {
    super(wordsOf(cause), { cause });
    this.reached = reached;
  }
}

/** A write that did not come about: nothing of it is on the disk, and a later one may well succeed. The message says why, for a person. */
export class NotWritten extends Error {
  override readonly name = 'NotWritten';
}

/** A commit that was evaluated and is not durable yet. */
export interface Pending extends Waiting {
  readonly result: unknown;
  readonly receipt: PromiseWithResolvers<Receipt>;
}

/** Somebody who waits until a position is durable. */
export interface Waiter {
  readonly position: number;
  readonly reached: PromiseWithResolvers<void>;
}

/** The engine's own state. */
export interface Engine {
  readonly low: Low<Log>;
  readonly backing: Backing;
  readonly listeners: Set<(entry: Entry) => void>;
  readonly closed: AbortController;
  /** Evaluated and not durable, by id, in order; the first of them may be on their way to the disk. */
  pending: Map<string, Pending>;
  /** Commits whose outcome nobody knows, until something else is written: what was left of them is cut off first. */
  readonly unknown: Set<string>;
  queue: Pending[];
  waiters: Waiter[];
  /** What readers see. */
  view: PositionedView;
  /** The durable state with all that is pending on top; made when it is first asked for. */
  head: State | undefined;
  headPosition: number;
  evaluating: boolean;
  /** Resolves when a long evaluation that is under way has ended: other commits wait for it. */
  long: Promise<void> | undefined;
  failure: string | undefined;
  flushing: Promise<void> | undefined;
  closing: Promise<void> | undefined;
}

/** A view with its position. */
export function viewOf(view: View, position: number): PositionedView {
  return {
    get: view.get,
    named: view.named,
    all: view.all,
    count: view.count,
    having: view.having,
    countHaving: view.countHaving,
    position: String(position),
  };
}
