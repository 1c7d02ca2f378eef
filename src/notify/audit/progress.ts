// How far a target has got the audit log: known here at once, and kept in the store now and then, so that entries do not double the writes.
import { submit } from '../../control/submit.ts';
import type { SpecOf } from '../../core/kinds/index.ts';
import { noteAuditDelivered } from '../../core/proposals/note-audit-delivered.ts';
import { messageOf } from '../../lib/message-of.ts';
import { contextOf, type Desk } from './desk.ts';

export interface Progress {
  /** Nothing as long as the target has not begun. */
  place(): string | undefined;
  /** How many entries the target has missed. */
  dropped(): number;
  /** So many entries were delivered, up to a place. */
  reached(place: string, entries: number): void;
  /** So many entries before those that come next will never be. */
  missed(entries: number): void;
  /** Keeps what is known; never rejects. A store that takes no writes holds nothing up: after a restart entries come again. */
  save(): Promise<void>;
}

/** The progress of a target, as the store has it. */
export function progressOf(desk: Desk, name: string): Progress {
  let known: SpecOf<'AuditDelivered'> | undefined = desk.door.store.read().named('AuditDelivered', name)?.spec;
  let kept = known;
  let unsaved = 0;
  let timer: NodeJS.Timeout | undefined;
  let saving = Promise.resolve();
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    unsaved = 0;
    saving = saving.then(keep);
    return saving;
  };
  return {
    place: () => known?.place,
    dropped: () => known?.dropped ?? 0,
    reached: (place, entries) => {
      known = { place, dropped: known?.dropped ?? 0 };
      unsaved += entries;
      if (unsaved >= desk.saveEntries) void save();
      else timer ??= setTimeout(save, desk.saveMs).unref();
    },
    missed: (entries) => {
      if (known) known = { ...known, dropped: known.dropped + entries };
    },
    save,
  };

  async function keep(): Promise<void> {
    const wanted = known;
    if (!wanted || (wanted.place === kept?.place && wanted.dropped === kept.dropped)) return;
    try {
      await submit(desk.door, noteAuditDelivered(name, wanted), contextOf(desk));
      kept = wanted;
    } catch (error) {
      desk.log('warn', `how far ${name} has got the audit log could not be kept: ${messageOf(error)}`);
    }
  }
}
