// Takes an address back by the link that went to it when another one took its place.
import { type Change, deleted, updated } from '../model/change.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { bindingSso } from '../model/sso.ts';
import { settled } from '../model/unsettled-email.ts';
import { userCalled } from '../model/user-called.ts';
import { referrers, type View } from '../model/view.ts';
import { deletedUser } from './delete-user.ts';
import { goodLink, issuedLink } from './issue-action-token.ts';
import { isResetOffered } from './request-password-reset.ts';
import { isUnproven } from './sign-in.ts';
import { endedSessions } from './update-user.ts';

/** `hash` is that of the link's token, `resetHash` that for a link to set a new password. */
export interface Restoration {
  readonly hash: string;
  readonly resetHash: string;
}

/**
 * The user has the old address again. All sessions end, and all links but those that are older: they belong to addresses from before. Whoever
 * changed the address knew the password: where a new one can be set by mail the old one is gone, and a link for it is among the changes.
 * Declines (`invalid_request`) for a link that is not good.
 */
export function restoreEmail({ hash, resetHash }: Restoration): Proposal {
  return (view, context) => {
    const link = goodLink(view, 'restore-email', hash, context.now);
    const user = view.get('User', link.spec.user);
    if (!user) return [deleted(link)];
    const { email } = link.spec;
    const after = restored(view, user, email, context);
    const isGone = user.spec.passwordHash !== undefined && after.spec.passwordHash === undefined;
    return [
      ...inTheWay(view, user, email),
      updated(user, after),
      ...endedSessions(view, user),
      ...[...referrers(view, 'ActionToken', user)].filter((one) => !isOlder(one, link)).map(deleted),
      ...(isGone ? newPasswordLink(view, after, resetHash, context) : []),
    ];
  };
}

function restored(view: View, user: Resource<'User'>, email: string, { now }: Context): Resource<'User'> {
  const { passwordHash, ...spec } = user.spec;
  const own = {
    ...user,
    spec: { ...spec, email, emailVerified: true, ...settled(user) },
    generation: user.generation + 1,
    updatedAt: now,
  };
  const isReplaced = isResetOffered(view) && !bindingSso(view, own);
  return isReplaced || passwordHash === undefined ? own : { ...own, spec: { ...own.spec, passwordHash } };
}

/** An older link leads to an address from before: who has it takes the account back from this one, too. */
function isOlder(one: Resource<'ActionToken'>, link: Resource<'ActionToken'>): boolean {
  return one.spec.purpose === 'restore-email' && one.id !== link.id && one.createdAt < link.createdAt;
}

/** All links of the user that could set a password are deleted beside this one. */
function newPasswordLink(view: View, user: Resource<'User'>, hash: string, context: Context): Change[] {
  const issued = issuedLink(view, user, { purpose: 'reset-password', email: user.spec.email, hash }, context);
  return issued.filter(({ before }) => before === undefined);
}

/** Whoever registered with the address meanwhile, and never showed that it is theirs, does not keep its owner out. */
function inTheWay(view: View, user: Resource<'User'>, email: string): Change[] {
  const other = userCalled(view, email);
  const isNobodys = other && other.id !== user.id && isUnproven(other) && !other.spec.admin;
  return isNobodys ? deletedUser(view, other) : [];
}
