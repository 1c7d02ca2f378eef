// Signing in by SAML: out to the identity provider with a request, and back with a response that passes the guard.
import { hash } from 'node:crypto';
import { webAddress } from '../../core/kinds/web-address.ts';
import type { Identity } from '../../core/model/identity.ts';
import { samlAddresses } from '../../core/model/saml-addresses.ts';
import { certificatesIn } from '../../lib/certificate.ts';
import type { SsoConfiguration } from '../provider.ts';
import { type GuardStep, guardResponse } from './guard.ts';
import { beginLogin, type PendingLogin } from './pending.ts';
import { loginRequestUrl } from './request.ts';

/** A login that begins: where the browser goes, and the proof of it that the browser keeps until `endsAt` (RFC 3339). */
export interface BegunLogin {
  readonly url: string;
  readonly cookie: string;
  readonly endsAt: string;
}

/** Where and when: the address of the server, without a slash at its end, and the time (RFC 3339). */
interface Here {
  readonly baseUrl: string;
  readonly now: string;
}

/** Whether people can sign in by a configuration. One that is active has all that it needs: rules see to it. */
export function takesLogins({ spec }: SsoConfiguration): boolean {
  return spec.active && spec.provider === 'saml' && spec.saml?.signOnUrl !== undefined;
}

/** Begins a login by a configuration that takes them; `next` is where to go afterwards. */
export function beginSamlLogin(config: SsoConfiguration, next: string | undefined, { baseUrl, now }: Here): BegunLogin {
  const { cookie, requestId, endsAt } = beginLogin(config.id, { now, ...(next === undefined ? {} : { next }) });
  const written = config.spec.saml?.signOnUrl ?? '';
  // What an earlier version kept may hold signs that no header can.
  const signOnUrl = webAddress(written) ?? written;
  const url = loginRequestUrl({ signOnUrl, requestId, now, ...samlAddresses(config, baseUrl) });
  return { url, cookie, endsAt };
}

/**
 * What a response comes to. `assertion` is a digest of the assertion's id and its configuration; it and the request are to be remembered until
 * `rememberUntil`, so that they are taken once. `reason` is for the log alone.
 */
export type SamlAnswer =
  | {
      readonly outcome: 'genuine';
      readonly identity: Identity;
      readonly login: PendingLogin;
      readonly assertion: string;
      readonly rememberUntil: string;
    }
  | { readonly outcome: 'refused'; readonly step: GuardStep; readonly reason: string };

/** Judges a response, as it was posted, by a configuration that takes logins; `logins` are those that this browser has begun. */
export function answerSamlLogin(
  encoded: unknown,
  config: SsoConfiguration,
  logins: readonly PendingLogin[],
  { baseUrl, now }: Here,
): SamlAnswer {
  const begun = new Map(logins.map((login) => [login.requestId, login]));
  const { issuer = '', certificate = '', groupAssertionName = '' } = config.spec.saml ?? {};
  const guarded = guardResponse(encoded, {
    ...samlAddresses(config, baseUrl),
    issuer,
    certificates: certificatesIn(certificate),
    emailDomain: config.spec.emailDomain,
    groupAttribute: groupAssertionName,
    isPending: (requestId) => begun.has(requestId),
    now,
  });
  if (guarded.outcome === 'refused') {
    const hint = guarded.step === 'in-response-to' && logins.length === 0 ? hintOf(baseUrl) : '';
    return { ...guarded, reason: `${guarded.reason}${hint}` };
  }
  const { identity, requestId, assertionId, rememberUntil } = guarded;
  const login = begun.get(requestId);
  // The guard has asked; a session is worth asking twice.
  if (!login) return { outcome: 'refused', step: 'in-response-to', reason: 'this browser has not begun this login' };
  const assertion = hash('sha256', JSON.stringify([config.id, assertionId]));
  return { outcome: 'genuine', identity, login, assertion, rememberUntil: later(rememberUntil, login.endsAt) };
}

/** The later of two times. */
function later(one: string, other: string): string {
  return Date.parse(one) > Date.parse(other) ? one : other;
}

/** What an administrator should know besides, where this browser has no login under way. */
function hintOf(baseUrl: string): string {
  const plain = baseUrl.startsWith('https:')
    ? ''
    : '; over plain http browsers send it only where the provider is on the same site: give Weir an https address';
  return ` (this browser sent no cookie of a login that is under way${plain})`;
}
