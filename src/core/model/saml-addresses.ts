// The addresses of a SAML configuration, and the configuration at an address.
import type { DeclaredResource } from './resource.ts';
import type { View } from './view.ts';

type Config = DeclaredResource<'SsoConfig'>;

/** Where people begin to sign in, where the identity provider posts its responses, and what Weir is called there (specification 2.8). */
export interface SamlAddresses {
  readonly loginUrl: string;
  readonly acsUrl: string;
  /** Also the address of the metadata. */
  readonly entityId: string;
}

/** The addresses of a configuration. An identity provider was given them: they hold the name that it was made with, whatever it is called now. */
export function samlAddresses({ firstName, name }: Pick<Config, 'firstName' | 'name'>, baseUrl: string): SamlAddresses {
  const path = `${baseUrl}/sso/saml/${firstName ?? name}`;
  return { loginUrl: `${path}/login`, acsUrl: `${path}/acs`, entityId: `${path}/metadata` };
}

/** The SAML configuration whose addresses hold a name. Where one was renamed and another has its name now, it is the one that had it first. */
export function samlConfigAt(view: View, name: string): Config | undefined {
  for (const config of view.all('SsoConfig')) if (config.firstName === name && isSaml(config)) return config;
  const config = view.named('SsoConfig', name);
  return config && config.firstName === undefined && config.name === name && isSaml(config) ? config : undefined;
}

function isSaml({ spec }: Config): boolean {
  return spec.provider === 'saml';
}
