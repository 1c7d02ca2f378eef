// The audit log as records of the store: they ride in the commit that they tell of.
import { auditOf, entry, entryOf, type Sides } from '../core/audit/audit.ts';
import { type AuditEntry, type AuditEvent, auditEntry } from '../core/audit/entry.ts';
import type { Change } from '../core/model/change.ts';
import type { Context } from '../core/model/proposal.ts';
import type { StoreRecord } from '../store/store.ts';

/** The records of changes. */
export function auditRecords(changes: readonly Change[], sides: Sides, context: Context): StoreRecord[] {
  return auditOf(changes, sides, context).map(recordOf);
}

/** The same in steps, so that a long batch can be sliced. */
export function* auditSteps(
  changes: readonly Change[],
  sides: Sides,
  context: Context,
): Generator<void, StoreRecord[]> {
  const records: StoreRecord[] = [];
  for (const [index, change] of changes.entries()) {
    const made = entryOf(change, sides, context);
    if (made) records.push(recordOf(made));
    if (index % 32 === 31) yield;
  }
  return records;
}

/** The record of something that happened although nothing changed. */
export function eventRecord(event: AuditEvent, context: Context): StoreRecord {
  return recordOf(entry(event, context));
}

/** The entry of a record of the stream `audit`. */
export function auditEntryOf(record: StoreRecord): AuditEntry {
  return auditEntry.parse(record.body);
}

function recordOf(made: AuditEntry): StoreRecord {
  return { stream: 'audit', id: made.id, at: made.at, body: made };
}
