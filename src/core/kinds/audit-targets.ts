// Where the audit log goes besides the store: the fields `auditTo` and `auditFile` of the Platform.
import { z } from 'zod';
import { listBy, matching, name } from './kind.ts';
import { webhookSecret, webhookUrl } from './notifications.ts';

/** The receivers of the audit log. */
export const auditTo = listBy(
  'name',
  z.strictObject({
    name: name().describe(
      'What the receiver is called here: in the log, in conditions and metrics. How far it has got the audit log is kept by this name.',
    ),
    url: webhookUrl().describe(
      'The http(s) address that entries are posted to. Any that this server reaches may be named, also private ones. It is shown in plans: what must stay hidden belongs into `secret`.',
    ),
    secret: webhookSecret(),
  }),
)
  .default([])
  .describe(
    'Who gets each entry of the audit log by signed webhooks (Standard Webhooks), in order and at least once. A new receiver gets what comes from then on.',
  );

/** The file that the audit log is written to besides. */
export const auditFile = z
  .strictObject({
    path: matching(4096, /^(?:\/|[A-Za-z]:[\\/]).*[^\s/\\]$/, 'it must be the absolute path of a file')
      .optional()
      .describe(
        'The file that each entry of the audit log is appended to, as a line of JSON: an absolute path, outside of the store, in a folder that is there. Absent: no file is written.',
      ),
    maxMegabytes: z
      .int()
      .min(1)
      .max(10_240)
      .default(100)
      .describe(
        'How large the file may become before another is begun, in MiB (1 to 10240). The one before is `path` with `.1` behind it then.',
      ),
    keep: z.int().min(1).max(1000).default(10).describe('How many files of before are kept (1 to 1000).'),
  })
  .optional()
  .describe(
    'A file with a copy of the audit log, one entry a line, rotated by size. Without its `path` it does nothing.',
  );

/** A receiver of the audit log, as declared. */
export type AuditReceiver = z.output<typeof auditTo>[number];

/** The file, as declared. */
export type AuditFile = NonNullable<z.output<typeof auditFile>>;
