// Who has to sign in through single sign-on from now on is signed out: a local password opened what they have, for as long as it would like.
import { type Change, changesOf, deleted, type Following, follows } from '../model/change.ts';
import { addressOf, type DeclaredResource, type Resource } from '../model/resource.ts';
import { bindingSso } from '../model/sso.ts';
import { referrers, type View } from '../model/view.ts';
import type { Consequence } from './consequence.ts';

/** Tokens stay: people made them for programs, and a new password leaves them, too. */
export const boundElsewhere: Consequence = function* (changes, before, after) {
  const begun = new Map(
    changesOf(changes, 'SsoConfig')
      .filter(begins)
      .map((change) => [change.id, change]),
  );
  if (begun.size > 0) yield* sessionsUnder(begun, after);
  for (const change of changesOf(changes, 'User')) {
    const { before: old, after: user } = change;
    const sso = old && user && bindingSso(after, user);
    // Who comes from another domain with single sign-on was let in by a provider that has no say here.
    if (sso && bindingSso(before, old)?.id !== sso.id)
      for (const session of referrers(after, 'Session', user)) yield ended(session, sso, change);
  }
};

/** Whether a configuration acts on a domain on which it did not. */
function begins({ before, after }: Change<'SsoConfig'>): boolean {
  const acted = before?.spec.active && before.spec.emailDomain === after?.spec.emailDomain;
  return after?.spec.active === true && !acted;
}

/** Looks at every session, which is rare enough: nobody keeps a list of users by domain. */
function* sessionsUnder(begun: ReadonlyMap<string, Change>, view: View): ReturnType<Consequence> {
  let seen = 0;
  for (const session of view.all('Session')) {
    const user = view.get('User', session.spec.user);
    const sso = user && bindingSso(view, user);
    const cause = sso && begun.get(sso.id);
    if (sso && cause) yield ended(session, sso, cause);
    if (++seen % 256 === 0) yield;
  }
}

function ended(session: Resource<'Session'>, sso: DeclaredResource<'SsoConfig'>, cause: Change): Following {
  return follows(deleted(session), cause, `${sso.spec.emailDomain} signs in through ${addressOf(sso)} now`);
}
