// What a journal that is written to holds, and what it starts from.
import type { Damage } from './damage.ts';
import type { FileSystem } from './file-system.ts';
import type { Format } from './format.ts';
import type { Segment } from './journal.ts';
import type { Dropped } from './ledger.ts';
import type { Log } from './log.ts';
import type { RecordSegment, Retention } from './record-segments.ts';
import type { Reserve } from './reserve.ts';

/** What an adapter starts from. `grown`: bytes of journal since the last snapshot. */
export interface JournalStart {
  readonly segment: Segment;
  readonly records: readonly RecordSegment[];
  /** Segments of records that retention has dropped, and that are there still. */
  readonly retired: readonly string[];
  readonly dropped: Dropped;
  /** How many records it has dropped. */
  readonly gone: Dropped;
  /** What is wrong with records, as far as the start tells. */
  readonly damage: readonly Damage[];
  readonly snapshotBytes: number;
  readonly grown: number;
  /** What was loaded is of an older format: it is written anew before anybody uses it. */
  readonly outdated?: boolean;
}

export interface JournalOptions {
  readonly files: FileSystem;
  readonly folder: string;
  readonly format: Format;
  readonly retention: Retention;
  /** What is given back to the disk when it is full. */
  readonly reserve: Reserve;
  /** A snapshot is taken once the journal has grown by this many bytes, and by as many as the last snapshot has. */
  readonly snapshotBytes: number;
  readonly log: (message: string) => void;
  readonly now: () => string;
  /** Told which segments of records there are, oldest first, when that has changed. */
  readonly onRecordSegments: (segments: readonly RecordSegment[]) => void;
  /** Opens the folder and loads it. */
  readonly start: () => Promise<readonly [Log, JournalStart]>;
}

/** A disk that takes no writes for now. */
export interface Ailing {
  readonly why: string;
  /** How often it was tried since. */
  tries: number;
  /** When it is tried again, in milliseconds of `performance.now()`. */
  next: number;
}

/** A journal that is open for writing. */
export interface Journal {
  readonly options: JournalOptions;
  segment: Segment;
  records: readonly RecordSegment[];
  retired: readonly string[];
  dropped: Dropped;
  gone: Dropped;
  readonly damage: readonly Damage[];
  snapshotBytes: number;
  grown: number;
  snapshot: Promise<void> | undefined;
  failed: boolean;
  /** Whether the disk had no room for the last write. */
  full: boolean;
  /** Why it did not take the last write, where it was for something else: it is tried again with back-off. */
  ailing: Ailing | undefined;
  /** Looks for room again. */
  looking: NodeJS.Timeout | undefined;
  taking: Promise<void>;
  /** Whether behind its end there may be bytes that nobody was answered for. */
  doubtful: boolean;
  /** Why nothing that is written would be found again. */
  lost: string | undefined;
}
