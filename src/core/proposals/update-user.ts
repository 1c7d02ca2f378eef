// Changes a user as an admin may: at once, and with an address that is taken for theirs.
import type { SpecOf } from '../kinds/index.ts';
import { because, type Change, deleted, updated } from '../model/change.ts';
import { sameValue } from '../model/leaves.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { settled, unsettledMs } from '../model/unsettled-email.ts';
import { referrers, type View } from '../model/view.ts';
import { forgiven } from './failed-sign-in.ts';
import { undoLink } from './issue-action-token.ts';
import { type Target, targetIn } from './target.ts';

/**
 * What changes; what is absent stays. A new password or address ends the sessions of the user, but for that with the id `keptSession`. `reason`
 * stands in the audit log; `undoHash` is that for a link by which the old address is taken back, where a token gives the new one: that opens nothing
 * for as long. An address that an admin gives who is signed in, also the same again, opens what addresses open.
 */
export interface UserUpdate extends Target {
  readonly username?: string | undefined;
  readonly email?: string | undefined;
  readonly displayName?: string | undefined;
  readonly admin?: boolean | undefined;
  readonly suspended?: boolean | undefined;
  readonly passwordHash?: string | undefined;
  readonly keptSession?: string | undefined;
  /** Whoever the provider proves next has the account. */
  readonly ssoBound?: false | undefined;
  readonly reason?: string | undefined;
  readonly undoHash?: string | undefined;
}

/** Declines (`not_found`, `precondition_failed`). */
export function updateUser(update: UserUpdate): Proposal {
  return (view, context) => {
    const { username, email, displayName, admin, suspended, passwordHash, keptSession, reason, undoHash, ssoBound } =
      update;
    const user = targetIn(view, 'User', update);
    const unlocked = passwordHash === undefined ? {} : { passwordHash, ...forgiven(user) };
    const isMoved = email !== undefined && email !== user.spec.email;
    const spec = {
      displayName,
      admin,
      suspended,
      ...givenAddress(user, update, context),
      ...unlocked,
      ...unbound(user, ssoBound),
    };
    const ended = passwordHash === undefined && !isMoved ? [] : endedSessions(view, user, keptSession);
    const changed = changedUser(user, { name: username, spec }, context);
    const undo = isMoved && undoHash !== undefined ? undoLink(view, user, undoHash, context) : [];
    return [...(reason === undefined ? changed : changed.map((one) => because(one, reason))), ...ended, ...undo];
  };
}

function givenAddress(user: Resource<'User'>, { email, undoHash }: UserUpdate, { now }: Context) {
  if (email === undefined) return {};
  const isMoved = email !== user.spec.email;
  const verified = isMoved ? { email, emailVerified: true } : {};
  if (undoHash === undefined) return { ...verified, ...settled(user) };
  const until = new Date(Date.parse(now) + unsettledMs).toISOString();
  return isMoved ? { ...verified, emailUnsettledUntil: until } : {};
}

/** The user without the persons whom providers knew them as, where that is wanted. */
function unbound({ spec }: Resource<'User'>, ssoBound: UserUpdate['ssoBound']): Pick<SpecOf<'User'>, 'ssoBindings'> {
  return ssoBound === false && spec.ssoBindings ? { ssoBindings: [] } : {};
}

/** A user with other values; nothing where they are as they were. */
export function changedUser(
  user: Resource<'User'>,
  { name = user.name, spec }: { readonly name?: string | undefined; readonly spec: Undefinable<SpecOf<'User'>> },
  { now }: Context,
): Change[] {
  const given = Object.entries(spec).filter(([, value]) => value !== undefined);
  const after = { ...user, name, spec: { ...user.spec, ...Object.fromEntries(given) } };
  if (name === user.name && sameValue(after.spec, user.spec)) return [];
  return [updated(user, { ...after, generation: user.generation + 1, updatedAt: now })];
}

/** The end of all sessions of a user, but for one. */
export function endedSessions(view: View, user: Resource<'User'>, kept?: string): Change[] {
  return [...referrers(view, 'Session', user)].filter(({ id }) => id !== kept).map(deleted);
}

type Undefinable<T> = { readonly [Key in keyof T]?: T[Key] | undefined };
