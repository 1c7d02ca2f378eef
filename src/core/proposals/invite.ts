// Invites somebody to a team: a user by their username, or whoever has an address.
import { invitedAddressKey } from '../kinds/invitation.ts';
import { emailAddress, keptEmail } from '../kinds/scalars.ts';
import { created, deleted } from '../model/change.ts';
import { expiredIn, invitationsTo, isPending, verifiedUserAt } from '../model/invited.ts';
import { membershipIn } from '../model/members.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { singleton, type View } from '../model/view.ts';
import { Declined } from './declined.ts';

/** How long an invitation is good, in days. */
export const invitationDays = 7;

/** Who is invited where, as what, and by whom; `called` is what was typed, `hash` that of the token in the mail; `mail`: whether any can be sent. */
export interface NewInvitation {
  readonly team: string;
  readonly role: Resource<'Invitation'>['spec']['role'];
  readonly inviter: string;
  readonly called: string;
  readonly hash: string;
  readonly mail: boolean;
}

/**
 * Whoever is called by an address is kept as just that, so that nothing tells whether somebody has it. Declines: `not_found` for a username that
 * nobody has, `invalid_request` for what is no address, `conflict` for a member and for who is invited already, and as `requireOutsiders` does.
 */
export function invite({ team, role, inviter, called, hash, mail }: NewInvitation): Proposal {
  return (view, context) => {
    const invitee = inviteeCalled(view, called);
    const user = 'user' in invitee ? view.get('User', invitee.user) : verifiedUserAt(view, invitee.email);
    if (user && membershipIn(view, team, user.id))
      throw new Declined('conflict', `${called} cannot be invited, because they are in the team already`);
    const known = user ? invitationsTo(view, user) : view.having('Invitation', invitedAddressKey(keptEmail(called)));
    for (const other of known)
      if (other.spec.team === team && isPending(other, context.now))
        throw new Declined(
          'conflict',
          `${called} cannot be invited, because an invitation to them is open already: send that one again`,
        );
    if (!user) requireOutsiders(view, called, mail);
    const id = context.newId();
    const spec = { team, role, inviter, ...invitee, hash, expiresAt: invitationEnd(context.now) };
    const times = { generation: 1, createdAt: context.now, updatedAt: context.now };
    const invitation: Resource<'Invitation'> = { kind: 'Invitation', id, name: id, spec, ...times };
    return [created(invitation), ...expiredIn(view, team, context.now).map(deleted)];
  };
}

/** When an invitation that is sent now ends. */
export function invitationEnd(now: string): string {
  return new Date(Date.parse(now) + invitationDays * 86_400_000).toISOString();
}

/** Declines, where people without an account cannot be invited: `forbidden` by the settings, `conflict` while no mail can be sent. */
export function requireOutsiders(view: View, called: string, mail: boolean): void {
  if (!singleton(view, 'AdminSettings').spec.externalInvitations)
    throw new Declined(
      'forbidden',
      `${called} cannot be invited, because no user has this address, and the settings do not let people without an account be invited: ask an admin to add them`,
    );
  if (!mail)
    throw new Declined('conflict', `${called} cannot be invited, because no mail can be sent now: try again later`);
}

function inviteeCalled(view: View, called: string): { readonly user: string } | { readonly email: string } {
  if (called.includes('@')) {
    const email = emailAddress().safeParse(called);
    if (email.success) return { email: email.data };
    throw new Declined(
      'invalid_request',
      'user cannot be this, because it is not an email address like ann@example.com',
    );
  }
  const user = view.named('User', called);
  if (user) return { user: user.id };
  throw new Declined(
    'not_found',
    `${called} cannot be invited, because there is no user of that name: check it, or give an email address`,
  );
}
