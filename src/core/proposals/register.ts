// Registers somebody: the user, the team that they were invited to or get, and the link that verifies their address.
import { because, type Change, created, deleted, updated } from '../model/change.ts';
import { isPending } from '../model/invited.ts';
import { membershipIn } from '../model/members.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { activeSsoOf } from '../model/sso.ts';
import { first } from '../model/state.ts';
import { unclaimedAddress } from '../model/unclaimed.ts';
import { userCalled } from '../model/user-called.ts';
import { singleton, type View } from '../model/view.ts';
import { newUser } from './create-user.ts';
import { Declined } from './declined.ts';
import { issuedLink } from './issue-action-token.ts';
import { newMembership } from './new-team.ts';
import { type PersonalTeam, personalTeam } from './personal-team.ts';
import { isUnproven } from './sign-in.ts';

/** Who wants in: `email` in lower case, `invitation` the hash of the token that they were mailed. */
export interface Applicant {
  readonly email: string;
  readonly invitation?: string | undefined;
}

/** `link` is the hash for the link that verifies the address. */
export interface Registration extends Applicant {
  readonly username: string;
  readonly displayName: string;
  readonly passwordHash: string;
  readonly link: string;
  readonly team: Omit<PersonalTeam, 'optional'>;
}

/**
 * Whoever was invited has shown that they read mail at the address, is in that team at once, and gets one of their own where they choose a type;
 * others get a link to verify the address. An account that somebody registered with the address of who was invited, and never could use, is theirs.
 * Where the address is somebody's already the same happens, but that the account is no way in: its address is nobody's, and there is no link.
 * Declines as `admit` does, and `invalid_request` for a team type that cannot be chosen.
 */
export function register(registration: Registration): Proposal {
  const { username, email, displayName, passwordHash, link, team } = registration;
  return (view, context) => {
    const invitation = admit(view, registration, context.now);
    const verified = invitation !== undefined;
    if (!verified && userCalled(view, email)) return withoutAddress(view, registration, context);
    const proved = verified ? ({ emailVerified: true } as const) : ({ registered: true } as const);
    const fresh = newUser({ username, spec: { email, displayName, passwordHash, ...proved } }, context);
    const unused = verified ? unusedAccount(view, email) : undefined;
    const user = unused ? { ...fresh, id: unused.id, generation: unused.generation + 1 } : fresh;
    return [
      unused ? updated(unused, user) : created(user),
      ...(invitation ? placeIn(view, invitation, user, context) : []),
      ...personalTeam(view, user, { ...team, optional: verified }, context),
      ...(verified ? [] : issuedLink(view, user, { purpose: 'verify-email', email, hash: link }, context)),
    ];
  };
}

/** It has the username and the team, or whoever tries them again would see that it was not made. */
function withoutAddress(
  view: View,
  { username, displayName, passwordHash, team }: Registration,
  context: Context,
): Change[] {
  const { id, ...rest } = newUser(
    { username, spec: { email: unclaimedAddress('new'), displayName, passwordHash, registered: true } },
    context,
  );
  const user = { ...rest, id, spec: { ...rest.spec, email: unclaimedAddress(id) } };
  const why =
    'the address that was given is that of another account, whose owner was told: nobody signs in to this one';
  return [because(created(user), why), ...personalTeam(view, user, { ...team, optional: false }, context)];
}

/** Whether visitors may register (specification 2.7). */
export function isRegistrationOpen(view: View): boolean {
  return singleton(view, 'AdminSettings').spec.registration && singleton(view, 'Platform').spec.email !== undefined;
}

/**
 * The invitation by which somebody registers; nothing where everybody may. Declines: `forbidden` where registration is off, the invitation is for
 * another address, or the domain makes its own users; `invalid_request` for an invitation that there is not.
 */
export function admit(view: View, { email, invitation }: Applicant, now: string): Resource<'Invitation'> | undefined {
  const sso = activeSsoOf(view, email);
  if (sso?.spec.provisionNewUsers)
    throw new Declined(
      'forbidden',
      `nobody registers with an address of ${sso.spec.emailDomain}, because its users are made when they first sign in through single sign-on: sign in instead`,
    );
  if (invitation !== undefined) return goodInvitation(view, email, invitation, now);
  if (isRegistrationOpen(view)) return undefined;
  throw new Declined(
    'forbidden',
    'nobody can register here without an invitation, because the settings do not allow it: ask an administrator for an account',
  );
}

function goodInvitation(view: View, email: string, hash: string, now: string): Resource<'Invitation'> {
  const found = first(view.having('Invitation', `hash=${hash}`));
  if (!found || !isPending(found, now))
    throw new Declined(
      'invalid_request',
      'this invitation opens nothing, because it has expired, was withdrawn or was answered: ask for a new one',
    );
  if (found.spec.email === email) return found;
  throw new Declined(
    'forbidden',
    'this invitation cannot be used, because it is for another address: register with the address that it was sent to',
  );
}

/** Whoever registered with an address that is not theirs shall not keep its owner out. */
function unusedAccount(view: View, email: string): Resource<'User'> | undefined {
  const user = userCalled(view, email);
  return user && isUnproven(user) && !user.spec.admin && !user.spec.suspended ? user : undefined;
}

/** Other invitations of the same person to the team end with it (see the consequence `joined`). */
function placeIn(view: View, invitation: Resource<'Invitation'>, user: Resource<'User'>, context: Context): Change[] {
  const { team, role } = invitation.spec;
  if (membershipIn(view, team, user.id)) return [deleted(invitation)];
  return [created(newMembership({ team, user: user.id, role }, context)), deleted(invitation)];
}
