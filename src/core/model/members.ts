// Who is in a team, and as what.
import { membershipKey, ownersKey } from '../kinds/membership.ts';
import type { Role } from '../kinds/roles.ts';
import type { Resource } from './resource.ts';
import { first } from './state.ts';
import type { View } from './view.ts';

/** The membership of a user in a team, by their ids. */
export function membershipIn(view: View, team: string, user: string): Resource<'Membership'> | undefined {
  return first(view.having('Membership', membershipKey(team, user)));
}

/** What a user is in a team, by their ids; nothing where they are not in it. */
export function roleIn(view: View, team: string, user: string): Role | undefined {
  return membershipIn(view, team, user)?.spec.role;
}

/** The memberships of those who can run a team (by its id): its owners who are not suspended. */
export function* activeOwners(view: View, team: string): Iterable<Resource<'Membership'>> {
  for (const membership of view.having('Membership', ownersKey(team)))
    if (!view.get('User', membership.spec.user)?.spec.suspended) yield membership;
}

/** Whether nobody could run a team without this membership. */
export function isLastOwner(view: View, { spec }: Resource<'Membership'>): boolean {
  return spec.role === 'owner' && [...activeOwners(view, spec.team)].every(({ spec: { user } }) => user === spec.user);
}

/** The addresses of the owners of a team, by its id: those that are confirmed, of users who are not shut out. */
export function ownerAddresses(view: View, team: string): string[] {
  const users = [...view.having('Membership', ownersKey(team))].map(({ spec }) => view.get('User', spec.user));
  return users.flatMap((user) => (user?.spec.emailVerified && !user.spec.suspended ? [user.spec.email] : []));
}
