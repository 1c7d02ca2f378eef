// What single sign-on providers can do, by ability.
import type { Identity } from '../core/model/identity.ts';
import type { DeclaredResource } from '../core/model/resource.ts';

/** A configuration, whatever its provider. */
export type SsoConfiguration = DeclaredResource<'SsoConfig'>;

/**
 * How asking a provider ended. `reason` is for the log and for administrators: it never reaches who signs in. `email`: whose password it was not,
 * where the provider knows whom the name is.
 */
export type ProviderAnswer =
  | { readonly outcome: 'proved'; readonly identity: Identity }
  | { readonly outcome: 'refused'; readonly reason: string; readonly email?: string }
  | { readonly outcome: 'unavailable'; readonly reason: string };

/** A provider that a password is shown to (LDAP). Never throws for anything that a directory or a person does. */
export interface PasswordProvider {
  authenticate(
    config: SsoConfiguration,
    typed: { readonly username: string; readonly password: string },
  ): Promise<ProviderAnswer>;
}

/** One thing that `weir sso test` looked at, in words for administrators. What is not `ok` keeps people from signing in. */
export interface Check {
  /** What was looked at: `certificate`, `search base`. */
  readonly name: string;
  readonly ok: boolean;
  /** What was seen, and where it is not well, what to do. */
  readonly detail: string;
}
