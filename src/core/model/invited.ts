// Whom an invitation is for, and how long.
import { invitedAddressKey, invitedUserKey } from '../kinds/invitation.ts';
import { referenceKey } from './references.ts';
import type { Resource } from './resource.ts';
import { first } from './state.ts';
import type { View } from './view.ts';

/** The invitations to a user: by name, and to their address where it is known to be theirs, whenever they were made. Expired ones, too. */
export function* invitationsTo(view: View, { id, spec }: Resource<'User'>): Iterable<Resource<'Invitation'>> {
  yield* view.having('Invitation', invitedUserKey(id));
  if (spec.emailVerified) yield* view.having('Invitation', invitedAddressKey(spec.email));
}

/** Whether an invitation is to a user. */
export function isInvited({ spec }: Resource<'Invitation'>, user: Resource<'User'>): boolean {
  if (spec.user !== undefined) return spec.user === user.id;
  return user.spec.emailVerified && spec.email === user.spec.email;
}

/** Whether an invitation can still be accepted. */
export function isPending({ spec }: Resource<'Invitation'>, now: string): boolean {
  return Date.parse(now) < Date.parse(spec.expiresAt);
}

/** Who reads mail at an address: a user who has shown that it is theirs. */
export function verifiedUserAt(view: View, email: string): Resource<'User'> | undefined {
  const user = first(view.having('User', `email=${email}`));
  return user?.spec.emailVerified ? user : undefined;
}

/** Where the mail of an invitation goes: to a user wherever they read mail now. */
export function addressOfInvited(view: View, { spec }: Resource<'Invitation'>): string | undefined {
  return spec.email ?? (spec.user === undefined ? undefined : view.get('User', spec.user)?.spec.email);
}

/** Those of a team (by id) that have ended: they take no place of somebody who is invited now. */
export function expiredIn(view: View, team: string, now: string): Resource<'Invitation'>[] {
  const all = view.having('Invitation', referenceKey({ kind: 'Team', by: 'id', to: team }));
  return [...all].filter((one) => !isPending(one, now));
}
