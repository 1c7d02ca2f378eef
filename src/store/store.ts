// The store's interface: what every engine promises, whatever lies below it.
import type { Change } from '../core/model/change.ts';
import type { Finding } from '../core/model/finding.ts';
import type { View } from '../core/model/view.ts';
import type { Damage } from './damage.ts';

/** A picture of everything durable, and where in the store's history it was taken (opaque). */
export interface PositionedView extends View {
  readonly position: string;
}

/**
 * Something that rides in a commit but is not kept in memory: an audit entry, a reconcile's history.
 * `body` is plain JSON; `at` is RFC 3339 UTC.
 */
export interface StoreRecord {
  readonly stream: 'history' | 'audit';
  readonly id: string;
  readonly at: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a commit evaluates: changes, the records that tell of them, and what it found out. Throws `Refused` to keep nothing. */
export interface Evaluation<R = unknown> {
  readonly changes: readonly Change[];
  readonly records?: readonly StoreRecord[];
  readonly result?: R;
}

/** Pure and synchronous; may be evaluated more than once when somebody else was first. */
export type Transaction<R = unknown> = (view: PositionedView) => Evaluation<R>;

/**
 * A transaction that takes long, in steps: between them readers and everybody else have their turn, but no other transaction is
 * evaluated, so that its view stands still.
 */
export type LongTransaction<R = unknown> = (view: PositionedView) => Generator<void, Evaluation<R>, void>;

/** Either. */
export type AnyTransaction<R = unknown> = (view: PositionedView) => ReturnType<Transaction<R> | LongTransaction<R>>;

/** A commit that is durable and visible to `read()`. */
export interface Receipt<R = unknown> {
  readonly position: string;
  readonly changes: readonly Change[];
  readonly records: readonly StoreRecord[];
  /** What the evaluation that was kept found out; nothing where the commit was repeated. */
  readonly result?: R | undefined;
  /** This id was committed before, and nothing was written now; `changes` may be empty when that was long ago. */
  readonly repeated?: true;
}

/** One durable commit, as subscribers see it. */
export interface Entry {
  readonly position: string;
  readonly id: string;
  readonly changes: readonly Change[];
  readonly records: readonly StoreRecord[];
}

/** Which records: all of a stream, or only some. */
export interface RecordFilter {
  readonly stream: StoreRecord['stream'];
  /** Only records from this time on; RFC 3339 UTC, in milliseconds. */
  readonly since?: string;
  /** Only records from before this time. */
  readonly until?: string;
  /** Pure. */
  readonly where?: (record: StoreRecord) => boolean;
  /** Texts of JSON, each of which stands in the JSON of every record that `where` lets through: what has them not is passed over quickly. */
  readonly holding?: readonly string[];
  /**
   * Terms that every record has that `where` lets through (`termsOf` says which has what), so that an index finds them. `suffice`: a record that has
   * all of them need not be asked for to be counted.
   */
  readonly terms?: { readonly all: readonly string[]; readonly suffice: boolean };
}

/** A page of records. */
export interface RecordQuery extends RecordFilter {
  /** Only records that are older than the one with this id (none, where no record has it). */
  readonly before?: string;
  readonly limit: number;
}

/** What of a stream comes next. */
export interface OnwardQuery {
  readonly stream: StoreRecord['stream'];
  /** The place to go on from, as an answer before told it; absent: what comes from now on, of which there is nothing yet. */
  readonly after?: string;
  readonly limit: number;
}

/** A stretch of a stream, oldest first. Places are opaque, and good in the store that told them alone, also after a restart. */
export interface Onward {
  /** Each with the place behind it. */
  readonly records: readonly { readonly record: StoreRecord; readonly place: string }[];
  /** The place behind all of them. */
  readonly place: string;
  /** How many should have come besides: retention has dropped them, or they cannot be read. */
  readonly lost: number;
  /** How many come after these. */
  readonly waiting: number;
}

/** How much each part of a store takes, in bytes. `other`: its key, its marks, and what does not belong to it. */
export const parts = {
  journal: 0,
  snapshots: 0,
  audit: 0,
  history: 0,
  index: 0,
  blobs: 0,
  reserve: 0,
  other: 0,
} as const;

export type Parts = Readonly<Record<keyof typeof parts, number>>;

/** How the disk of a store is, in bytes, and what the store takes of it; what is absent is not known (yet). */
export interface Usage {
  /** `free` is what this process may still take. */
  readonly disk?: { readonly free: number; readonly size: number };
  /** That there is little left, in words. */
  readonly filling?: string | undefined;
  readonly bytes?: Parts;
  /** When the newest snapshot, and the newest backup of this store, were made, in milliseconds since 1970. */
  readonly snapshotAt?: number;
  readonly backupAt?: number;
}

export interface Health {
  readonly state: 'ready' | 'read-only' | 'closed';
  /** Why the store is read-only. */
  readonly reason?: string;
  /** It takes writes again by itself, once what `reason` tells of is over; otherwise not before somebody starts again. */
  readonly goesOn?: true;
  readonly position: string;
  /** The disk is full, and what is kept for commits was broken into: what can wait has to. */
  readonly isLow?: true;
  /** What is wrong with the audit log or the history, as far as it is known: how much, and the first of it in words. */
  readonly damage?: { readonly count: number; readonly first: string };
  /** How much a journal has grown since the last snapshot, in bytes; absent where an engine keeps none. */
  readonly journalBytes?: number;
  readonly usage?: Usage;
}

/** A blob that was put: `name` is its SHA-256 in hexadecimal. It is kept at least until `release`: commit first what names it. */
export interface HeldBlob {
  readonly name: string;
  release(): void;
}

/** Bytes beside the records, each named by its SHA-256 (`namedBlobs` says who names which). */
export interface Blobs {
  /** Resolves when the bytes are durable. Rejects with `NotKept` on a store that takes no writes, with `NoRoom`, and with what the disk says. */
  put(bytes: Uint8Array): Promise<HeldBlob>;
  /** The bytes of a name; nothing where there are none. Rejects with `DamagedBlob`. */
  get(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Deletes all that nothing durable names and nobody holds; answers how many that were. */
  collect(): Promise<number>;
}

/** The store. Readers see only what is durable. */
export interface Store {
  /** Synchronous; consistent until the caller's next `await`. */
  read(): PositionedView;
  /**
   * Resolves when the changes are durable and visible to `read()`. The same `id` twice is one write, as long as the id is
   * remembered (the last 10 000 are). Rejects with what the transaction threw, `NotKept` or `OutcomeUnknown`.
   */
  commit<R>(transaction: AnyTransaction<R>, options: { readonly id: string }): Promise<Receipt<R>>;
  /** The view once it has reached a position (or everything committed so far). Rejects for a position of another store. */
  reach(position: string | 'head'): Promise<PositionedView>;
  /** Every entry once, in order, when `read()` shows it (and perhaps later ones). Answers the function that ends it. */
  subscribe(listener: (entry: Entry | 'reset') => void): () => void;
  /** Runs while this process leads for `name`; `stop` aborts when it no longer does. Embedded engines lead at once. */
  lead(name: string, run: (stop: AbortSignal) => void): void;
  /** Newest first. Reads no more than it has to, and lets others go first meanwhile. */
  records(query: RecordQuery): Promise<readonly StoreRecord[]>;
  /** What comes after a place in a stream, oldest first: what it costs grows with what it answers. Rejects for a place that is none of this store. */
  recordsAfter(query: OnwardQuery): Promise<Onward>;
  /** How many records there are; those of a whole stream are counted without being read. */
  countRecords(filter: RecordFilter): Promise<number>;
  /** Bytes that resources name. */
  readonly blobs: Blobs;
  health(): Health;
  /** Finishes what was acknowledged or is under way, writes what speeds up the next start, lets the folder go. */
  close(): Promise<void>;
}

/** The words for a store that has no room: nothing was kept, and there is nothing to do to the store itself. */
export const diskFullWords = 'the disk of the store is full: it goes on by itself as soon as there is room';

/** Something that can wait was not kept, so that what little room the disk has is left for commits. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';
}

/** A rule said no; nothing was kept. */
export class Refused extends Error {
  readonly violations: readonly Finding[];
  constructor(violations: readonly Finding[]) {
    super(violations.map((violation) => violation.message).join('; '));
    this.name = 'Refused';
    this.violations = violations;
  }
}

/** Nothing was kept, and it is safe to repeat: the store is closing or read-only. */
export class NotKept extends Error {
  override readonly name = 'NotKept';
}

/** It is not known whether the commit was kept: repeat it with the same id. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** A blob is not what was written; the message names it. */
export class DamagedBlob extends Error {
  override readonly name = 'DamagedBlob';
}

/** Why a store cannot be opened. `missing`: there is none, and it was not to be made; `key`: the key of its secrets is not at hand, or no key. */
export type UnavailableReason = 'key' | 'missing' | 'locked' | 'damaged' | 'newer' | 'unreadable';

/** The store cannot be opened; the message says where and what to do. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly reason: UnavailableReason;
  /** Who holds it, in words, where somebody does and that is known. */
  readonly holder: string | undefined;
  /** What is damaged, and where, where that is why. */
  readonly damage: Damage | undefined;
  constructor(
    reason: UnavailableReason,
    message: string,
    options: ErrorOptions & { readonly holder?: string; readonly damage?: Damage } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.holder = options.holder;
    this.damage = options.damage;
  }
}
