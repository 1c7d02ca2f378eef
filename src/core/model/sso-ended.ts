// Whether a configuration of single sign-on stops to vouch for people as it did, and whose accounts it vouched for.
import type { Change } from './change.ts';
import type { DeclaredResource, Resource } from './resource.ts';

type Config = DeclaredResource<'SsoConfig'>;

/** Why what a configuration opened ends with a change, in words that can follow its address; nothing where it goes on. */
export function whySsoEnds({ before, after }: Pick<Change<'SsoConfig'>, 'before' | 'after'>): string | undefined {
  if (!before?.spec.active) return undefined;
  if (!after) return 'is deleted';
  if (!after.spec.active) return 'is not active any more';
  if (after.spec.emailDomain !== before.spec.emailDomain) return `is for ${after.spec.emailDomain} now`;
  return providerOf(after) === providerOf(before) ? undefined : `has another provider now (${providerOf(after)})`;
}

/** Who vouches for people: the issuer, or the host of the directory. Another port of it, or another address to sign in at, is no other provider. */
function providerOf({ spec }: Config): string {
  if (spec.provider === 'saml') return spec.saml?.issuer ?? '';
  return (spec.ldap?.server ?? '').replace(/:\d+$/, '').toLowerCase();
}

/** Whether somebody has no way in but a configuration, while it is active: admins with a local password have another. */
export function signsInOnlyBy({ spec }: Resource<'User'>, config: Config): boolean {
  const isOwn = spec.admin && spec.passwordHash !== undefined;
  return !isOwn && spec.email.endsWith(`@${config.spec.emailDomain}`);
}

/** What becomes of the tokens where a configuration ends: the last word that was given counts. */
export function revokesTokens({ before, after }: Pick<Change<'SsoConfig'>, 'before' | 'after'>): boolean {
  // What an earlier version kept does not have the field.
  return (after ?? before)?.spec.onDeactivation?.tokens === 'revoke';
}
