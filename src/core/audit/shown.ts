// An audit entry as it is shown outside of the store: by the API, and to whoever gets the audit log.
import type { AuditEntry } from './entry.ts';

/** `whole` with what only admins may know. */
export function shownAuditEntry({ team: _, address, ...entry }: AuditEntry, whole: boolean) {
  return whole && address !== undefined ? { ...entry, address } : entry;
}
