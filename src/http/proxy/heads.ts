// What is passed on of the heads of requests and answers: what one hop says to the next ends here (RFC 9110, 7.6.1), and so does what is Weir's own.

/** Headers as they stand on the wire: names and values in turn. */
export type RawHeaders = readonly string[];

/** What stands before the names of Weir's own cookies, whatever their case. */
const ownCookies = 'weir_';

const ofOneHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

/** Said anew by Weir, or answered by it. */
const saidByWeir: ReadonlySet<string> = new Set(['host', 'expect', 'forwarded', 'x-real-ip']);

/** What is said of a request besides what its sender said. */
export interface Said {
  readonly host: string;
  readonly clientAddress: string;
  readonly scheme: string;
  /** The version of HTTP in which it came, as `1.1`. */
  readonly version: string;
  /** What stands before the paths of the runtime, for the sender; empty where nothing does. */
  readonly prefix: string;
  /** Whether Authorization was for Weir, and ends here. */
  readonly isOurToken: boolean;
  /** The header by which the runtime knows that it comes through the gateway, and who may use the editor. */
  readonly principal: readonly [name: string, value: string];
}

/** The headers of a request as the runtime gets them; without Weir's cookies and tokens, and with nothing that only Weir may say. */
export function requestHeaders(raw: RawHeaders, connection: string | undefined, said: Said): string[] {
  const { host, clientAddress, scheme, version, prefix, isOurToken, principal } = said;
  const listed = listedIn(connection);
  const headers = ['host', host];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]];
    const key = name.toLowerCase();
    if (ofOneHop.has(key) || saidByWeir.has(key) || listed?.has(key)) continue;
    if (key.startsWith('x-forwarded-') || key.startsWith('x-weir-') || (isOurToken && key === 'authorization'))
      continue;
    if (key !== 'cookie') headers.push(name, value);
    else {
      const theirs = withoutOwnCookies(value);
      if (theirs !== '') headers.push(name, theirs);
    }
  }
  headers.push('x-forwarded-for', clientAddress, 'x-forwarded-proto', scheme, 'x-forwarded-host', host);
  if (prefix !== '') headers.push('x-forwarded-prefix', prefix);
  headers.push(...principal);
  // RFC 9110, 7.6.3; behind those of hops before.
  headers.push('via', `${version} weir`);
  return headers;
}

function isOwnCookie(text: string): boolean {
  return text
    .toLowerCase()
    .replace(/^__(host|secure)-/, '')
    .startsWith(ownCookies);
}

function withoutOwnCookies(value: string): string {
  if (!value.toLowerCase().includes(ownCookies)) return value;
  return value
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => !isOwnCookie(pair) && pair !== '')
    .join('; ');
}

/** Named by Connection, so for one hop as well. Length and host are nothing that a sender may take away. */
function listedIn(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined || /^(keep-alive|close)?$/i.test(connection)) return undefined;
  return new Set(
    connection
      .toLowerCase()
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== 'content-length' && name !== 'content-type'),
  );
}

/** Where an answer goes. */
export interface AnsweredTo {
  /** The path that its cookies are for, where it shares an origin with Weir and other instances; nothing where it has its own. */
  readonly sharedPath: string | undefined;
  /** The policy that its pages have besides their own. */
  readonly policy: string | undefined;
  /** The address outside of what the runtime calls by another one; absent where it knows its own. */
  readonly moved?: ((location: string) => string) | undefined;
}

/** Addresses of the runtime's own. */
const addresses: ReadonlySet<string> = new Set(['location', 'content-location']);

/** They would act on the whole origin, or on how browsers reach it. */
const ofTheOrigin: ReadonlySet<string> = new Set([
  'clear-site-data',
  'strict-transport-security',
  'public-key-pins',
  'alt-svc',
  'nel',
  'report-to',
  'reporting-endpoints',
  'accept-ch',
  'critical-ch',
  'origin-agent-cluster',
]);

/** Where the origin is shared: they would reach past the path of the instance, or into windows of Weir. */
const ofSharedOrigin: ReadonlySet<string> = new Set(['service-worker-allowed', 'cross-origin-opener-policy']);

/** The headers of an answer as they are sent on. */
export function answerHeaders(raw: RawHeaders, to: AnsweredTo): string[] {
  const { sharedPath, policy } = to;
  const headers: string[] = [];
  const listed = listedIn(headerIn(raw, 'connection'));
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]];
    const key = name.toLowerCase();
    if (ofOneHop.has(key) || ofTheOrigin.has(key) || key.startsWith('x-weir-') || listed?.has(key)) continue;
    if (sharedPath !== undefined && ofSharedOrigin.has(key)) continue;
    const said = valueTo(to, key, value);
    if (said !== undefined) headers.push(name, said);
  }
  if (policy !== undefined) headers.push('Content-Security-Policy', policy);
  return headers;
}

/** A value as it is sent on; nothing for a cookie that is not. */
function valueTo({ sharedPath, moved }: AnsweredTo, key: string, value: string): string | undefined {
  if (key === 'set-cookie') return theirCookie(value, sharedPath);
  return moved && addresses.has(key) ? moved(value) : value;
}

/** The value of a header that is there once. */
export function headerIn(raw: RawHeaders, name: string): string | undefined {
  for (let at = 0; at + 1 < raw.length; at += 2) if (raw[at]?.toLowerCase() === name) return raw[at + 1];
  return undefined;
}

/** All values of a header. */
export function valuesIn(raw: RawHeaders, name: string): string[] {
  return raw.filter((_part, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
}

/** The headers but for one. */
export function without(raw: RawHeaders, name: string): RawHeaders {
  return raw.filter((_part, at) => raw[at - (at % 2)]?.toLowerCase() !== name);
}

/** A cookie of a runtime: never one of Weir's, never for other hosts, and where the origin is shared for its own path. A nameless one could be read as any. */
function theirCookie(value: string, sharedPath: string | undefined): string | undefined {
  const [pair = '', ...attributes] = value.split(';');
  const name = pair.slice(0, Math.max(pair.indexOf('='), 0)).trim();
  if (name === '' || isOwnCookie(name)) return undefined;
  const kept = attributes.filter((attribute) => {
    const key = attribute.split('=', 1)[0]?.trim().toLowerCase();
    return key !== 'domain' && (key !== 'path' || sharedPath === undefined);
  });
  const path = sharedPath === undefined ? [] : [` Path=${sharedPath}`];
  return [pair, ...kept, ...path].join(';');
}
