// The noun Invitation: somebody is asked to join a team. Its name is its id.
import { z } from 'zod';
import { defineKind, refId, sha256 } from './kind.ts';
import { role } from './roles.ts';
import { emailAddress, instant } from './scalars.ts';

/** An invitation (specification 2.7): to a user, or to whoever an address belongs to. It names one of both, which is all that the inviter told. */
export const invitation = defineKind({
  kind: 'Invitation',
  plural: 'invitations',
  path: 'invitations',
  declared: false,
  summary: 'Somebody is asked to join a team.',
  spec: z.strictObject({
    team: refId('Team').describe('The team.'),
    role: role().describe('What the invitee will be in the team.'),
    inviter: refId('User').describe('Who asks.'),
    user: refId('User').optional().describe('Who is asked, where they were called by their username.'),
    email: emailAddress().optional().describe('The address of who is asked, where an address was given.'),
    hash: sha256().describe('The SHA-256 of the token in the link of the mail, in hexadecimal.'),
    expiresAt: instant().describe('When it ends.'),
  }),
  keys: ({ hash, email, user }) => [
    `hash=${hash}`,
    ...(email === undefined ? [] : [invitedAddressKey(email)]),
    ...(user === undefined ? [] : [invitedUserKey(user)]),
  ],
});

/** The index key of the invitations to an address, in lower case. */
export function invitedAddressKey(email: string): string {
  return `email=${email}`;
}

/** The index key of the invitations to a user, by their id. */
export function invitedUserKey(user: string): string {
  return `invitee=${user}`;
}
