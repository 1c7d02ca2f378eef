// sso-tokens: warns of access tokens that outlive the configuration of single sign-on that their owners sign in through.
import type { Finding } from '../model/finding.ts';
import { addressOf } from '../model/resource.ts';
import { revokesTokens, signsInOnlyBy, whySsoEnds } from '../model/sso-ended.ts';
import { countReferrers } from '../model/view.ts';
import { type Batch, counted, removed, some, written } from './rule.ts';
import { warning } from './warning.ts';

/** The id of these warnings. */
export const ssoTokens = 'sso-tokens';

/** Warnings about the configurations that a batch deactivates, deletes or gives another provider, by the tokens that there are. */
export function* ssoTokensLeft(batch: Batch): Iterable<Finding> {
  for (const change of [...written(batch, 'SsoConfig'), ...removed(batch, 'SsoConfig')]) {
    const { before } = change;
    if (!before || whySsoEnds(change) === undefined || revokesTokens(change)) continue;
    const owners = [...batch.after.all('User')].filter((user) => signsInOnlyBy(user, before));
    const left = owners
      .map((user) => ({ user, tokens: countReferrers(batch.after, 'Token', user) }))
      .filter(({ tokens }) => tokens > 0);
    if (left.length === 0) continue;
    const tokens = left.reduce((sum, one) => sum + one.tokens, 0);
    const who = some(
      left.map(({ user }) => addressOf(user)),
      left.length,
    );
    const what = `its sessions end, but ${counted(tokens, 'access token')} of ${counted(left.length, 'account')} (${who}) will go on opening what ${left.length === 1 ? 'its owner' : 'their owners'} may: set "onDeactivation: {tokens: revoke}" ${change.after ? 'with this change' : 'before it is deleted'} to end ${tokens === 1 ? 'it' : 'them'}, too`;
    yield warning(ssoTokens, before, '/spec/onDeactivation/tokens', what);
  }
}
