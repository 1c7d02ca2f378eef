// The noun Invitation: somebody is asked to join a team. Its name is its id.
import { z } from 'zod';
import { defineKind, refId, sha256 } from './kind.ts';
import { role } from './roles.ts';
import { emailAddress, instant } from './scalars.ts';

/** An invitation (specification 2.7). `user` is there where the invitee was known when it was made; an outsider has an address alone. */
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
    user: refId('User').optional().describe('Who is asked, where it is a user.'),
    email: emailAddress().describe('The address that the mail goes to.'),
    hash: sha256().describe('The SHA-256 of the token in the link of the mail, in hexadecimal.'),
    expiresAt: instant().describe('When it ends.'),
  }),
  keys: ({ hash, email }) => [`hash=${hash}`, `email=${email}`],
});
