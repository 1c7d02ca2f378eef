// The invitations to the user who asks, and what the link of a mail opens.
import { z } from 'zod';
import { hashToken } from '../../auth/token.ts';
import { submit } from '../../control/submit.ts';
import { type Change, changesOf } from '../../core/model/change.ts';
import { invitationsTo } from '../../core/model/invited.ts';
import type { View } from '../../core/model/view.ts';
import { acceptByToken, acceptInvitation, pendingInvitation } from '../../core/proposals/accept-invitation.ts';
import { declineInvitation } from '../../core/proposals/close-invitation.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { unmoved } from '../expectation.ts';
import { pageQuery, searchQuery, sortedBy } from '../paging.ts';
import { type Call, defineRoute, type Reply, type Route } from '../route.ts';
import { planView } from '../views/config.ts';
import { exampleOpened, openedInvitationView, shownOpened } from '../views/invitation.ts';
import { exampleTeamDetail, teamDetailView } from '../views/team.ts';
import { contextOf, emptyAnswer, whileAllowed, write } from '../write.ts';
import { invitationsAnswer, pageOfInvitations } from './invitations.ts';
import { userOf } from './self.ts';
import { shownTeamReply } from './teams.ts';

const url = '/api/v1/user/invitations';
const params = z.strictObject({ id: z.string().min(1).max(64).describe('The id of the invitation.') });
const token = z.string().min(1).max(255).describe('The token in the link.');
const exampleToken = 'Xn5cT0wq7RzL1kYb8Vm2JdG4sH6fP9aQe3uW0iOx';

const list = defineRoute({
  method: 'GET',
  url,
  action: 'read-own-invitations',
  operationId: 'listOwnInvitations',
  tag: 'self',
  summary: 'List the open invitations to you',
  description:
    'Those to your username, and those to your address once it is verified, also when they were made before you registered. `q` looks at inviters and teams.',
  query: z.strictObject({ ...pageQuery, ...searchQuery }),
  answers: { 200: invitationsAnswer },
  handle: (call) => {
    const { query, services } = call;
    const view = services.door.store.read();
    const mine = invitationsTo(view, userOf(call.caller).user);
    const all = sortedBy(mine, ({ id, createdAt }) => [createdAt, id]);
    return { body: pageOfInvitations(all, query, view, services.clock()) };
  },
});

const accept = defineRoute({
  method: 'POST',
  url: `${url}/:id/accept`,
  action: 'answer-invitation',
  operationId: 'acceptInvitation',
  tag: 'self',
  summary: 'Accept an invitation',
  description: 'You are in the team from then on.',
  params,
  query: z.strictObject(dryRunQuery),
  answers: {
    200: {
      description: 'The team, or what a dry run would change.',
      schema: z.union([teamDetailView, planView]),
      example: () => exampleTeamDetail,
    },
  },
  handle: async (call) => {
    const outcome = await write(
      call,
      acceptInvitation({ ...call.params, user: userOf(call.caller).user.id, ...unmoved(call) }),
    );
    return 'plan' in outcome ? { body: outcome.plan } : joinedTeam(call, outcome.view, outcome.changes);
  },
});

const decline = defineRoute({
  method: 'DELETE',
  url: `${url}/:id`,
  action: 'answer-invitation',
  operationId: 'declineInvitation',
  tag: 'self',
  summary: 'Decline an invitation',
  description: 'It is gone, and its place in the team is free again.',
  params,
  query: z.strictObject(dryRunQuery),
  answers: {
    200: tried,
    204: { description: 'It is gone.' },
  },
  handle: async (call) => {
    const outcome = await write(
      call,
      declineInvitation({ ...call.params, user: userOf(call.caller).user.id, ...unmoved(call) }),
    );
    return emptyAnswer(outcome);
  },
});

const open = defineRoute({
  method: 'GET',
  url: '/account/invitation',
  action: 'register',
  operationId: 'getInvitation',
  tag: 'account',
  summary: 'Read an invitation by the token of its mail',
  description: 'What the page of an invitation shows. Whoever has the token reads mail at the address.',
  query: z.strictObject({ token }),
  answers: {
    200: { description: 'The invitation.', schema: openedInvitationView, example: () => exampleOpened },
  },
  handle: ({ query, services }) => {
    const view = services.door.store.read();
    return { body: shownOpened(pendingInvitation(view, hashToken(query.token), services.clock()), view) };
  },
});

const acceptOpened = defineRoute({
  method: 'POST',
  url: '/account/accept-invitation',
  action: 'answer-invitation',
  operationId: 'acceptInvitationByToken',
  tag: 'account',
  summary: 'Accept an invitation by the token of its mail',
  description:
    'By the user whom it is to. People without an account register with the token instead, and are in the team then.',
  body: z.strictObject({ token }),
  bodyExample: () => ({ token: exampleToken }),
  answers: {
    200: { description: 'The team.', schema: teamDetailView, example: () => exampleTeamDetail },
  },
  handle: async (call) => {
    const { body, services } = call;
    const proposal = acceptByToken({ user: userOf(call.caller).user.id, hash: hashToken(body.token) });
    const { position, changes } = await submit(services.door, whileAllowed(call, proposal), contextOf(call));
    return joinedTeam(call, await services.door.store.reach(position), changes);
  },
});

/** The team that somebody came into. */
function joinedTeam(call: Call, view: View, changes: readonly Change[]): Reply {
  const [membership] = [...changesOf(changes, 'Membership')];
  return shownTeamReply(call, view, targetIn(view, 'Team', { id: membership?.after?.spec.team ?? '' }));
}

export const ownInvitationRoutes: readonly Route[] = [list, accept, decline, open, acceptOpened];
