// Writes down how far a target has got the audit log, and forgets those that are declared no more.
import type { AuditFile, AuditReceiver } from '../kinds/audit-targets.ts';
import type { SpecOf } from '../kinds/index.ts';
import { type Change, created, deleted, updated } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { singleton, type View } from '../model/view.ts';

/** A file that is written. */
export type WrittenFile = AuditFile & { readonly path: string };

/** Where the audit log goes, by the name that is kept of each target. */
export type AuditTarget =
  | { readonly name: string; readonly webhook: AuditReceiver }
  | { readonly name: string; readonly file: WrittenFile };

/** Who gets the audit log now. A platform that an earlier build wrote names nobody. */
export function auditTargetsIn(view: View): readonly AuditTarget[] {
  const { auditTo = [], auditFile } = singleton(view, 'Platform').spec;
  const webhooks = auditTo.map((webhook) => ({ name: `webhook/${webhook.name}`, webhook }));
  if (auditFile?.path === undefined) return webhooks;
  return [...webhooks, { name: 'file', file: { ...auditFile, path: auditFile.path } }];
}

/** Nothing where it is declared no more. */
export function noteAuditDelivered(name: string, spec: SpecOf<'AuditDelivered'>): Proposal {
  return (view, { now, newId }) => {
    if (!auditTargetsIn(view).some((one) => one.name === name)) return [];
    const current = view.named('AuditDelivered', name);
    if (current) return [updated(current, { ...current, spec, generation: current.generation + 1, updatedAt: now })];
    const id = newId();
    const made: Resource = { kind: 'AuditDelivered', id, name, spec, generation: 1, createdAt: now, updatedAt: now };
    return [created(made)];
  };
}

/** Forgets the targets that are declared no more: one that comes back begins anew. */
export const forgetAuditDelivered: Proposal = (view) => {
  const declared = new Set(auditTargetsIn(view).map(({ name }) => name));
  const gone = [...view.all('AuditDelivered')].filter(({ name }) => !declared.has(name));
  return gone.map((one): Change => deleted(one));
};
