// The noun AuditDelivered: how far somebody who gets the audit log has got it. Its name is that of the target: `webhook/ci`, `file`.
import { z } from 'zod';
import { defineKind } from './kind.ts';

/** A target of the audit log, as deliveries know it. */
export const auditDelivered = defineKind({
  kind: 'AuditDelivered',
  plural: 'auditDelivered',
  path: 'audit-delivered',
  declared: false,
  internal: true,
  summary: 'How far a target has got the audit log.',
  spec: z.strictObject({
    place: z.string().max(64).describe('The place in the audit log up to which everything was delivered.'),
    dropped: z
      .int()
      .min(0)
      .describe('How many entries were gone, or could not be read, before they had been delivered.'),
  }),
});
