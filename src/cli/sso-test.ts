// weir sso test: looks whether a single sign-on configuration works, before anybody depends on it.

import { resolve } from 'node:path';
import type { View } from '../core/model/view.ts';
import type { Options } from '../options.ts';
import { testDirectory } from '../sso/ldap.ts';
import type { Check } from '../sso/provider.ts';
import { testIdentityProvider } from '../sso/saml/test-provider.ts';
import { exitCodes } from './exit-codes.ts';
import { secretOf } from './facts.ts';
import type { Io } from './io.ts';
import { publish } from './publish.ts';
import { configurationCalled, withView } from './sso-configuration.ts';
import type { Verb } from './verb.ts';

export const ssoTest: Verb = {
  usage: 'NAME',
  words: { least: 1, most: 1 },
  options: ['store', 'secretKeyFile', 'secretDir', 'baseUrl', 'user', 'quiet', 'output'],
  notes: {
    user: 'LDAP: whom to look for in the directory, a username or an address',
    baseUrl: 'the address under which people reach the server: what the identity provider is given begins with it',
  },
  details: `LDAP: connects to the directory, checks its certificate, signs in with the service account, and looks whether the search base, the filter and
the group base find anything; with --user whom the filter finds, and their groups. SAML: checks the certificate and the issuer,
sends a sign-in request to the sign-on URL (without --base-url an empty one), tells what came without following it, and the addresses that the identity provider has to be given. Exits 1 when something is not well. No password of a person is asked for.`,
  examples: ['weir sso test example-com --base-url https://weir.example.com', 'weir sso test plant --user ann'],
  async run({ args: [name = ''], options, io }) {
    const found = await withView(options, io, (view) => checked(view, name, options, io));
    publish({ type: 'checks', ...found }, options.output, io);
    return found.checks.every(({ ok }) => ok) ? exitCodes.fine : exitCodes.invalid;
  },
};

async function checked(
  view: View,
  name: string,
  options: Options,
  io: Io,
): Promise<{ readonly config: string; readonly checks: readonly Check[] }> {
  const config = configurationCalled(view, name);
  const home = { secretDir: resolve(io.cwd, options.secretDir), env: io.env };
  const { baseUrl, user } = options;
  const checks =
    config.spec.provider === 'ldap'
      ? await testDirectory(config, { secretOf: (secret) => secretOf(secret, home), user })
      : await testIdentityProvider(config, {
          baseUrl,
          now: Date.parse(io.now()),
        });
  const state = config.spec.active ? 'it is active' : 'it is a draft: nobody signs in through it yet';
  return { config: config.name, checks: [{ name: 'state', ok: true, detail: state }, ...checks] };
}
