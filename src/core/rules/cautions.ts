// Warnings about changes: what may come of them in the state that they meet. They refuse nothing.
import type { Finding } from '../model/finding.ts';
import type { Batch } from './rule.ts';
import { written } from './rule.ts';
import { ssoCertificateEnds, ssoPlainHttp, ssoPlainLdap } from './sso-advice.ts';
import { ssoLockouts } from './sso-lockout.ts';
import { ssoTeams } from './sso-teams.ts';
import { ssoTokensLeft } from './sso-tokens.ts';
import { suspendedOwners } from './suspended-owner.ts';

/** All warnings about a batch. Advice about what a tree declares is given with the tree; here it is about what others write. */
export function* cautions(batch: Batch): Iterable<Finding> {
  yield* ssoLockouts(batch);
  yield* ssoTeams(batch);
  yield* ssoTokensLeft(batch);
  yield* suspendedOwners(batch);
  if (batch.door === 'tree' || batch.door === 'config') return;
  for (const { after } of written(batch, 'SsoConfig'))
    for (const { advise } of [ssoCertificateEnds, ssoPlainHttp, ssoPlainLdap])
      yield* advise(after, batch.after, batch.facts);
}
