// Lists of teams: one's own, and for admins all.
import { z } from 'zod';
import type { Resource } from '../../core/model/resource.ts';
import { countReferrers, type View } from '../../core/model/view.ts';
import { pageOfLong, pageOfMany } from '../long-list.ts';
import { listBody, listView, type Page, pageQuery, searchQuery, sortQuery } from '../paging.ts';
import { defineRoute, type Route } from '../route.ts';
import { exampleTeam, shownTeam, teamView } from '../views/team.ts';
import { userOf } from './self.ts';

const sorts = sortQuery(['name', 'slug', 'createdAt']);
const answers = {
  200: {
    description: 'A page of teams.',
    schema: listView('teams', teamView),
    example: () => ({ meta: {}, count: 1, teams: [exampleTeam] }),
  },
};

const own = defineRoute({
  method: 'GET',
  url: '/api/v1/user/teams',
  action: 'read-own-teams',
  operationId: 'listOwnTeams',
  tag: 'self',
  summary: 'List the teams that you are in',
  description: 'In the order in which you came into them, unless `sort` says otherwise. `q` looks at names and slugs.',
  query: z.strictObject({ ...pageQuery, ...searchQuery, ...sorts }),
  answers,
  handle: (call) => {
    const { caller, query, services } = call;
    const view = services.door.store.read();
    const { q, ...page } = query;
    const text = q?.toLowerCase();
    const found = pageOfMany(view, 'Membership', {
      ...page,
      of: userOf(call.caller).user,
      matches: text === undefined ? undefined : (one) => isNamed(teamOf(view, one), text),
      keyOf: (one) => sortValue(teamOf(view, one), page.sort),
    });
    const items = found.items.flatMap((membership) => {
      const team = teamOf(view, membership);
      return team ? [{ team, membership }] : [];
    });
    const shown = ({ team, membership }: (typeof items)[number]) => shownTeam(team, caller, view, membership);
    return { body: listBody('teams', { ...found, items }, shown) };
  },
});

const everybodys = z.strictObject({
  ...pageQuery,
  ...searchQuery,
  ...sorts,
  type: z.string().min(1).max(63).optional().describe('Only teams of the type with this name.'),
});

const all = defineRoute({
  method: 'GET',
  url: '/api/v1/teams',
  action: 'read-all-teams',
  operationId: 'listTeams',
  tag: 'teams',
  summary: 'List all teams',
  description: 'In the order in which they were made, unless `sort` says otherwise. `q` looks at names and slugs.',
  query: everybodys,
  answers,
  handle: ({ caller, query, services }) => {
    const view = services.door.store.read();
    return { body: listBody('teams', pageOfTeams(view, query), (team) => shownTeam(team, caller, view)) };
  },
});

function pageOfTeams(view: View, { q, type: named, ...page }: z.output<typeof everybodys>): Page<Resource<'Team'>> {
  const type = named === undefined ? undefined : view.named('TeamType', named);
  if (named !== undefined && type?.name !== named) return { items: [], count: 0 };
  const text = q?.toLowerCase();
  const wanted = {
    ...page,
    matches: text === undefined ? undefined : (team: Resource<'Team'>) => isNamed(team, text),
    keyOf: (team: Resource<'Team'>) => sortValue(team, page.sort),
  };
  if (!type) return pageOfMany(view, 'Team', wanted);
  return pageOfLong(ofType(view, type.id), countReferrers(view, 'Team', type), wanted);
}

/** In the order in which they were made. The index has a team that comes to the type behind all that it has, whatever page that was on. */
function* ofType(view: View, type: string): Iterable<Resource<'Team'>> {
  for (const team of view.all('Team')) if (team.spec.type === type) yield team;
}

function teamOf(view: View, { spec }: Resource<'Membership'>): Resource<'Team'> | undefined {
  return view.get('Team', spec.team);
}

/** `q` in lower case. */
function isNamed(team: Resource<'Team'> | undefined, q: string): boolean {
  return team !== undefined && [team.name, team.spec.displayName].some((text) => text.toLowerCase().includes(q));
}

/** Whatever the case of the letters. */
function sortValue(team: Resource<'Team'> | undefined, sort = ''): string {
  if (!team) return '';
  if (sort.endsWith('createdAt')) return team.createdAt;
  return (sort.endsWith('slug') ? team.name : team.spec.displayName).toLowerCase();
}

export const teamListRoutes: readonly Route[] = [own, all];
