// Who has to sign in through single sign-on from now on is signed out: a local password opened what they have, for as long as it would like.

import { because, type Change, changesOf, deleted } from '../model/change.ts';
import { addressOf, type DeclaredResource, type Resource } from '../model/resource.ts';
import { bindingSso } from '../model/sso.ts';
import { referrers, type View } from '../model/view.ts';
import type { Consequence } from './consequence.ts';

/** Tokens stay: people made them for programs, and a new password leaves them, too. */
export const boundElsewhere: Consequence = function* (changes, before, after): Iterable<Change> {
  const begun = [...changesOf(changes, 'SsoConfig')].flatMap((change) => beginning(change) ?? []);
  if (begun.length > 0) yield* sessionsUnder(new Set(begun.map(({ id }) => id)), after);
  for (const { before: old, after: user } of changesOf(changes, 'User')) {
    const sso = old && user && bindingSso(after, user);
    // Who comes from another domain with single sign-on was let in by a provider that has no say here.
    if (sso && bindingSso(before, old)?.id !== sso.id)
      for (const session of referrers(after, 'Session', user)) yield ended(session, sso);
  }
};

/** A configuration that acts on a domain on which it did not. */
function beginning({ before, after }: Change<'SsoConfig'>): DeclaredResource<'SsoConfig'> | undefined {
  const acted = before?.spec.active && before.spec.emailDomain === after?.spec.emailDomain;
  return after?.spec.active && !acted ? after : undefined;
}

/** Looks at every session, which is rare enough: nobody keeps a list of users by domain. */
function* sessionsUnder(configs: ReadonlySet<string>, view: View): Iterable<Change> {
  for (const session of view.all('Session')) {
    const user = view.get('User', session.spec.user);
    const sso = user && bindingSso(view, user);
    if (sso && configs.has(sso.id)) yield ended(session, sso);
  }
}

function ended(session: Resource<'Session'>, sso: DeclaredResource<'SsoConfig'>): Change {
  return because(deleted(session), `${sso.spec.emailDomain} signs in through ${addressOf(sso)} now`);
}
