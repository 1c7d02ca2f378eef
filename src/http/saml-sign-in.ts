// Signing in by the response of a SAML identity provider: judged by the guard, taken once, and told to the person in general only.
import { mintSecret } from '../auth/secret.ts';
import { submit } from '../control/submit.ts';
import { changesOf } from '../core/model/change.ts';
import { type AuditEvent, type Context, happened } from '../core/model/proposal.ts';
import { addressOf } from '../core/model/resource.ts';
import type { View } from '../core/model/view.ts';
import type { NewSession } from '../core/proposals/begin-session.ts';
import { Declined } from '../core/proposals/declined.ts';
import { judgeSamlSignIn, type SamlAttempt } from '../core/proposals/sign-in-by-saml.ts';
import { type SsoVerdict, ssoActor } from '../core/proposals/sso-sign-in.ts';
import type { SsoConfiguration } from '../sso/provider.ts';
import { answerSamlLogin, type SamlAnswer } from '../sso/saml/saml.ts';
import { Refused } from '../store/store.ts';
import { pageReply } from './pages/page.ts';
import { ssoRefusedPage } from './pages/sso.ts';
import type { Call, Reply } from './route.ts';
import { droppedCookie, heldLogins } from './sso-cookies.ts';
import { contextOf } from './write.ts';

/**
 * What the browser is answered to the form that it posts: a session, and the way to where it wanted to go; or one page that says that it did not
 * work. Why is told to the log and to the audit log, under the id of the request.
 */
export async function signInBySaml(
  call: Call,
  config: SsoConfiguration,
  form: URLSearchParams | undefined,
): Promise<Reply> {
  const { baseUrl, clock } = call.services;
  const held = heldLogins(call, config);
  const logins = held.map(({ login }) => login);
  const answer = answerSamlLogin(responseIn(form), config, logins, { baseUrl, now: clock() });
  const { id, name } = config;
  if (answer.outcome === 'refused') {
    tell(call, config, answer.reason);
    await noteAnonymous(call, config, { kind: 'SsoConfig', id, name }, answer);
    return pageReply(403, ssoRefusedPage(call.requestId));
  }
  const used = held.filter(({ login }) => login.requestId === answer.login.requestId);
  const reply = await admit(call, config, answer);
  return { ...reply, cookies: used.map((one) => droppedCookie(call, one)) };
}

/** Sent twice it could be read in two ways. */
function responseIn(form: URLSearchParams | undefined): string | undefined {
  const responses = form?.getAll('SAMLResponse') ?? [];
  return responses.length === 1 ? responses[0] : undefined;
}

/** What is under way for somebody whom the provider has proved. */
interface Admission {
  readonly call: Call;
  readonly config: SsoConfiguration;
  readonly attempt: SamlAttempt;
}

async function admit(
  call: Call,
  config: SsoConfiguration,
  answer: Extract<SamlAnswer, { readonly outcome: 'genuine' }>,
): Promise<Reply> {
  const { identity, login, assertion, rememberUntil } = answer;
  const { secret: value, hash } = mintSecret();
  const session = sessionOf(call, hash);
  const attempt = { config: config.id, identity, session, request: login.requestId, assertion, rememberUntil };
  const verdict = await kept({ call, config, attempt });
  if (verdict === 'told') return pageReply(403, ssoRefusedPage(call.requestId));
  const made = [...changesOf(verdict.changes, 'Session')].find(({ before }) => !before)?.after;
  if (!made) throw new Error('a sign-in makes a session');
  const location = landing(verdict.isNew ? '' : login.next, call.services.baseUrl);
  return { status: 303, headers: { location }, session: { value, expiresAt: made.spec.expiresAt } };
}

function sessionOf({ address, agent, caller }: Call, hash: string): NewSession {
  const replaced = caller.kind === 'user' && caller.by === 'session' ? { replaced: caller.session.id } : {};
  return { hash, address, agent, ...replaced };
}

/** Keeps what the verdict says; `told` where it lets nobody in. */
async function kept(admission: Admission): Promise<Extract<SsoVerdict, { readonly outcome: 'signed-in' }> | 'told'> {
  const { call, config, attempt } = admission;
  const target = { kind: 'User', name: attempt.identity.email };
  try {
    const verdict = await judged(admission, target);
    if (verdict.outcome === 'signed-in') return verdict;
    tell(call, config, verdict.reason);
    // Whoever holds an answer that was taken once may post it again and again.
    if (verdict.changes.length === 0)
      await noteAnonymous(call, config, target, { step: 'replay', reason: verdict.reason });
  } catch (error) {
    // No rule should stand against it. Where one does nothing was kept, and the person learns no more than otherwise.
    if (!(error instanceof Refused || error instanceof Declined)) throw error;
    await refuse(call, config, target, error.message);
  }
  return 'told';
}

async function judged({ call, config, attempt }: Admission, target: AuditEvent['target']): Promise<SsoVerdict> {
  const proposal = (view: View, context: Context) => {
    const verdict = judgeSamlSignIn(attempt, view, context);
    const isNoted = verdict.outcome === 'refused' && verdict.changes.length > 0;
    const events = isNoted ? [failure(config, target, verdict.reason)] : [];
    return { changes: verdict.changes, result: verdict, events };
  };
  const { result } = await submit(call.services.door, proposal, { ...contextOf(call), actor: ssoActor(config) });
  return result;
}

/** That somebody whom the provider has proved was refused, and nothing was changed. */
async function refuse(call: Call, config: SsoConfiguration, target: AuditEvent['target'], reason: string) {
  tell(call, config, reason);
  const context = { ...contextOf(call), actor: ssoActor(config) };
  await submit(call.services.door, happened(failure(config, target, reason)), context);
}

/** Audits what anybody can post, as often as they like. */
async function noteAnonymous(
  { requestId, address, services }: Call,
  config: SsoConfiguration,
  target: AuditEvent['target'],
  { step, reason }: { readonly step: string; readonly reason: string },
): Promise<void> {
  const event = failure(config, target, reason);
  await services.refusals.note({ like: [config.id, step], event, actor: ssoActor(config), requestId, address });
}

function failure(config: SsoConfiguration, target: AuditEvent['target'], reason: string): AuditEvent {
  return { event: 'sign-in.failed', target, reason: `through ${addressOf(config)}: ${cut(reason)}` };
}

function tell({ requestId, services }: Call, config: SsoConfiguration, reason: string): void {
  const warn = services.warn ?? services.log;
  warn(`${addressOf(config)} refused a sign-in (request ${requestId}): ${cut(reason)}`, { requestId });
}

/** A response may hold much that a reason repeats. */
function cut(text: string): string {
  return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
}

/** Where to go now: an address of this server, whatever was asked for. */
function landing(next: string, baseUrl: string): string {
  const { origin } = new URL(baseUrl);
  // As a whole address: the path of /..//elsewhere.example is //elsewhere.example, which would be an address elsewhere.
  const url = next.startsWith('/') && URL.canParse(next, origin) ? new URL(next, origin) : undefined;
  return url?.origin === origin ? url.href : `${baseUrl}/account/settings`;
}
