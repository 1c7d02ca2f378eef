// How a member of a team looks in answers.
import { z } from 'zod';
import type { Resource } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';
import { component } from '../json-schema.ts';
import { personOf } from './invitation.ts';
import { idView, instantView, roleView } from './values.ts';

/** A member. */
export const memberView = component(
  'Member',
  z.strictObject({
    user: z
      .strictObject({
        id: idView(),
        username: z.string().describe('The username.'),
        name: z.string().describe('The name that people read.'),
        email: z.string().describe('The email address.'),
      })
      .describe('The user.'),
    role: roleView,
    ssoManaged: z.boolean().describe('Whether groups of the identity provider gave it, and keep it up.'),
    since: instantView('When the user came into the team.'),
  }),
);

/** A member as answered. */
export function shownMember({ spec, createdAt }: Resource<'Membership'>, view: View): z.output<typeof memberView> {
  const { user: id, role, ssoManaged } = spec;
  const email = view.get('User', id)?.spec.email ?? '';
  return { user: { ...personOf(view, id), email }, role, ssoManaged, since: createdAt };
}

/** A member in an example. */
export const exampleMember: z.output<typeof memberView> = {
  user: { id: '4fVh2cQ8zT1mXr9LkPw3Ns', username: 'ann', name: 'Ann Example', email: 'ann@example.com' },
  role: 'owner',
  ssoManaged: false,
  since: '2026-11-21T10:00:00.000Z',
};
