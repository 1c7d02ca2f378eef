// Warnings about single sign-on: what will stop working one day, or never begins to.
import type { Finding } from '../model/finding.ts';
import type { DeclaredResource } from '../model/resource.ts';
import type { Facts } from './facts.ts';
import { adviceFor, warning } from './warning.ts';

type Config = DeclaredResource<'SsoConfig'>;

/** From how many days before its end on a certificate is warned of. */
const soonDays = 30;

export const ssoCertificateEnds = adviceFor('SsoConfig', {
  id: 'sso-certificate-ends',
  warns: 'a certificate of single sign-on that ends within 30 days, or has ended',
  *advise(config, _view, facts) {
    if (!config.spec.active) return;
    yield* judgeEnd(config, '/spec/saml/certificate', config.spec.saml?.certificate, facts);
    yield* judgeEnd(config, '/spec/ldap/tls/ca', config.spec.ldap?.tls.ca, facts);
  },
});

/** Of several certificates the last counts: while keys change the old one may end. */
function* judgeEnd(config: Config, path: string, text: string | undefined, facts: Facts): Iterable<Finding> {
  const left = text === undefined ? undefined : facts.certificateDaysLeft?.(text);
  if (left === undefined || left > soonDays) return;
  const days = Math.floor(left);
  const when = left < 0 ? 'has ended' : days === 0 ? 'ends today' : `ends in ${days} ${days === 1 ? 'day' : 'days'}`;
  const what = `people of ${config.spec.emailDomain} may soon be unable to sign in, because the certificate ${when}: get the next one from the provider, and put it beside this one until the provider has changed over`;
  yield warning('sso-certificate-ends', config, path, what);
}

export const ssoPlainHttp = adviceFor('SsoConfig', {
  id: 'sso-plain-http',
  warns: 'SAML on a server that people reach without https',
  *advise(config, _view, { baseUrl }) {
    const { active, provider } = config.spec;
    if (!active || provider !== 'saml' || baseUrl === undefined || baseUrl.startsWith('https:')) return;
    const what = `people may be unable to sign in, and others may read along, because the server is reached at ${baseUrl}: browsers send the cookie of a login that comes back from the provider over https alone, so set --base-url to an https address`;
    yield warning('sso-plain-http', config, '/spec/provider', what);
  },
});

export const ssoPlainLdap = adviceFor('SsoConfig', {
  id: 'sso-plain-ldap',
  warns: 'passwords that go to a directory without TLS, or without a look at its certificate',
  *advise(config) {
    const { active, provider, ldap } = config.spec;
    if (!active || provider !== 'ldap' || !ldap) return;
    const { mode, verifyServerCertificate } = ldap.tls;
    const how =
      mode === 'none'
        ? { path: '/spec/ldap/tls/mode', why: 'ldap.tls.mode is none: set it to ldaps or startTls' }
        : verifyServerCertificate
          ? undefined
          : {
              path: '/spec/ldap/tls/verifyServerCertificate',
              why: 'the certificate of the directory is not verified: switch ldap.tls.verifyServerCertificate on, and give its authority in ldap.tls.ca',
            };
    if (how)
      yield warning('sso-plain-ldap', config, how.path, `others may read the passwords of people, because ${how.why}`);
  },
});
