// How a team looks in answers.
import { z } from 'zod';
import type { Caller } from '../../core/access/actor.ts';
import { actionsOn } from '../../core/access/policy.ts';
import { teamTypeKey } from '../../core/kinds/instance.ts';
import { membershipIn } from '../../core/model/members.ts';
import type { Resource } from '../../core/model/resource.ts';
import { teamUse } from '../../core/model/team-use.ts';
import type { View } from '../../core/model/view.ts';
import { component } from '../json-schema.ts';
import { findingView } from './finding.ts';
import { countView, idView, instantView, roleView } from './values.ts';

const fields = {
  id: idView(),
  slug: z.string().describe('What the team is called in addresses and group names, unique.'),
  name: z.string().describe('The name that people read.'),
  type: z
    .strictObject({
      name: z.string().describe('The name of the team type.'),
      active: z.boolean().describe('Whether it may be chosen for new teams.'),
    })
    .describe('The type that decides features, instance types and limits.'),
  memberCount: countView('How many members it has.'),
  pendingInvitationCount: countView('How many invitations are open.'),
  instanceCount: countView('How many instances it has.'),
  deviceCount: countView('How many devices it has.'),
  createdAt: instantView('When it was made.'),
  updatedAt: instantView('When it last changed.'),
  role: roleView.nullable().describe('What the caller is in it; null for an admin who is no member.'),
};

/** A team in a list. */
export const teamView = component('Team', z.strictObject(fields));

const useView = (what: string) =>
  z
    .strictObject({
      used: countView(`How many ${what} it has.`),
      limit: z.int().min(0).nullable().describe(`How many ${what} it may have; null for no limit.`),
    })
    .describe(`Its ${what} against the limit of its type.`);

/** A team on its own. */
export const teamDetailView = component(
  'TeamDetail',
  z.strictObject({
    ...fields,
    limits: z
      .strictObject({
        members: useView('members and open invitations'),
        instances: useView('instances'),
        devices: useView('devices'),
        instanceTypes: z
          .record(z.string(), useView('instances of the type'))
          .describe('The instance types that it may use, by name.'),
      })
      .describe('How much it has, and may have.'),
    can: z.array(z.string()).describe('What the caller may do with it.'),
  }),
);

/** A team that was changed. */
export const changedTeamView = component(
  'ChangedTeam',
  teamDetailView.extend({
    warnings: z.array(findingView).optional().describe('What the change means elsewhere; absent where nothing.'),
  }),
);

/** A team as answered in a list. Costs a few look-ups, whatever the team holds; `own` is the membership of the caller, where it is at hand. */
export function shownTeam(
  team: Resource<'Team'>,
  caller: Caller,
  view: View,
  own = caller.kind === 'user' ? membershipIn(view, team.id, caller.user.id) : undefined,
): z.output<typeof teamView> {
  const { id, name: slug, spec, createdAt, updatedAt } = team;
  const type = view.get('TeamType', spec.type);
  const use = teamUse(view, id);
  return {
    id,
    slug,
    name: spec.displayName,
    type: { name: type?.name ?? spec.type, active: type?.spec.active ?? false },
    memberCount: use.members,
    pendingInvitationCount: use.invitations,
    instanceCount: use.instances,
    deviceCount: use.devices,
    createdAt,
    updatedAt,
    role: own?.spec.role ?? null,
  };
}

/** A team as answered on its own. */
export function shownTeamDetail(team: Resource<'Team'>, caller: Caller, view: View): z.output<typeof teamDetailView> {
  const shown = shownTeam(team, caller, view);
  return { ...shown, limits: limitsOf(team, shown, view), can: actionsOn('team', caller, view, { team }) };
}

function limitsOf(team: Resource<'Team'>, shown: z.output<typeof teamView>, view: View) {
  const type = view.get('TeamType', team.spec.type)?.spec;
  const { members, instances, devices } = type?.limits ?? {};
  const listed = type?.instanceTypes ?? [];
  return {
    members: { used: shown.memberCount + shown.pendingInvitationCount, limit: members ?? null },
    instances: { used: shown.instanceCount, limit: instances ?? null },
    devices: { used: shown.deviceCount, limit: devices ?? null },
    instanceTypes: Object.fromEntries(
      listed.map(({ name, limit }) => [name, { used: usedOf(team, name, view), limit: limit ?? null }]),
    ),
  };
}

function usedOf(team: Resource<'Team'>, name: string, view: View): number {
  const type = view.named('InstanceType', name);
  return type ? view.countHaving('Instance', teamTypeKey(team.id, type.id)) : 0;
}

/** What If-Match looks at. */
export function teamVersion({ id, generation }: Resource<'Team'>): string {
  return `${id}.${generation}`;
}

/** A team in an example. */
export const exampleTeam: z.output<typeof teamView> = {
  id: 'Qm7Zt4XcR9vLk2Wd8HyB1s',
  slug: 'plant-one',
  name: 'Plant One',
  type: { name: 'starter', active: true },
  memberCount: 3,
  pendingInvitationCount: 1,
  instanceCount: 2,
  deviceCount: 0,
  createdAt: '2026-11-21T10:00:00.000Z',
  updatedAt: '2026-11-21T10:00:00.000Z',
  role: 'owner',
};

/** A team on its own, in an example. */
export const exampleTeamDetail: z.output<typeof teamDetailView> = {
  ...exampleTeam,
  limits: {
    members: { used: 4, limit: 5 },
    instances: { used: 2, limit: 2 },
    devices: { used: 0, limit: null },
    instanceTypes: { small: { used: 2, limit: 2 } },
  },
  can: [
    'read-team',
    'update-team',
    'delete-team',
    'read-members',
    'change-member',
    'remove-member',
    'read-team-invitations',
    'invite',
    'read-team-audit-log',
    'read-instances',
    'create-instance',
  ],
};
