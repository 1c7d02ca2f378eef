// Removes registrations whose address nobody verified, with the team that was made for them: they hold usernames, and stand for nobody.
import { unverifiedRegistration } from '../kinds/user.ts';
import { because, type Change } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { referrers, type View } from '../model/view.ts';
import { deletedUser, ownEmptyTeam } from './delete-user.ts';

/** How many days a registration waits for its address to be verified. */
export const registrationDays = 7;

/** The ids of registrations that have waited for too long; in steps, because there may be many that have not. */
export function* unverifiedSteps(view: View, now: string): Generator<void, string[]> {
  const found: string[] = [];
  let steps = 0;
  for (const user of view.having('User', unverifiedRegistration)) {
    if (hasWaited(view, user, now)) found.push(user.id);
    if (++steps % 256 === 0) yield;
  }
  return found;
}

/** Removes those of these users that are still there, and still have not verified their address. */
export function removeUnverified(ids: readonly string[]): Proposal {
  return (view, { now }) =>
    ids.flatMap((id): Change[] => {
      const user = view.get('User', id);
      return user && hasWaited(view, user, now) ? removed(view, user) : [];
    });
}

function removed(view: View, user: Resource<'User'>): Change[] {
  const why = `somebody registered it, and did not verify its address within ${registrationDays} days`;
  return deletedUser(view, user).map((change) => (change.id === user.id ? because(change, why) : change));
}

/** What an admin made of a registration stays: one who is suspended or an admin, and who was put into a team. */
function hasWaited(view: View, user: Resource<'User'>, now: string): boolean {
  const { registered, emailVerified, lastSignInAt, admin, suspended } = user.spec;
  if (!registered || emailVerified || lastSignInAt !== null || admin || suspended) return false;
  const isOver = Date.parse(now) >= Date.parse(user.createdAt) + registrationDays * 86_400_000;
  return isOver && (isInNoTeam(view, user) || ownEmptyTeam(view, user) !== undefined);
}

function isInNoTeam(view: View, user: Resource<'User'>): boolean {
  for (const _ of referrers(view, 'Membership', user)) return false;
  return true;
}
