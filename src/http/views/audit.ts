// How an audit entry looks in answers.
import { z } from 'zod';
import { component } from '../json-schema.ts';
import { idView, instantView } from './values.ts';

/** Who did something. */
export const actorView = z.strictObject({
  kind: z.enum(['user', 'token', 'config', 'job', 'sso']).describe('By what way in.'),
  id: z.string().optional().describe('The id of the user, or of the token.'),
  name: z.string().optional().describe('The username; of a token that of its owner.'),
});

/** An audit entry. */
export const auditEntryView = component(
  'AuditEntry',
  z.strictObject({
    id: idView(),
    at: instantView('When it happened.'),
    event: z.string().describe('What happened: `team.updated`, `sign-in.failed`.'),
    actor: actorView.describe('Who did it.'),
    target: z
      .strictObject({
        kind: z.string().describe('The kind.'),
        id: z.string().optional().describe('The id.'),
        name: z.string().optional().describe('What it was called then.'),
      })
      .describe('What it was done to.'),
    changes: z
      .array(
        z.strictObject({
          path: z.string().describe('A JSON pointer into the object; items of a list by their name.'),
          before: z.unknown().describe('The value before; null where there was none. A secret is never shown.'),
          after: z.unknown().describe('The value after; null where there is none.'),
        }),
      )
      .describe('What changed, field by field; fields that are as nobody set them are left out of what comes or goes.'),
    reason: z
      .string()
      .optional()
      .describe('Why, in a sentence, where the groups of a user or a single sign-on configuration decided it.'),
    requestId: z.string().optional().describe('The id of the request.'),
    revision: z.string().optional().describe('The digest of the tree that was applied.'),
    count: z
      .int()
      .optional()
      .describe(
        'How many such events the entry stands for: what strangers were refused through one configuration, for one reason, within one minute. The first of them has an entry of its own. Absent: one.',
      ),
    address: z.string().optional().describe('The network address that it came from; in the whole log only.'),
  }),
);

/** An audit entry in an example. */
export const exampleAuditEntry: z.output<typeof auditEntryView> = {
  id: '4hVtY0aWq7LmZx2Nc8Re5S',
  at: '2026-11-21T10:00:00.000Z',
  event: 'team.updated',
  actor: { kind: 'user', id: '8sKd03mVq1ZtLx7BnYc5Re', name: 'ann' },
  target: { kind: 'Team', id: '5dGk29pXc4VbRw8TqHm1Zs', name: 'core' },
  changes: [{ path: '/spec/displayName', before: 'Core', after: 'Core team' }],
  requestId: 'req-5f3a',
};
