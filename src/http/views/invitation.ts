// How an invitation looks in answers.
import { z } from 'zod';
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
        email: z.string().describe('The address that the mail went to.'),
      })
      .describe('Who is invited; without an id where it is nobody that the platform knows.'),
    createdAt: instantView('When it was made.'),
    expiresAt: instantView('When it ends.'),
  }),
);

/** An invitation as answered. */
export function shownInvitation(invitation: Resource<'Invitation'>, view: View): z.output<typeof invitationView> {
  const { id, createdAt, spec } = invitation;
  const team = view.get('Team', spec.team);
  const invitee = spec.user === undefined ? {} : personOf(view, spec.user);
  return {
    id,
    team: { id: spec.team, slug: team?.name ?? '', name: team?.spec.displayName ?? '' },
    role: spec.role,
    inviter: personOf(view, spec.inviter),
    invitee: { ...invitee, email: spec.email },
    createdAt,
    expiresAt: spec.expiresAt,
  };
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
