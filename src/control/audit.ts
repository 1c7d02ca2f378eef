// The audit log as records of the store: they ride in the commit that they tell of.
import { auditOf, entry, entryOf, type Sides } from '../core/audit/audit.ts';
import type { AuditEntry } from '../core/audit/entry.ts';
import { type AuditFilter, auditTermsFor, isAskedFor, textsOf } from '../core/audit/filter.ts';
import type { Change } from '../core/model/change.ts';
import type { AuditEvent, Context } from '../core/model/proposal.ts';
import type { View } from '../core/model/view.ts';
import type { PlanDocument } from '../core/plan/plan-document.ts';
import type { Plan } from '../core/plan/planned.ts';
import type { RecordFilter, StoreRecord } from '../store/store.ts';

/** The records of changes. */
export function auditRecords(changes: readonly Change[], sides: Sides, context: Context): StoreRecord[] {
  return auditOf(changes, sides, context).map(recordOf);
}

/** The records of a plan in steps, so that a long one can be sliced; its document has compared the fields already. */
export function* plannedRecords(
  plan: Plan,
  document: PlanDocument,
  view: View,
  context: Context,
): Generator<void, StoreRecord[]> {
  const records: StoreRecord[] = [];
  const shown = document.changes.values();
  for (const [index, { change, quiet, action }] of plan.planned.entries()) {
    const fields = quiet ? undefined : shown.next().value?.fields;
    // What moved to another line is as it was.
    if (quiet && action !== 'adopt') continue;
    const made = entryOf(change, { before: view, after: view }, context, fields);
    if (made) records.push(recordOf(made));
    if (index % 64 === 63) yield;
  }
  return records;
}

/** The record of something that happened although nothing changed. */
export function eventRecord(event: AuditEvent, context: Context): StoreRecord {
  return recordOf(entry(event, context));
}

/** The entry of a record of the stream `audit`. Its checksum vouches for its shape. */
export function auditEntryOf(record: StoreRecord): AuditEntry {
  return record.body as unknown as AuditEntry;
}

/** Which records of the audit log are asked for; `since` and `until` are RFC 3339 UTC in milliseconds. */
export function auditFilter({
  since,
  until,
  ...filter
}: AuditFilter & { readonly since?: string | undefined; readonly until?: string | undefined }): RecordFilter {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return {
    stream: 'audit',
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(isFiltered && {
      where: (record) => isAskedFor(auditEntryOf(record), filter),
      holding: textsOf(filter),
      terms: auditTermsFor(filter),
    }),
  };
}

function recordOf(made: AuditEntry): StoreRecord {
  return { stream: 'audit', id: made.id, at: made.at, body: made };
}
