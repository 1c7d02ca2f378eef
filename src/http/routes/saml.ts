// Single sign-on by SAML: out to the identity provider, back from it, and what the provider is told of us.
import { z } from 'zod';
import { mintSecret } from '../../auth/secret.ts';
import { submit } from '../../control/submit.ts';
import type { AuditEvent } from '../../core/audit/entry.ts';
import { changesOf } from '../../core/consequences/consequence.ts';
import { addressOf } from '../../core/model/resource.ts';
import { samlAddresses, samlConfigAt } from '../../core/model/saml-addresses.ts';
import { Declined } from '../../core/proposals/declined.ts';
import { judgeSamlSignIn, type SamlAttempt } from '../../core/proposals/sign-in-by-saml.ts';
import { type SsoVerdict, ssoActor } from '../../core/proposals/sso-sign-in.ts';
import type { SsoConfiguration } from '../../sso/provider.ts';
import { serviceProviderMetadata } from '../../sso/saml/metadata.ts';
import { answerSamlLogin, beginSamlLogin, type SamlAnswer, takesLogins } from '../../sso/saml/saml.ts';
import { Refused } from '../../store/store.ts';
import { Problem } from '../errors.ts';
import type { Page } from '../pages/page.ts';
import { noSsoPage, ssoRefusedPage } from '../pages/sso.ts';
import { type Call, defineRoute, type Reply, type Route } from '../route.ts';
import { droppedCookie, heldCookie, heldLogins } from '../sso-cookies.ts';
import { contextOf } from '../write.ts';

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
    if (!config) return pageReply(404, noSsoPage);
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
  // What shows that it is no trick of a page elsewhere is the login that this browser has begun.
  anyOrigin: true,
  // Of base64, which a form may write with three characters for one.
  bodyLimit: 512 * 1024,
  body: z.instanceof(URLSearchParams),
  bodyOptional: true,
  handle: (call) => {
    const config = openConfig(call);
    return config ? answered(call, config, call.body) : pageReply(404, noSsoPage);
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

/** The configuration at an address, where people can sign in by it: whoever asks is not told whether there is a draft. */
function openConfig({ params: { name }, services }: NamedCall): SsoConfiguration | undefined {
  const config = samlConfigAt(services.door.store.read(), name);
  return config && takesLogins(config) ? config : undefined;
}

function pageReply(status: number, { html, policy }: Page): Reply {
  return { status, body: html, type: 'text/html; charset=utf-8', headers: { 'content-security-policy': policy } };
}

async function answered(call: NamedCall, config: SsoConfiguration, form: URLSearchParams | undefined): Promise<Reply> {
  const { baseUrl, clock } = call.services;
  const held = heldLogins(call, config);
  // Sent twice it could be read in two ways.
  const responses = form?.getAll('SAMLResponse') ?? [];
  const logins = held.map((one) => one.login);
  const answer = answerSamlLogin(responses.length === 1 ? responses[0] : undefined, config, logins, {
    baseUrl,
    now: clock(),
  });
  const { id, name } = config;
  if (answer.outcome === 'refused') return refused(call, config, answer.reason, { kind: 'SsoConfig', id, name });
  const used = held.filter(({ login: one }) => one.requestId === answer.login.requestId);
  const reply = await signedIn(call, config, answer);
  return { ...reply, cookies: used.map((one) => droppedCookie(call, one)) };
}

async function signedIn(
  call: NamedCall,
  config: SsoConfiguration,
  answer: Extract<SamlAnswer, { readonly outcome: 'genuine' }>,
): Promise<Reply> {
  const { identity, login: begun, assertion, rememberUntil } = answer;
  const { secret, hash } = mintSecret();
  const session = sessionOf(call, hash);
  const attempt = { config: config.id, identity, session, request: begun.requestId, assertion, rememberUntil };
  const who = { kind: 'User', name: identity.email };
  const verdict = await judged(call, config, attempt);
  if (verdict.outcome === 'refused') {
    tell(call, config, verdict.reason);
    return pageReply(403, ssoRefusedPage(call.requestId));
  }
  if (verdict.outcome === 'forbidden') return refused(call, config, verdict.reason, who);
  const made = [...changesOf(verdict.changes, 'Session')].find(({ before }) => !before)?.after;
  if (!made) throw new Error('a sign-in makes a session');
  const location = landing(verdict.isNew ? '' : begun.next, call.services.baseUrl);
  return { status: 303, headers: { location }, session: { value: secret, expiresAt: made.spec.expiresAt } };
}

function sessionOf({ address, agent, caller }: Call, hash: string): SamlAttempt['session'] {
  const replaced = caller.kind === 'user' && caller.by === 'session' ? { replaced: caller.session.id } : {};
  return { hash, address, agent, ...replaced };
}

/** Keeps what the verdict says. `forbidden`: a rule stands against it, so nothing was kept. */
async function judged(
  call: Call,
  config: SsoConfiguration,
  attempt: SamlAttempt,
): Promise<SsoVerdict | { readonly outcome: 'forbidden'; readonly reason: string }> {
  // Of all the times that the store asks, the last is the one that is kept.
  let verdict: SsoVerdict = { outcome: 'refused', reason: '', changes: [] };
  const failed: AuditEvent = { event: 'sign-in.failed', target: { kind: 'User', name: attempt.identity.email } };
  try {
    await submit(
      call.services.door,
      (view, context) => {
        verdict = judgeSamlSignIn(attempt, view, context);
        return verdict.changes;
      },
      { ...contextOf(call), actor: ssoActor(config) },
      { events: (changes) => (changes.some(({ kind }) => kind === 'Session') ? [] : [failed]) },
    );
    return verdict;
  } catch (error) {
    if (error instanceof Refused || error instanceof Declined) return { outcome: 'forbidden', reason: error.message };
    throw error;
  }
}

/** Told to the person in general, to the audit log that it was, and to the log why. */
async function refused(
  call: Call,
  config: SsoConfiguration,
  reason: string,
  target: AuditEvent['target'],
): Promise<Reply> {
  tell(call, config, reason);
  const context = { ...contextOf(call), actor: ssoActor(config) };
  await submit(call.services.door, () => [], context, { events: [{ event: 'sign-in.failed', target }] });
  return pageReply(403, ssoRefusedPage(call.requestId));
}

function tell({ requestId, services }: Call, config: SsoConfiguration, reason: string): void {
  services.log(`${addressOf(config)} refused a sign-in (request ${requestId}): ${reason.slice(0, mostReason)}`);
}

const mostReason = 1000;

/** Where to go now: an address of this server, whatever was asked for. */
function landing(next: string, baseUrl: string): string {
  const { origin } = new URL(baseUrl);
  // As a whole address: the path of /..//elsewhere.example is //elsewhere.example, which would be an address elsewhere.
  const url = next.startsWith('/') && URL.canParse(next, origin) ? new URL(next, origin) : undefined;
  return url?.origin === origin ? url.href : `${baseUrl}/account/settings`;
}

export const samlRoutes: readonly Route[] = [login, acs, metadata];
