// Entries of the audit log that go out at once.
import { auditEntryOf } from '../../control/audit.ts';
import { shownAuditEntry } from '../../core/audit/shown.ts';
import type { Onward } from '../../store/store.ts';

/** An entry, as JSON in the shape that the API has, and the place behind it. */
export interface Outgoing {
  readonly id: string;
  readonly at: string;
  readonly json: string;
  readonly place: string;
}

/** At least one entry, oldest first. */
export type Batch = readonly [Outgoing, ...Outgoing[]];

/** As many of the first entries as may go out at once; nothing where there are none. */
export function batchOf({ records }: Pick<Onward, 'records'>, most: { readonly bytes: number }): Batch | undefined {
  const [first, ...others] = records;
  if (!first) return undefined;
  const batch: [Outgoing, ...Outgoing[]] = [outgoing(first)];
  let bytes = Buffer.byteLength(batch[0].json);
  for (const other of others) {
    const next = outgoing(other);
    bytes += Buffer.byteLength(next.json) + 1;
    if (bytes > most.bytes) break;
    batch.push(next);
  }
  return batch;
}

/** The first half of a batch, for who takes less at once. */
export function halfOf([first, ...others]: Batch): Batch {
  return [first, ...others.slice(0, Math.floor((others.length - 1) / 2))];
}

/** The newest entry of a batch. */
export function lastOf(batch: Batch): Outgoing {
  return batch.at(-1) ?? batch[0];
}

function outgoing({ record, place }: Onward['records'][number]): Outgoing {
  const entry = shownAuditEntry(auditEntryOf(record), true);
  return { id: record.id, at: record.at, json: JSON.stringify(entry), place };
}
