// What `weir sso test` asks about an identity provider: its certificate, its address, and what it has to be given.
import { X509Certificate } from 'node:crypto';
import { webAddress } from '../../core/kinds/web-address.ts';
import { printable } from '../../core/model/printable.ts';
import { samlAddresses } from '../../core/model/saml-addresses.ts';
import { certificatesIn, unusableCertificates } from '../../lib/certificate.ts';
import { randomText } from '../../lib/id.ts';
import type { Check, SsoConfiguration } from '../provider.ts';
import { loginRequestUrl } from './request.ts';

export interface ProviderTestOptions {
  /** The address under which people reach this server, without a slash at its end; absent where that is not known here. */
  readonly baseUrl: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** How long to wait for the provider, in milliseconds. */
  readonly patienceMs?: number;
}

/** Tests the values of a configuration, active or not. Never throws. */
export async function testIdentityProvider(
  config: SsoConfiguration,
  { baseUrl, now, patienceMs = 5000 }: ProviderTestOptions,
): Promise<readonly Check[]> {
  const { signOnUrl, issuer, certificate } = config.spec.saml ?? {};
  return [
    ...certificateChecks(certificate, now),
    issuerCheck(issuer),
    await addressCheck(signOnUrl, requestTo(config, baseUrl, now), patienceMs),
    ...ownAddresses(config, baseUrl),
  ];
}

const soonMs = 30 * 86_400_000;

function certificateChecks(text: string | undefined, now: number): Check[] {
  const name = 'certificate';
  if (text === undefined || text.trim() === '')
    return [fails(name, 'there is none: copy the signing certificate of the identity provider to saml.certificate')];
  const problem = unusableCertificates(text);
  if (problem !== undefined) return [fails(name, `it cannot be used, because ${problem}`)];
  const all = certificatesIn(text).map((pem) => new X509Certificate(pem));
  const isLast = all.length > 1 && all.some(({ validTo }) => Date.parse(validTo) - now > soonMs);
  return all.map((one, index) => certificateCheck(one, all.length > 1 ? `${name} ${index + 1}` : name, now, isLast));
}

/** Of several only one needs to be good: while keys change there are two. */
function certificateCheck(one: X509Certificate, name: string, now: number, hasBetter: boolean): Check {
  const left = Date.parse(one.validTo) - now;
  const end = new Date(one.validTo).toISOString().slice(0, 10);
  const what = `${subjectOf(one)}, ${keyOf(one)}`;
  const next = 'get the next one from the provider, and put it beside this one until the provider has changed over';
  if (Date.parse(one.validFrom) > now)
    return { name, ok: hasBetter, detail: `${what}; not valid before ${new Date(one.validFrom).toISOString()}` };
  if (left < 0)
    return { name, ok: hasBetter, detail: `${what}; ended on ${end}: ${hasBetter ? 'it can be taken out' : next}` };
  if (left > soonMs) return { name, ok: true, detail: `${what}; until ${end}` };
  const days = Math.floor(left / 86_400_000);
  return { name, ok: true, detail: `${what}; ends in ${days} ${days === 1 ? 'day' : 'days'}, on ${end}: ${next}` };
}

function subjectOf({ subject, fingerprint256 }: X509Certificate): string {
  const name = subject?.split('\n').at(-1);
  return name ? `of ${name}` : `with the fingerprint ${fingerprint256}`;
}

function keyOf({ publicKey: { asymmetricKeyType: type, asymmetricKeyDetails: details } }: X509Certificate): string {
  return type === 'rsa'
    ? `RSA of ${details?.modulusLength} bits`
    : `elliptic curve ${details?.namedCurve ?? ''}`.trim();
}

function issuerCheck(issuer: string | undefined): Check {
  const name = 'issuer';
  if (issuer === undefined || issuer.trim() === '')
    return fails(name, 'there is none: copy the entity id of the identity provider to saml.issuer');
  return { name, ok: true, detail: `responses have to come from ${issuer}` };
}

/** Browsers go there, not this server: what only this server cannot reach is no error. */
async function addressCheck(
  url: string | undefined,
  request: ((signOnUrl: string) => string) | undefined,
  patienceMs: number,
): Promise<Check> {
  const name = 'sign-on URL';
  if (url === undefined || url.trim() === '')
    return fails(name, 'there is none: copy the single sign-on address of the identity provider to saml.signOnUrl');
  if (webAddress(url) === undefined)
    return fails(name, 'it is not an http or https address without spaces and line breaks');
  const plain = url.startsWith('https:') ? '' : '; over plain http others can read along and change what they read';
  try {
    const signal = AbortSignal.timeout(patienceMs);
    // Whatever it leads to is not asked: that is the way of somebody's browser.
    const response = await fetch(request ? request(url) : url, { redirect: 'manual', signal });
    await response.body?.cancel();
    const { status } = response;
    if (status === 404 || status === 410 || status >= 500)
      return fails(name, `${url} answers ${status}: look whether it is the address that the provider gives`);
    // Without a request a provider may well say that one is missing.
    if (request && status >= 400)
      return fails(
        name,
        `${url} answers ${status} to a sign-in request: look whether the provider knows the entity ID and the ACS URL below; its own log says why`,
      );
    const asked = request ? ' a sign-in request' : '';
    return { name, ok: true, detail: `${url} answers${asked} (${status}${leadsTo(response, url)})${plain}` };
  } catch (error) {
    const detail = `${url} cannot be reached from here, because ${reasonOf(error, patienceMs)}; people's browsers have to reach it${plain}`;
    return { name, ok: true, detail };
  }
}

/** A request as a browser brings it, where it is known what Weir is called. Nobody waits for its answer. */
function requestTo(
  config: SsoConfiguration,
  baseUrl: string | undefined,
  now: number,
): ((signOnUrl: string) => string) | undefined {
  if (baseUrl === undefined) return undefined;
  const about = {
    requestId: `_${randomText(40)}`,
    now: new Date(now).toISOString(),
    ...samlAddresses(config, baseUrl),
  };
  return (signOnUrl) => loginRequestUrl({ signOnUrl, ...about });
}

/** Where a redirect goes, without its query: that may be long, and hold what is for a browser alone. */
function leadsTo({ headers }: Response, url: string): string {
  const location = headers.get('location');
  if (location === null || !URL.canParse(location, url)) return '';
  const { origin, pathname } = new URL(location, url);
  return `, to ${printable(origin + pathname).slice(0, 200)}`;
}

function reasonOf(error: unknown, patienceMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `it did not answer within ${patienceMs / 1000} s`;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  return words[code] ?? (code === '' ? 'the connection failed' : `the connection failed (${code})`);
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'its name cannot be looked up at the moment',
  ECONNRESET: 'the connection was cut',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an authority that is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes from an authority that is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an authority that is not known here',
  CERT_HAS_EXPIRED: 'its certificate has ended',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/** What the identity provider is given (specification 2.8). */
function ownAddresses(config: SsoConfiguration, baseUrl: string | undefined): Check[] {
  const { acsUrl, entityId } = samlAddresses(config, baseUrl ?? '');
  const where = baseUrl === undefined ? ', behind the address of the server (give it as --base-url)' : '';
  const given = (name: string, address: string): Check => ({
    name,
    ok: true,
    detail: `give ${address} to the identity provider${where}`,
  });
  const isPlain = baseUrl !== undefined && !baseUrl.startsWith('https:') && !isLoopback(new URL(baseUrl).hostname);
  const https = isPlain
    ? [
        fails(
          'base URL',
          `${baseUrl} is not https: browsers send the cookie of a login that comes back from the provider over https alone`,
        ),
      ]
    : [];
  return [
    ...https,
    given('ACS URL', acsUrl),
    given('entity ID', entityId),
    { name: 'NameID', ok: true, detail: 'has to be of the format EmailAddress, and give the address of the user' },
    { name: 'signatures', ok: true, detail: 'the provider has to sign both the response and the assertion' },
  ];
}

/** Where the provider is on the same machine, the cookie comes along. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}

function fails(name: string, detail: string): Check {
  return { name, ok: false, detail };
}
