// How an invitation looks in answers.
import { z } from 'zod';
import { addressOfInvited } from '../../core/model/invited.ts';
import type { Resource } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';
import { component } from '../json-schema.ts';
import { idView, instantView, roleView } from './values.ts';

const person = {
  id: idView(),
  username: z.string().describe('The username.'),
  name: z.string().describe('The name that people read.'),
};

/** An invitation. */
export const invitationView = component(
  'Invitation',
  z.strictObject({
    id: idView(),
    team: z
      .strictObject({
        id: idView(),
        slug: z.string().describe('The slug of the team.'),
        name: z.string().describe('The name of the team.'),
      })
      .describe('The team.'),
    role: roleView,
    inviter: z.strictObject(person).describe('Who invited.'),
    invitee: z
      .strictObject({
        id: person.id.optional(),
        username: person.username.optional(),
        name: person.name.optional(),
        email: z.string().optional().describe('The address that was given.'),
      })
      .describe(
        'Who is invited, as the inviter called them: a user, or an address, of which is not told whether anybody has it.',
      ),
    createdAt: instantView('When it was made.'),
    expiresAt: instantView('When it ends.'),
  }),
);

/** An invitation as answered. */
export function shownInvitation(invitation: Resource<'Invitation'>, view: View): z.output<typeof invitationView> {
  const { id, createdAt, spec } = invitation;
  const { email, user } = spec;
  return {
    id,
    team: teamIn(view, spec.team),
    role: spec.role,
    inviter: personOf(view, spec.inviter),
    invitee: { ...(user === undefined ? {} : personOf(view, user)), ...(email === undefined ? {} : { email }) },
    createdAt,
    expiresAt: spec.expiresAt,
  };
}

function teamIn(view: View, id: string) {
  const team = view.get('Team', id);
  return { id, slug: team?.name ?? '', name: team?.spec.displayName ?? '' };
}

/** What If-Match looks at. */
export function invitationVersion({ id, generation }: Resource<'Invitation'>): string {
  return `${id}.${generation}`;
}

/** What whoever opens the link of a mail is told. */
export const openedInvitationView = component(
  'OpenedInvitation',
  z.strictObject({
    team: z
      .strictObject({ slug: z.string().describe('The slug of the team.'), name: z.string().describe('Its name.') })
      .describe('The team.'),
    role: roleView,
    inviter: z.strictObject({ username: person.username, name: person.name }).describe('Who invited.'),
    email: z.string().describe('The address that the mail went to: the one to register with.'),
    known: z.boolean().describe('Whether the address is that of a user, who signs in instead of registering.'),
    expiresAt: instantView('When it ends.'),
  }),
);

/** An invitation, to whoever holds the token of its mail. */
export function shownOpened(invitation: Resource<'Invitation'>, view: View): z.output<typeof openedInvitationView> {
  const { spec } = invitation;
  const { slug, name } = teamIn(view, spec.team);
  const { username, name: called } = personOf(view, spec.inviter);
  const email = addressOfInvited(view, invitation) ?? '';
  const known = view.countHaving('User', `email=${email}`) > 0;
  const { role, expiresAt } = spec;
  return { team: { slug, name }, role, inviter: { username, name: called }, email, known, expiresAt };
}

/** A user as others may see them: without what is theirs. */
export function personOf(view: View, id: string): { id: string; username: string; name: string } {
  const user = view.get('User', id);
  return { id, username: user?.name ?? '', name: user?.spec.displayName ?? '' };
}

/** An invitation in an example. */
export const exampleInvitation: z.output<typeof invitationView> = {
  id: 'Zp3Lr8VtC5nXw1Qk7MdY9h',
  team: { id: 'Qm7Zt4XcR9vLk2Wd8HyB1s', slug: 'plant-one', name: 'Plant One' },
  role: 'member',
  inviter: { id: '4fVh2cQ8zT1mXr9LkPw3Ns', username: 'ann', name: 'Ann Example' },
  invitee: { email: 'bob@example.org' },
  createdAt: '2026-11-21T10:00:00.000Z',
  expiresAt: '2026-11-28T10:00:00.000Z',
};

/** What a link opens, in an example. */
export const exampleOpened: z.output<typeof openedInvitationView> = {
  team: { slug: 'plant-one', name: 'Plant One' },
  role: 'member',
  inviter: { username: 'ann', name: 'Ann Example' },
  email: 'bob@example.org',
  known: false,
  expiresAt: '2026-11-28T10:00:00.000Z',
};
