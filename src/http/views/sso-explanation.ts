// How the explanation of a sign-in through single sign-on looks in answers.
import { z } from 'zod';
import { component } from '../json-schema.ts';
import { roleView } from './values.ts';

const change = z.strictObject({
  event: z.string().describe('What would happen, as the audit log would tell it: `membership.created`.'),
  target: z
    .strictObject({ kind: z.string().describe('The kind.'), name: z.string().describe('What it is called.') })
    .describe('What it would be done to.'),
  changes: z
    .array(
      z.strictObject({
        path: z.string().describe('A JSON pointer into the object.'),
        before: z.unknown().describe('The value before; null where there is none.'),
        after: z.unknown().describe('The value after; null where there would be none.'),
      }),
    )
    .describe('What would change, field by field.'),
  reason: z.string().optional().describe('Why, in a sentence.'),
});

const explained = z.strictObject({
  about: z.enum(['user', 'session', 'admin', 'team', 'group']).describe('What it is about.'),
  effect: z
    .enum(['create', 'update', 'delete', 'none'])
    .describe('What would come of it; `none` where nothing changes.'),
  reason: z.string().describe('Why, in a stable word: `group-gives`, `unknown-team`, `last-owner`, `limit-reached`.'),
  message: z.string().describe('The same in a sentence about the user.'),
  team: z.string().optional().describe('The slug of the team.'),
  group: z.string().optional().describe('The group, as the provider gives it.'),
});

/** What would come of a sign-in. */
export const ssoExplanationView = component(
  'SsoExplanation',
  z.strictObject({
    config: z.string().describe('The name of the configuration.'),
    active: z
      .boolean()
      .describe('Whether people sign in through it now; where not, this is what would be if they did.'),
    email: z.string().describe('The address, in lower case.'),
    outcome: z.enum(['signed-in', 'refused']).describe('Whether they would be signed in.'),
    reason: z.string().optional().describe('Why they would not.'),
    user: z
      .strictObject({
        id: z.string().nullable().describe('The id; null for a user who would be made.'),
        username: z.string().describe('The username.'),
        admin: z.boolean().describe('Whether they would be an admin.'),
        isNew: z.boolean().describe('Whether the account would be made, or given to them for the first time.'),
        memberships: z
          .array(
            z.strictObject({
              team: z.string().describe('The slug of the team.'),
              role: roleView,
              ssoManaged: z.boolean().describe('Whether groups keep it up.'),
            }),
          )
          .describe('The teams that they would be in.'),
      })
      .optional()
      .describe('The user as they would be; absent where nobody would be signed in.'),
    changes: z.array(change).describe('What would change, besides the session.'),
    explanation: z.array(explained).describe('A sentence on each thing that was decided, also where nothing changes.'),
  }),
);

/** An explanation in an example. */
export const exampleExplanation: z.output<typeof ssoExplanationView> = {
  config: 'example-com',
  active: true,
  email: 'ann@example.com',
  outcome: 'signed-in',
  user: {
    id: '4fVh2cQ8zT1mXr9LkPw3Ns',
    username: 'ann',
    admin: false,
    isNew: false,
    memberships: [{ team: 'core', role: 'owner', ssoManaged: true }],
  },
  changes: [
    {
      event: 'membership.created',
      target: { kind: 'Membership', name: 'core/ann' },
      changes: [{ path: '/spec/role', before: null, after: 'owner' }],
      reason: 'becomes owner of core, because of the group "svc-core-owner"',
    },
  ],
  explanation: [
    {
      about: 'team',
      effect: 'create',
      reason: 'group-gives',
      message: 'becomes owner of core, because of the group "svc-core-owner"',
      team: 'core',
      group: 'svc-core-owner',
    },
  ],
};
