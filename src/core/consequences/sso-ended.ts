// Where a configuration of single sign-on acts no more as it did, the sessions that it opened end, and tokens where it says so.
import { type Change, changesOf, deleted, follows } from '../model/change.ts';
import { addressOf, type DeclaredResource, type Resource } from '../model/resource.ts';
import { bindingSso } from '../model/sso.ts';
import { revokesTokens, signsInOnlyBy, whySsoEnds } from '../model/sso-ended.ts';
import { referrers, type View } from '../model/view.ts';
import type { Consequence } from './consequence.ts';

type Config = DeclaredResource<'SsoConfig'>;

export const ssoEnded: Consequence = function* (changes, before, after) {
  for (const change of changesOf(changes, 'SsoConfig')) {
    const why = whySsoEnds(change);
    if (why === undefined || !change.before) continue;
    const reason = `${addressOf(change.after ?? change.before)} ${why}`;
    yield* openedBy(change.before, { before, after }, change, reason);
    if (revokesTokens(change)) yield* tokensUnder(change.before, after, change, reason);
  }
};

/** Looks at every session: of those that are older than the note of what opened them, the account tells. */
function* openedBy(
  config: Config,
  { before, after }: { readonly before: View; readonly after: View },
  cause: Change,
  reason: string,
): ReturnType<Consequence> {
  let seen = 0;
  for (const session of after.all('Session')) {
    if (wasOpenedBy(session, config, before)) yield follows(deleted(session), cause, reason);
    if (++seen % 256 === 0) yield;
  }
}

function wasOpenedBy({ spec }: Resource<'Session'>, config: Config, before: View): boolean {
  if (spec.sso !== undefined) return spec.sso === config.id;
  const user = before.get('User', spec.user);
  return user !== undefined && bindingSso(before, user)?.id === config.id;
}

function* tokensUnder(config: Config, view: View, cause: Change, reason: string): ReturnType<Consequence> {
  let seen = 0;
  for (const user of view.all('User')) {
    if (signsInOnlyBy(user, config))
      for (const token of referrers(view, 'Token', user)) yield follows(deleted(token), cause, reason);
    if (++seen % 256 === 0) yield;
  }
}
