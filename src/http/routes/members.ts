// Who is in a team, and as what.
import { z } from 'zod';
import { role } from '../../core/kinds/roles.ts';
import { membershipIn } from '../../core/model/members.ts';
import type { Resource } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';
import { removeMember } from '../../core/proposals/remove-member.ts';
import { notThere, setMember } from '../../core/proposals/set-member.ts';
import { targetIn } from '../../core/proposals/target.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { resourceVersion, unmoved } from '../expectation.ts';
import { component } from '../json-schema.ts';
import { pageOfMany } from '../long-list.ts';
import { listBody, listView, pageQuery, searchQuery, sortQuery } from '../paging.ts';
import { defineRoute, type Reply, type Route, writtenHeaders } from '../route.ts';
import { teamSubject } from '../subjects.ts';
import { planView } from '../views/config.ts';
import { exampleMember, memberView, shownMember } from '../views/member.ts';
import { emptyAnswer, write } from '../write.ts';
import { userOf } from './self.ts';
import { ofTeam } from './teams.ts';

const url = '/api/v1/teams/:id/members';
const tag = 'teams';
const ofMember = {
  params: ofTeam.params.extend({ userId: z.string().min(1).max(64).describe('The id of the user.') }),
  subject: teamSubject,
};

const list = defineRoute({
  ...ofTeam,
  method: 'GET',
  url,
  action: 'read-members',
  operationId: 'listMembers',
  tag,
  summary: 'List the members of a team',
  description:
    'In the order in which they came, unless `sort` says otherwise. `q` looks at usernames, names and addresses.',
  query: z.strictObject({ ...pageQuery, ...searchQuery, ...sortQuery(['username', 'name', 'since']) }),
  answers: {
    200: {
      description: 'A page of members.',
      schema: listView('members', memberView),
      example: () => ({ meta: {}, count: 1, members: [exampleMember] }),
    },
  },
  handle: ({ params, query, services }) => {
    const view = services.door.store.read();
    const team = targetIn(view, 'Team', params);
    const { q, ...page } = query;
    const text = q?.toLowerCase();
    const found = pageOfMany(view, 'Membership', {
      ...page,
      of: team,
      matches: text === undefined ? undefined : (one) => isNamed(view, one, text),
      keyOf: (one) => sortValue(view, one, page.sort),
    });
    return { body: listBody('members', found, (one) => shownMember(one, view)) };
  },
});

const set = defineRoute({
  ...ofMember,
  method: 'PUT',
  url: `${url}/:userId`,
  action: 'change-member',
  operationId: 'setMember',
  tag,
  summary: 'Give a member another role',
  description:
    'A team always has an owner. An admin may name a user who is not in the team yet, and so brings them in; others invite. A role that groups of the identity provider gave comes back when the user next signs in.',
  query: z.strictObject(dryRunQuery),
  body: component('MemberRole', z.strictObject({ role: role().describe('What the user may do in the team.') })),
  bodyExample: () => ({ role: 'owner' }),
  answers: {
    200: {
      description: 'The member, or what a dry run would change.',
      schema: z.union([memberView, planView]),
      headers: writtenHeaders,
      example: () => exampleMember,
    },
  },
  handle: async (call) => {
    const { id: team, userId: user } = call.params;
    const proposal = setMember({ team, user, role: call.body.role, by: userOf(call.caller).user.id, ...unmoved(call) });
    const outcome = await write(call, proposal);
    return 'plan' in outcome ? { body: outcome.plan } : shown(outcome.view, team, user);
  },
});

const remove = defineRoute({
  ...ofMember,
  method: 'DELETE',
  url: `${url}/:userId`,
  action: 'remove-member',
  operationId: 'removeMember',
  tag,
  summary: 'Take a member out of a team, or leave it',
  description: 'Everybody may leave, but for the only owner.',
  query: z.strictObject(dryRunQuery),
  answers: {
    200: tried,
    204: { description: 'They are out.' },
  },
  handle: async (call) => {
    const { id: team, userId: user } = call.params;
    const outcome = await write(call, removeMember({ team, user, ...unmoved(call) }));
    return emptyAnswer(outcome);
  },
});

/** A member as an answer. Throws `Declined` where there is none. */
function shown(view: View, team: string, user: string): Reply {
  const membership = membershipIn(view, team, user);
  if (!membership) throw notThere('member');
  return { body: shownMember(membership, view), version: resourceVersion(membership) };
}

/** `q` in lower case. */
function isNamed(view: View, { spec }: Resource<'Membership'>, q: string): boolean {
  const user = view.get('User', spec.user);
  const names = user ? [user.name, user.spec.displayName, user.spec.email] : [];
  return names.some((text) => text.toLowerCase().includes(q));
}

/** Whatever the case of the letters. */
function sortValue(view: View, { spec, createdAt }: Resource<'Membership'>, sort = ''): string {
  if (sort.endsWith('since')) return createdAt;
  const user = view.get('User', spec.user);
  return ((sort.endsWith('username') ? user?.name : user?.spec.displayName) ?? '').toLowerCase();
}

export const memberRoutes: readonly Route[] = [list, set, remove];
