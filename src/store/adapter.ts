// The lowdb adapter: `write` appends what waits to the journal and makes it durable; snapshots are taken beside it.
import type { Adapter } from 'lowdb';
import { append } from './append.ts';
import type { Damage } from './damage.ts';
import { type Room, WriteFailed } from './engine-state.ts';
import { writeFully } from './file-system.ts';
import { unreadable } from './folder.ts';
import { cutDoubtful, look, requireFooting, requireFound } from './footing.ts';
import { frame } from './group.ts';
import { markLine } from './journal.ts';
import type { Journal, JournalOptions } from './journal-state.ts';
import type { Dropped } from './ledger.ts';
import type { Log } from './log.ts';
import { passed } from './passing.ts';
import { probe } from './probe.ts';
import type { RecordSegment } from './record-segments.ts';
import { due, rotate, takeSnapshot } from './rotate.ts';

/** A lowdb adapter over a journal. */
export interface JournalAdapter extends Adapter<Log> {
  /** The record segments, oldest first. */
  recordSegments(): readonly RecordSegment[];
  /** How many records of each stream retention has dropped. */
  gone(): Dropped;
  /** What the start found wrong with them. */
  foundDamage(): readonly Damage[];
  /** How much the journal has grown since the last snapshot, in bytes. */
  journalBytes(): number;
  /** How much the last snapshot took. */
  snapshotBytes(): number;
  /** Whether the disk has room, as the last writes found. */
  room(): Room;
  /** Why nothing is kept for now, as the last look found. */
  lost(): string | undefined;
  /** Throws `LostFooting` where it would not. */
  requireFooting(): Promise<void>;
  /** Takes a last snapshot where the next start gains from it, marks the journal as closed, and lets it go. */
  close(log: Log): Promise<void>;
}

/** Nothing is opened before lowdb's `read`. */
export function createJournalAdapter(options: JournalOptions): JournalAdapter {
  let opened: Journal | undefined;
  const journal = () => {
    if (!opened) throw new Error('the journal is not open');
    return opened;
  };
  return {
    read: async () => {
      const [log, { outdated, ...start }] = await options.start();
      opened = {
        options,
        ...start,
        snapshot: undefined,
        failed: false,
        doubtful: false,
        full: false,
        ailing: undefined,
        looking: undefined,
        taking: Promise.resolve(),
        lost: undefined,
      };
      keepReserve(opened);
      if (outdated && log.position > 0) await takeSnapshot(opened, log, log.position);
      return log;
    },
    write: (log) => write(journal(), log),
    recordSegments: () => journal().records,
    gone: () => journal().gone,
    foundDamage: () => journal().damage,
    journalBytes: () => journal().grown,
    snapshotBytes: () => journal().snapshotBytes,
    room: () => roomOf(journal()),
    lost: () => journal().lost ?? journal().ailing?.why,
    requireFooting: () => requireFooting(journal()),
    close: (log) => close(journal(), log),
  };
}

async function write(journal: Journal, log: Log): Promise<void> {
  // Its bytes are made while the disk is asked where it stands.
  const [, { bytes, heads }] = await Promise.all([requireFooting(journal), frame(log)]);
  await cutDoubtful(journal);
  try {
    if (due(journal)) await rotate(journal, log);
  } catch (error) {
    journal.failed = true;
    throw new WriteFailed(false, error);
  }
  await append(journal, bytes);
  await requireFound(journal);
  journal.segment.size += bytes.length;
  journal.grown += bytes.length;
  log.heads = heads;
  log.passing = passed(log.passing, journal.options.now());
}

function roomOf({ full, options: { reserve } }: Journal): Room {
  if (full) return 'none';
  return reserve.isWhole() ? 'enough' : 'low';
}

/** Takes the reserve now, and what was given of it as soon as there is room again. */
function keepReserve(journal: Journal): void {
  const { reserve } = journal.options;
  const takeSome = async () => {
    // Also for who asks nothing of it: a folder that is gone is told before the next write.
    if ((await look(journal)) !== undefined) return;
    await probe(journal);
    if (journal.ailing === undefined && (await reserve.take())) journal.full = false;
  };
  const start = () => {
    journal.taking = journal.taking.then(takeSome);
  };
  start();
  journal.looking = setInterval(start, lookMs).unref();
}

const lookMs = 1000;

async function close(journal: Journal, log: Log): Promise<void> {
  const { segment, options } = journal;
  clearInterval(journal.looking);
  await journal.taking;
  await journal.snapshot;
  try {
    if (!journal.failed && (await look(journal)) === undefined) await leave(journal, log);
  } catch (error) {
    options.log(
      `the store was closed, but its journal could not be marked so: ${unreadable(segment.path, error).message}`,
    );
  }
  await journal.segment.file.close().catch(() => {});
}

async function leave(journal: Journal, log: Log): Promise<void> {
  await cutDoubtful(journal);
  const worthwhile = Math.max(journal.options.snapshotBytes, journal.snapshotBytes) / 8;
  if (journal.grown > worthwhile) {
    await rotate(journal, log);
    await journal.snapshot;
  }
  const { file, size } = journal.segment;
  await writeFully(file, Buffer.from(markLine(log.position + 1, 'closed')), size);
  await file.datasync();
}
