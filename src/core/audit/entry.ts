// An audit entry: who changed what, from where, old and new by field; and sign-ins, which change nothing when they fail.
import { z } from 'zod';

/** What an entry is about. `name` is what people called it at the time. */
const target = z.strictObject({ kind: z.string(), id: z.string().optional(), name: z.string().optional() });

const field = z.strictObject({ path: z.string(), before: z.unknown(), after: z.unknown() });

const actor = z.strictObject({
  kind: z.enum(['user', 'token', 'config', 'job', 'sso']),
  id: z.string().optional(),
  name: z.string().optional(),
});

/**
 * An entry as it is kept. Times are RFC 3339, UTC. `team` is the id of the team that it concerns; `address` where the request came from;
 * `revision` the digest of the tree that was applied; `reason` why, where that was decided by groups or by a configuration. `count` how many
 * such events it stands for, where that is not one: what strangers were refused within a minute. A secret is shown as its reference, or as `{set: true}`.
 */
export const auditEntry = z.strictObject({
  id: z.string(),
  at: z.string(),
  event: z.string(),
  actor,
  target,
  changes: z.array(field),
  reason: z.string().optional(),
  requestId: z.string().optional(),
  revision: z.string().optional(),
  address: z.string().optional(),
  team: z.string().optional(),
  count: z.number().int().optional(),
});

export type AuditEntry = z.output<typeof auditEntry>;
