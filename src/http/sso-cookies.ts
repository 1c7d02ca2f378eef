// The cookies that are the proof of logins under way: a few for each configuration, each for ten minutes.

import type { SsoConfiguration } from '../sso/provider.ts';
import { type PendingLogin, pendingLogin } from '../sso/saml/pending.ts';
import type { Call, ReplyCookie } from './route.ts';

/** A login of this browser, and the cookie that holds it. */
export interface HeldLogin {
  readonly name: string;
  readonly login: PendingLogin;
}

/**
 * How many logins of one browser may be under way at once, in as many tabs. A page elsewhere can make a browser begin one after another: the
 * oldest then gives way, and the cookies never grow past what a request may hold.
 */
const slots = ['weir_sso_0', 'weir_sso_1', 'weir_sso_2', 'weir_sso_3'] as const;

/** The logins by a configuration that this browser has under way. */
export function heldLogins({ cookies, services }: Call, { id }: SsoConfiguration): readonly HeldLogin[] {
  const sent = cookies();
  const now = services.clock();
  return slots.flatMap((name) => {
    const login = pendingLogin(id, sent[name] ?? '', now);
    return login ? [{ name, login }] : [];
  });
}

/** Sets the cookie of a login that begins. */
export function heldCookie(
  call: Call,
  config: SsoConfiguration,
  { cookie: value, endsAt: expiresAt }: { readonly cookie: string; readonly endsAt: string },
): ReplyCookie {
  const held = heldLogins(call, config);
  const free = slots.find((name) => !held.some((one) => one.name === name));
  const [oldest] = held.toSorted((a, b) => Date.parse(a.login.endsAt) - Date.parse(b.login.endsAt));
  return { name: free ?? oldest?.name ?? slots[0], value, expiresAt, ...placeOf(call) };
}

/** Takes away the cookie of a login that has ended. */
export function droppedCookie(call: Call, { name }: HeldLogin): ReplyCookie {
  return { name, ...placeOf(call) };
}

/**
 * The response is posted by a page of the provider, and browsers then send only cookies of `SameSite=None`, which have to be `Secure`. On plain
 * http there are none: such a platform can use SAML where the provider is on its own site, as on one machine.
 */
function placeOf({ params, services: { baseUrl } }: Call): Pick<ReplyCookie, 'path' | 'sameSite'> {
  const { pathname, protocol } = new URL(baseUrl);
  const { name } = Object(params);
  const path = `${pathname.replace(/\/$/, '')}/sso/saml/${name}`;
  return { path, sameSite: protocol === 'https:' ? 'none' : 'lax' };
}
