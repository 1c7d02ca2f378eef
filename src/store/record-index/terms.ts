// What a record is found by, and how that is written: the first eight bytes of a SHA-256, which tell nobody who is spoken of.
import { hash } from 'node:crypto';
import type { AuditEntry } from '../../core/audit/entry.ts';
import { auditTermsOf, auditTermsVersion } from '../../core/audit/filter.ts';
import { isRecord } from '../../core/model/is-record.ts';
import type { RecordFilter, StoreRecord } from '../store.ts';

/** The version of the terms: an index of another one is made anew. */
export const termsVersion = auditTermsVersion;

/** The term of every record. */
const everyRecord = '';

/** The term of one record alone: nothing else begins so. */
export function termOfId(id: string): string {
  return `id:${id}`;
}

/** All terms of a record of the audit log. */
export function* termsOf({ id, body }: StoreRecord): Generator<string> {
  yield everyRecord;
  yield termOfId(id);
  if (isEntry(body)) yield* auditTermsOf(body);
}

/** Whether a body has what terms are made of. */
function isEntry(body: StoreRecord['body']): body is StoreRecord['body'] & AuditEntry {
  return typeof body.event === 'string' && isRecord(body.actor) && isRecord(body.target) && Array.isArray(body.changes);
}

/** The terms that all records have which a filter lets through. */
export function termsFor({ terms }: RecordFilter): readonly string[] {
  return terms && terms.all.length > 0 ? terms.all : [everyRecord];
}

/** Whether what has the terms of a filter, and is of its time, is let through without being looked at. */
export function suffices({ terms, where }: RecordFilter): boolean {
  return terms?.suffice ?? where === undefined;
}

/** The key of a term: eight characters, each a byte, so that keys sort as their bytes do. */
export function keyOf(term: string): string {
  return hash('sha256', term, 'buffer').toString('latin1', 0, keyLength);
}

/** How many bytes a key has. */
export const keyLength = 8;
