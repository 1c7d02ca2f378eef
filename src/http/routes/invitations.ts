// Invitations of a team: who is asked to join it; and for admins those of all teams.
import { z } from 'zod';
import { mintSecret } from '../../auth/secret.ts';
import { role } from '../../core/kinds/roles.ts';
import { addressOfInvited, isPending } from '../../core/model/invited.ts';
import type { Resource } from '../../core/model/resource.ts';
import { referrers, type View } from '../../core/model/view.ts';
import { withdrawInvitation } from '../../core/proposals/close-invitation.ts';
import { Declined } from '../../core/proposals/declined.ts';
import { invite as invitation } from '../../core/proposals/invite.ts';
import { resendInvitation } from '../../core/proposals/resend-invitation.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { Problem } from '../errors.ts';
import { unmoved } from '../expectation.ts';
import { mailInvitation } from '../invitation-mail.ts';
import { calledAddress, withinQuota } from '../invitation-quota.ts';
import { component } from '../json-schema.ts';
import { pageOfLong } from '../long-list.ts';
import { listBody, listView, pageQuery, searchQuery } from '../paging.ts';
import { defineRoute, type Reply, type Route, writtenHeaders } from '../route.ts';
import type { Services } from '../services.ts';
import { teamSubject } from '../subjects.ts';
import { planView } from '../views/config.ts';
import { exampleInvitation, invitationVersion, invitationView, shownInvitation } from '../views/invitation.ts';
import { emptyAnswer, write } from '../write.ts';
import { userOf } from './self.ts';
import { ofTeam } from './teams.ts';

const url = '/api/v1/teams/:id/invitations';
const tag = 'teams';
const example = () => exampleInvitation;
const ofInvitation = {
  params: ofTeam.params.extend({ invitationId: z.string().min(1).max(64).describe('The id of the invitation.') }),
  subject: teamSubject,
};
const query = z.strictObject({ ...pageQuery, ...searchQuery });

/** The answer of a list of invitations. */
export const invitationsAnswer = {
  description: 'A page of invitations.',
  schema: listView('invitations', invitationView),
  example: () => ({ meta: {}, count: 1, invitations: [exampleInvitation] }),
};

const list = defineRoute({
  ...ofTeam,
  method: 'GET',
  url,
  action: 'read-team-invitations',
  operationId: 'listTeamInvitations',
  tag,
  summary: 'List the open invitations to a team',
  description: 'In the order in which they were made. `q` looks at who is invited.',
  query,
  answers: { 200: invitationsAnswer },
  handle: ({ params, query: asked, services }) => {
    const view = services.door.store.read();
    const all = referrers(view, 'Invitation', targetIn(view, 'Team', params));
    return { body: pageOfInvitations(all, asked, view, services.clock()) };
  },
});

const listAll = defineRoute({
  method: 'GET',
  url: '/api/v1/admin/invitations',
  action: 'read-all-invitations',
  operationId: 'listInvitations',
  tag: 'administration',
  summary: 'List the open invitations to all teams',
  description:
    'Who invited whom to which team, in the order in which that was. `q` looks at inviters, invitees and teams.',
  query,
  answers: { 200: invitationsAnswer },
  handle: ({ query: asked, services }) => {
    const view = services.door.store.read();
    return { body: pageOfInvitations(view.all('Invitation'), asked, view, services.clock()) };
  },
});

/** A page of those that have not ended: until they are swept, nobody is told of those that have. */
export function pageOfInvitations(
  all: Iterable<Resource<'Invitation'>>,
  { q, ...page }: z.output<typeof query>,
  view: View,
  now: string,
) {
  const text = q?.toLowerCase();
  const matches = (one: Resource<'Invitation'>) =>
    isPending(one, now) && (text === undefined || isNamed(one, text, view));
  const found = pageOfLong(all, 0, { ...page, matches });
  return listBody('invitations', found, (one) => shownInvitation(one, view));
}

/** `q` in lower case. */
function isNamed(invitation: Resource<'Invitation'>, q: string, view: View): boolean {
  const { inviter, invitee, team } = shownInvitation(invitation, view);
  const names = [invitee.username, invitee.name, invitee.email, inviter.username, inviter.name, team.slug, team.name];
  return names.some((text) => text?.toLowerCase().includes(q));
}

const invite = defineRoute({
  ...ofTeam,
  method: 'POST',
  url,
  action: 'invite',
  creates: 'Invitation',
  operationId: 'invite',
  tag,
  summary: 'Invite somebody to a team',
  description:
    'A user by their username, or whoever has an email address; people without an account where the settings allow it and mail can be sent. It takes a place among the members that the type allows, ends after seven days, and is mailed where email is on; at most 20 times an hour from you to the same address. You may send 200 invitations a day in all, those that you send again or withdraw included. It ends with your right to invite: when you are suspended, or no owner any more.',
  query: z.strictObject(dryRunQuery),
  body: component(
    'NewInvitation',
    z.strictObject({
      user: z.string().min(1).max(254).describe('A username or an email address.'),
      role: role().describe('What the invitee will be in the team.'),
    }),
  ),
  bodyExample: () => ({ user: 'bob@example.org', role: 'member' }),
  answers: {
    200: tried,
    201: { description: 'The invitation.', schema: invitationView, example, headers: writtenHeaders },
  },
  handle: async (call) => {
    const { params, body, services } = call;
    const { secret, hash } = mintSecret();
    const mail = services.mailer.configured();
    const about = { team: params.id, role: body.role, inviter: userOf(call.caller).user.id, called: body.user };
    const address = calledAddress(services.door.store.read(), body.user);
    const outcome = await withinQuota(call, { address, mails: mail }, () =>
      write(call, invitation({ ...about, hash, mail })),
    );
    if ('plan' in outcome) return { body: outcome.plan };
    const { view, made, repeated } = outcome;
    if (!repeated) mailInvitation(services, view, made, secret);
    return { status: 201, ...shown(view, made) };
  },
});

const resend = defineRoute({
  ...ofInvitation,
  method: 'POST',
  url: `${url}/:invitationId/resend`,
  action: 'invite',
  operationId: 'resendInvitation',
  tag,
  summary: 'Send an invitation again',
  description:
    'With a new link; the one before opens nothing any more. It has seven days again. At most once a minute, and as often as invitations may be sent.',
  query: z.strictObject(dryRunQuery),
  answers: {
    200: {
      description: 'The invitation, or what a dry run would change.',
      schema: z.union([invitationView, planView]),
      headers: writtenHeaders,
      example,
    },
  },
  handle: async (call) => {
    const { params, services } = call;
    const { secret, hash } = mintSecret();
    const mail = services.mailer.configured();
    const proposal = resendInvitation({ id: params.invitationId, team: params.id, hash, mail, ...unmoved(call) });
    const { address, mails } = mailOf(services, params.invitationId);
    const outcome = await withinQuota(call, { address, mails }, () => write(call, proposal)).catch(inAMinute);
    if ('plan' in outcome) return { body: outcome.plan };
    mailInvitation(services, outcome.view, params.invitationId, secret);
    return shown(outcome.view, params.invitationId);
  },
});

/** Where the mail of an invitation (by its id) will go, and whether one will. */
function mailOf({ door, mailer }: Services, id: string): { readonly address: string; readonly mails: boolean } {
  const view = door.store.read();
  const found = view.get('Invitation', id);
  const address = found && addressOfInvited(view, found);
  return { address: address ?? '', mails: address !== undefined && mailer.configured() };
}

/** Says to programs, too, when it may be tried again. */
function inAMinute(error: unknown): never {
  if (!(error instanceof Declined) || error.reason !== 'rate_limited') throw error;
  throw new Problem('rate_limited', { detail: `${error.message}.`, headers: { 'retry-after': '60' } });
}

const withdraw = defineRoute({
  ...ofInvitation,
  method: 'DELETE',
  url: `${url}/:invitationId`,
  action: 'invite',
  operationId: 'withdrawInvitation',
  tag,
  summary: 'Withdraw an invitation',
  description: 'Its link opens nothing any more.',
  query: z.strictObject(dryRunQuery),
  answers: { 200: tried, 204: { description: 'It is gone.' } },
  handle: async (call) => {
    const { id: team, invitationId: id } = call.params;
    const outcome = await write(call, withdrawInvitation({ id, team, ...unmoved(call) }));
    return emptyAnswer(outcome);
  },
});

/** An invitation as an answer. Throws `Declined` where there is none. */
function shown(view: View, id: string): Reply {
  const found = targetIn(view, 'Invitation', { id });
  return { body: shownInvitation(found, view), version: invitationVersion(found) };
}

export const invitationRoutes: readonly Route[] = [list, listAll, invite, resend, withdraw];
