// One question to a running server: the request, its answer, and in words why there is none.
import { setGlobalProxyFromEnv } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '../core/model/finding.ts';
import { withoutTrailing } from '../core/model/without-trailing.ts';
import { parsedJson } from '../lib/parsed-json.ts';
import { type Options, UsageError } from '../options.ts';
import { Unavailable } from './failure.ts';
import type { Io } from './io.ts';
import { withOthers } from './report.ts';
import { tokenOf } from './token.ts';

/** An answer of the server. `type`, `detail` and `violations` come from its problem document; `body` is nothing where it is not JSON. */
export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly body: unknown;
  readonly type: string;
  readonly detail: string;
  readonly violations: readonly Finding[];
}

/** Asks for a path below `/api/v1/admin/`, with the token of `--token-file` or WEIR_TOKEN. Throws `Unavailable`, and `UsageError` for what is no token. */
export async function ask(
  options: Options,
  io: Io,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<Answer> {
  const server = options.server ?? '';
  const authorization = `Bearer ${tokenOf(options, io)}`;
  const headers = { authorization, accept: 'application/json', 'user-agent': `weir/${io.version}` };
  const sent =
    body === undefined
      ? { headers }
      : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const restore = useProxy(io.env);
  const deadline = io.elapsed() + options.timeout * 1000;
  try {
    for (let attempt = 1; ; attempt++) {
      const left = Math.max(1, Math.ceil(deadline - io.elapsed()));
      const { answer, retryAfterMs } = await askOnce(server, path, { method, ...sent }, left);
      // It is busy, or starts: what is asked here may be asked twice.
      if (retryAfterMs === undefined || attempt === mostAttempts || retryAfterMs > left) return answer;
      await sleep(retryAfterMs);
    }
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    throw new Unavailable('server_unreachable', unreachable(options, io, error));
  } finally {
    restore();
  }
}

const mostAttempts = 4;

async function askOnce(
  server: string,
  path: string,
  request: RequestInit,
  patienceMs: number,
): Promise<{ readonly answer: Answer; readonly retryAfterMs?: number }> {
  // A redirect would hand the token to wherever it leads.
  const response = await fetch(`${withoutTrailing(server, '/')}/api/v1/admin/${path}`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(patienceMs),
    ...request,
  });
  const { status, headers } = response;
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null) throw sentOn(server, location);
  const answer = answerOf(response.ok, status, parsedJson(await response.text()));
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const again = (status === 503 || status === 429) && seconds > 0 && seconds <= 60;
  return again ? { answer, retryAfterMs: seconds * 1000 } : { answer };
}

/** The failure that an answer means which nobody expects here. */
export function refusedBy({ server }: Options, { status, detail, body }: Answer): Unavailable {
  if (status === 401)
    return new Unavailable(
      'token_refused',
      `the server ${server} refuses the token: it is wrong, has expired, or its owner is suspended`,
    );
  if (status === 403)
    return new Unavailable(
      'token_refused',
      `the server ${server} refuses the token, because it may not do this: ${detail || 'use one of an admin'}`,
    );
  if (status === 413)
    return new Unavailable('server_unavailable', `the tree is larger than the server ${server} takes: ${detail}`);
  if (body === undefined || detail === '') return strange(server ?? '', `status ${status}`);
  return new Unavailable('server_unavailable', `the server ${server} cannot do this now (status ${status}): ${detail}`);
}

/** The body of an answer that has the fields it must have; another one comes from something else than Weir. Throws `Unavailable`. */
export function bodyOf<T>({ server }: Options, { body, status }: Answer, fields: readonly (string & keyof T)[]): T {
  const has = (field: string) => typeof body === 'object' && body !== null && Object.hasOwn(body, field);
  if (fields.every(has)) return body as T;
  throw strange(server ?? '', `status ${status}, but not with what was asked for`);
}

function strange(server: string, how: string): Unavailable {
  return new Unavailable(
    'server_unreachable',
    `${server} does not answer as a Weir server does (${how}): check the address`,
  );
}

function sentOn(server: string, location: string): Unavailable {
  const words = `${server} sends on to ${location}, where the token is not taken along: name the address of the server itself`;
  return new Unavailable('server_unreachable', words);
}

/** Lets requests go through the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name; answers what takes that back. */
function useProxy(env: NodeJS.ProcessEnv): () => void {
  try {
    return setGlobalProxyFromEnv(env);
  } catch {
    throw new UsageError('HTTPS_PROXY or HTTP_PROXY cannot be used, because it is not an http:// or https:// address');
  }
}

function answerOf(ok: boolean, status: number, body: unknown): Answer {
  const problem = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const told = Array.isArray(problem['violations']) ? (problem['violations'] as Finding[]) : [];
  const violations = withOthers(told, Number(problem['violationsTotal'] ?? told.length));
  return {
    ok: ok && body !== undefined,
    status,
    body,
    type: String(problem['type'] ?? ''),
    detail: String(problem['detail'] ?? problem['title'] ?? ''),
    violations,
  };
}

function unreachable({ server = '', timeout }: Options, { env }: Io, error: unknown): string {
  const proxy = proxyFor(server, env);
  const through = proxy === undefined ? '' : ` (through the proxy ${proxy})`;
  return `the server ${server} cannot be reached${through}, because ${networkReason(error, timeout)}`;
}

/** The proxy that may have been in the way, without the password that its address may hold. */
function proxyFor(server: string, env: NodeJS.ProcessEnv): string | undefined {
  const name = server.startsWith('https:') ? 'https_proxy' : 'http_proxy';
  const address = env[name] || env[name.toUpperCase()];
  const excluded = (env['no_proxy'] || env['NO_PROXY'] || '').split(/[\s,]+/);
  const { hostname } = new URL(server);
  const isDirect = excluded.some((entry) => entry === '*' || entry.replace(/:\d+$/, '') === hostname);
  return address && URL.canParse(address) && !isDirect ? new URL(address).host : undefined;
}

/** Why nothing came back. */
function networkReason(error: unknown, timeout: number): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `it did not answer within ${timeout} second${timeout === 1 ? '' : 's'} (--timeout allows more)`;
  const { name, code, message } = rootCause(error);
  if (name === 'HTTPParserError') return 'it does not speak HTTP there';
  return reasons[code ?? ''] ?? code ?? message ?? 'the connection failed';
}

interface Cause {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly errors?: readonly Cause[];
}

/** A host with several addresses fails with one error for each. */
function rootCause(error: unknown): Cause {
  const cause = error instanceof Error ? (error.cause as Cause | undefined) : undefined;
  return cause?.errors?.[0] ?? cause ?? {};
}

const ownAuthority = 'NODE_EXTRA_CA_CERTS can name the file of your own authority';

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'its name cannot be looked up at the moment',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no network that leads there',
  ETIMEDOUT: 'nothing answers there',
  UND_ERR_CONNECT_TIMEOUT: 'nothing answers there',
  EPROTO: 'it does not speak TLS there: is it http:// and not https://?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there: is it http:// and not https://?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS there: is it http:// and not https://?',
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is signed by itself (${ownAuthority})`,
  SELF_SIGNED_CERT_IN_CHAIN: `its certificate comes from an authority that is not known here (${ownAuthority})`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `its certificate comes from an authority that is not known here (${ownAuthority})`,
  UNABLE_TO_GET_ISSUER_CERT: `its certificate comes from an authority that is not known here (${ownAuthority})`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `its certificate comes from an authority that is not known here (${ownAuthority})`,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};
