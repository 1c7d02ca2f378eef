// Issues what a link in a mail proves: one link of a purpose is good for a user at a time, and the newest is it.
import { kinds } from '../kinds/index.ts';
import { type Change, created, deleted } from '../model/change.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { first } from '../model/state.ts';
import { isEmailUnsettled } from '../model/unsettled-email.ts';
import { referrers, singleton, type View } from '../model/view.ts';
import { Declined } from './declined.ts';

/** What a link is for. */
export type Purpose = Resource<'ActionToken'>['spec']['purpose'];

/** A link to issue: to whom (by id), for what, to which address it goes, and the SHA-256 of its token. */
export interface NewLink {
  readonly user: string;
  readonly purpose: Purpose;
  readonly email: string;
  readonly hash: string;
  /** The id of the session that asks for another address than the user has. */
  readonly session?: string | undefined;
}

/** How long a link is good, in minutes. */
export const linkMinutes: Readonly<Record<Purpose, number>> = {
  'verify-email': 24 * 60,
  'reset-password': 30,
  'restore-email': 72 * 60,
};

/** How long a user waits for the next mail of a purpose, in milliseconds: nobody shall fill somebody's letter box. */
export const mailPauseMs = 60_000;

/**
 * Issues a link to a user. Declines: `not_found` where there is no such user, `conflict` within a minute of the last one for the same purpose. A
 * change of address is verified by a link to the new address.
 */
export function issueActionToken(link: NewLink): Proposal {
  return (view, context) => {
    const user = view.get('User', link.user);
    if (!user) throw new Declined('not_found', 'there is no such user');
    if (wasMailedLately(view, user, link.purpose, context.now))
      throw new Declined(
        'conflict',
        'no mail can be sent now, because one was sent less than a minute ago: look for that one, or try again in a minute',
      );
    return issuedLink(view, user, link, context);
  };
}

/** The new link, and the end of those for the same purpose. */
export function issuedLink(
  view: View,
  user: Resource<'User'>,
  link: Omit<NewLink, 'user'>,
  context: Context,
): Change[] {
  const earlier = linksOf(view, user, link.purpose).map(deleted);
  return [...earlier, created(newLink(user, link, context))];
}

/**
 * The link by which the address that a user has is taken back once another one took its place; nothing where no mail is sent, where nobody
 * showed that the address is theirs, or where a token gave it lately: whoever found that reads its mail. It ends no other: each address that was taken away can come back.
 */
export function undoLink(view: View, user: Resource<'User'>, hash: string, context: Context): Change[] {
  const { email, emailVerified } = user.spec;
  if (!emailVerified || isEmailUnsettled(user, context.now)) return [];
  if (singleton(view, 'Platform').spec.email === undefined) return [];
  return [created(newLink(user, { purpose: 'restore-email', email, hash }, context))];
}

/** Whether a link for the purpose went to the user less than a minute ago. A clock that was set back makes nobody wait longer than that. */
export function wasMailedLately(view: View, user: Resource<'User'>, purpose: Purpose, now: string): boolean {
  return linksOf(view, user, purpose).some(({ createdAt }) => {
    const age = Date.parse(now) - Date.parse(createdAt);
    return age >= 0 && age < mailPauseMs;
  });
}

/** The link with this hash, while it is good. Declines (`invalid_request`), in words that do not tell why. */
export function goodLink(view: View, purpose: Purpose, hash: string, now: string): Resource<'ActionToken'> {
  const link = first(view.having('ActionToken', `hash=${hash}`));
  if (link && link.spec.purpose === purpose && Date.parse(now) < Date.parse(link.spec.expiresAt)) return link;
  throw new Declined(
    'invalid_request',
    'this link opens nothing, because it was used, has expired, or a newer one was sent: ask for a new one',
  );
}

function newLink(
  user: Resource<'User'>,
  link: Omit<NewLink, 'user'>,
  { now, newId }: Context,
): Resource<'ActionToken'> {
  const id = newId();
  const expiresAt = new Date(Date.parse(now) + linkMinutes[link.purpose] * 60_000).toISOString();
  const { purpose, email, hash, session } = link;
  const spec = kinds.ActionToken.spec.parse({ user: user.id, purpose, email, session, hash, expiresAt });
  return { kind: 'ActionToken', id, name: id, spec, generation: 1, createdAt: now, updatedAt: now };
}

/** The links of a purpose that went to a user. */
export function linksOf(view: View, user: Resource<'User'>, purpose: Purpose): Resource<'ActionToken'>[] {
  return [...referrers(view, 'ActionToken', user)].filter(({ spec }) => spec.purpose === purpose);
}
