// sso-lockout: warns where a change of a single sign-on configuration could lock out those who would have to mend it.
import { activeAdmin } from '../kinds/user.ts';
import type { Finding } from '../model/finding.ts';
import { addressOf, type DeclaredResource } from '../model/resource.ts';
import { activeSsoOf } from '../model/sso.ts';
import { type Batch, removed, some, written } from './rule.ts';
import { warning } from './warning.ts';

/** The id of these warnings. */
export const ssoLockout = 'sso-lockout';

/** Warnings about the configurations that a batch makes, alters or deletes, by the users that there are. Offline there are none. */
export function* ssoLockouts(batch: Batch): Iterable<Finding> {
  for (const { after } of written(batch, 'SsoConfig')) if (after.spec.active) yield* lockoutsBy(after, batch);
  for (const { before, after } of [...written(batch, 'SsoConfig'), ...removed(batch, 'SsoConfig')])
    if (before?.spec.active && !(after?.spec.active && after.spec.emailDomain === before.spec.emailDomain))
      yield* lockoutsWithout(before, batch);
}

/** What people signed in by is gone, and there is no other way in. */
function* lockoutsWithout(config: DeclaredResource<'SsoConfig'>, { after }: Pick<Batch, 'after'>): Iterable<Finding> {
  const admins = [...after.having('User', activeAdmin)];
  const isOurs = admins.some(({ spec }) => spec.email.endsWith(`@${config.spec.emailDomain}`));
  if (!isOurs || admins.some(({ spec }) => spec.passwordHash !== undefined || activeSsoOf(after, spec.email))) return;
  const who = some(admins.map(addressOf), admins.length);
  const what = `nobody could administer the platform without it, because no active admin (${who}) has a local password: give one first (weir admin reset-password USERNAME)`;
  yield warning(ssoLockout, config, '/spec/active', what);
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
