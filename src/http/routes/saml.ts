// Single sign-on by SAML: out to the identity provider, back from it, and what the provider is told of us.
import { z } from 'zod';
import { samlAddresses, samlConfigAt } from '../../core/model/saml-addresses.ts';
import type { SsoConfiguration } from '../../sso/provider.ts';
import { largestEnvelope } from '../../sso/saml/envelope.ts';
import { serviceProviderMetadata } from '../../sso/saml/metadata.ts';
import { beginSamlLogin, takesLogins } from '../../sso/saml/saml.ts';
import { Problem } from '../errors.ts';
import { tellMisplacedSaml } from '../misplaced-saml.ts';
import { type Page, pageReply } from '../pages/page.ts';
import { noSsoPage, ssoMisplacedPage, ssoRefusedPage } from '../pages/sso.ts';
import { type Call, defineRoute, type Reply, type Route } from '../route.ts';
import { signInBySaml } from '../saml-sign-in.ts';
import { heldCookie } from '../sso-cookies.ts';

const params = z.strictObject({ name: z.string().min(1).max(63) });
const common = { tag: 'account', undocumented: true, params, answers: {} } as const;

type NamedCall = Call<z.output<typeof params>>;

const login = defineRoute({
  ...common,
  method: 'GET',
  url: '/sso/saml/:name/login',
  action: 'open-page',
  operationId: 'beginSamlLogin',
  summary: 'Sign in at the identity provider of a configuration',
  description: 'Sends the browser there; `next` is the path to go to afterwards.',
  query: z.strictObject({ next: z.string().optional() }),
  handle: (call) => {
    const config = openConfig(call);
    if (!config) return nowhere(call, noSsoPage);
    const { baseUrl, clock } = call.services;
    const begun = beginSamlLogin(config, call.query.next, { baseUrl, now: clock() });
    return { status: 302, headers: { location: begun.url }, cookies: [heldCookie(call, config, begun)] };
  },
});

const acs = defineRoute({
  ...common,
  method: 'POST',
  url: '/sso/saml/:name/acs',
  action: 'sign-in',
  operationId: 'answerSamlLogin',
  summary: 'Take the response of an identity provider',
  description: 'A form that a page of the provider posts. RelayState is not looked at: nothing of ours is in it.',
  takesForm: true,
  problemPage: ssoRefusedPage,
  // What shows that it is no trick of a page elsewhere is the login that this browser has begun.
  anyOrigin: true,
  // Of base64 with its line breaks, of which a form writes some characters with three; and a RelayState.
  bodyLimit: 1.5 * largestEnvelope,
  body: z.instanceof(URLSearchParams),
  bodyOptional: true,
  handle: (call) => {
    const config = openConfig(call);
    return config ? signInBySaml(call, config, call.body) : nowhere(call, ssoMisplacedPage(call.requestId));
  },
});

const metadata = defineRoute({
  ...common,
  method: 'GET',
  url: '/sso/saml/:name/metadata',
  action: 'open-page',
  operationId: 'getSamlMetadata',
  summary: 'What an identity provider is told of a configuration',
  description: 'Also while it is a draft, because the provider is set up first (specification 3).',
  handle: ({ params: { name }, services }) => {
    const config = samlConfigAt(services.door.store.read(), name);
    if (!config) throw new Problem('not_found', { detail: 'There is no SAML configuration of this name.' });
    const body = serviceProviderMetadata(samlAddresses(config, services.baseUrl));
    return { body, type: 'application/samlmetadata+xml' };
  },
});

/** The answer at an address of no configuration, or of one that is not active: the log has the right one. */
function nowhere({ params: { name }, requestId, route, services }: NamedCall, page: Page): Reply {
  const path = route.url.replace(':name', encodeURIComponent(name));
  tellMisplacedSaml(services, { method: route.method, path, requestId });
  return pageReply(404, page);
}

/** The configuration at an address, where people can sign in by it: whoever asks is not told whether there is a draft. */
function openConfig({ params: { name }, services }: NamedCall): SsoConfiguration | undefined {
  const config = samlConfigAt(services.door.store.read(), name);
  return config && takesLogins(config) ? config : undefined;
}

export const samlRoutes: readonly Route[] = [login, acs, metadata];
