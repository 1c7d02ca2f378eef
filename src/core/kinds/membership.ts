// The noun Membership: a user in a team, with a role. Its name is its id.
import { z } from 'zod';
import { defineKind, refId } from './kind.ts';
import { role } from './roles.ts';
import { flag } from './scalars.ts';

/** A membership (specification 2.2). A user is in a team at most once. */
export const membership = defineKind({
  kind: 'Membership',
  plural: 'members',
  path: 'members',
  declared: false,
  summary: 'A user in a team, with a role.',
  spec: z.strictObject({
    team: refId('Team').describe('The team.'),
    user: refId('User').describe('The user.'),
    role: role().describe('What the user may do in the team.'),
    ssoManaged: flag(false, 'Whether groups of the identity provider gave it, and keep it up.'),
  }),
  keys: ({ team, user, role: own }) => [membershipKey(team, user), ...(own === 'owner' ? [ownersKey(team)] : [])],
});

/** The index key of the membership of a user in a team, by their ids. */
export function membershipKey(team: string, user: string): string {
  return `member=${team}/${user}`;
}

/** The index key of the owners of a team, by its id. */
export function ownersKey(team: string): string {
  return `owners=${team}`;
}
