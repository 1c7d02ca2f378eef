// sso-lockout: warns where a change of a single sign-on configuration could lock out those who would have to mend it.
import { activeAdmin } from '../kinds/user.ts';
import type { Finding } from '../model/finding.ts';
import { addressOf, type DeclaredResource } from '../model/resource.ts';
import { type Batch, some, written } from './rule.ts';
import { warning } from './warning.ts';

/** The id of these warnings. */
export const ssoLockout = 'sso-lockout';

/** Warnings about the configurations that a batch makes or alters, by the users that there are. Offline there are none. */
export function* ssoLockouts({ changes, ...batch }: Batch): Iterable<Finding> {
  for (const { after } of written({ changes, ...batch }, 'SsoConfig'))
    if (after.spec.active) yield* lockoutsBy(after, batch);
}

function* lockoutsBy(config: DeclaredResource<'SsoConfig'>, { after }: Pick<Batch, 'after'>): Iterable<Finding> {
  const { emailDomain, groups } = config.spec;
  const admins = [...after.having('User', activeAdmin)];
  const ours = admins.filter(({ spec }) => spec.email.endsWith(`@${emailDomain}`));
  if (ours.length === 0) return;
  const who = some(admins.map(addressOf), admins.length);
  if (admins.every(({ spec }) => spec.passwordHash === undefined)) {
    const what = `nobody could administer the platform while the provider does not let them in, because no active admin (${who}) has a local password: give one first (weir admin reset-password USERNAME)`;
    yield warning(ssoLockout, config, '/spec/active', what);
  }
  if (groups.adminGroup === undefined || ours.length < admins.length) return;
  const what = `the admins may be others than you expect, because every active admin (${who}) is of ${emailDomain}, and whoever is not in this group loses the flag at the next sign-in, all but the last: see what happens with "weir sso explain", or keep an admin of another domain`;
  yield warning(ssoLockout, config, '/spec/groups/adminGroup', what);
}
