// What makes a team and fills it: the team with its first owner, and a place in a team.
import { type Change, created } from '../model/change.ts';
import type { Context } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';

/** A team: what it is called, its slug, and the id of its type. */
export interface NewTeam {
  readonly displayName: string;
  readonly slug: string;
  readonly type: string;
}

/** A team with its first owner (by id). */
export function teamWithOwner({ displayName, slug, type }: NewTeam, owner: string, context: Context): Change[] {
  const times = { generation: 1, createdAt: context.now, updatedAt: context.now };
  const team: Resource<'Team'> = {
    kind: 'Team',
    id: context.newId(),
    name: slug,
    spec: { displayName, type },
    ...times,
  };
  return [created(team), created(newMembership({ team: team.id, user: owner, role: 'owner' }, context))];
}

/** A user in a team, by their ids. */
export function newMembership(
  place: Pick<Resource<'Membership'>['spec'], 'team' | 'user' | 'role'>,
  { now, newId }: Context,
): Resource<'Membership'> {
  const id = newId();
  const spec = { ...place, ssoManaged: false };
  return { kind: 'Membership', id, name: id, spec, generation: 1, createdAt: now, updatedAt: now };
}
