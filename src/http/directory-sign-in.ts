// Signing in by the password of a directory (LDAP): it is asked outside of any commit, and what it proved is judged inside of one.
import { submit } from '../control/submit.ts';
import { because } from '../core/model/change.ts';
import type { Identity } from '../core/model/identity.ts';
import type { AuditEvent, Context, ProposalWith } from '../core/model/proposal.ts';
import type { Resource } from '../core/model/resource.ts';
import { addressOf } from '../core/model/resource.ts';
import { userCalled } from '../core/model/user-called.ts';
import type { View } from '../core/model/view.ts';
import type { NewSession } from '../core/proposals/begin-session.ts';
import { failedSignIn, failuresAt, isLocked, mostFailures } from '../core/proposals/failed-sign-in.ts';
import { judgeSsoSignIn, type SsoVerdict, ssoActor } from '../core/proposals/sso-sign-in.ts';
import type { SsoConfiguration } from '../sso/provider.ts';
import { Problem } from './errors.ts';
import type { Call } from './route.ts';
import type { Try } from './tries.ts';
import { contextOf } from './write.ts';

/** What was typed, and whom it names; `session` is begun where the password is right. */
export interface DirectoryAttempt {
  readonly config: SsoConfiguration;
  readonly typed: string;
  readonly password: string;
  readonly known: Resource<'User'> | undefined;
  readonly session: NewSession;
}

/**
 * The verdict on an attempt, kept. Wrong passwords count as local ones do: for a user on the account, for a name that nobody has in this process;
 * so a directory is not asked more often than that, and its own lock is not what a stranger plays with. Throws `unavailable` where the directory
 * does not answer: nothing has changed then, and no other password is tried.
 */
export async function signInByDirectory(call: Call, attempt: DirectoryAttempt): Promise<SsoVerdict> {
  const { config, typed, password, known } = attempt;
  const one = begunTry(call, attempt);
  if (!one) return await refuse(call, attempt, 'too many wrong passwords were given');
  let outcome: 'wrong' | 'right' | 'neither' = 'neither';
  try {
    const answer = await call.services.directory.authenticate(config, { username: typed, password });
    if (answer.outcome === 'unavailable') throw unavailable(call, config, answer.reason);
    // What is counted on an account is not counted here, too.
    outcome = answer.outcome === 'proved' ? 'right' : known && !known.spec.suspended ? 'neither' : 'wrong';
    if (answer.outcome === 'refused') {
      const { reason, email } = answer;
      if (email !== undefined) tryAs(call, config, email)?.end('wrong');
      return await refuse(call, attempt, reason, { counts: true, ...(email === undefined ? {} : { email }) });
    }
    const own = tryAs(call, config, answer.identity.email);
    own?.end('right');
    if (!own) return await refuse(call, attempt, 'too many wrong passwords were given');
    return await admit(call, attempt, answer.identity);
  } finally {
    one.end(outcome);
  }
}

/**
 * A try for whom the directory knows by the name that was typed, and we do not yet: one person may have many names there. Whoever has an account
 * is counted on that. Nothing where there were too many wrong passwords.
 */
function tryAs({ services }: Call, { id }: SsoConfiguration, email: string): Pick<Try, 'end'> | undefined {
  const { clock, tries, door } = services;
  if (userCalled(door.store.read(), email)) return { end: () => {} };
  return tries.begin(`${id} ${email}`, Date.parse(clock()));
}

/** With and without the domain it is the same name, and as directories compare. Nothing where there were too many wrong passwords. */
function begunTry(call: Call, { config, typed, known }: DirectoryAttempt): Try | undefined {
  const { clock, tries, door } = call.services;
  const now = clock();
  if (!known) return tries.begin(`${config.id} ${plain(typed.split('@')[0] ?? '')}`, Date.parse(now));
  // Others may have been counted since the request came.
  const user = door.store.read().get('User', known.id) ?? known;
  if (isLocked(user, call.address, now)) return undefined;
  // Whoever is never locked for long has a try after each pause.
  return tries.begin(known.id, Date.parse(now), Math.min(failuresAt(user, call.address), mostFailures - 1));
}

/** As loosely as any directory compares: whatever it takes for one name is one name. */
function plain(name: string): string {
  const marks = /[\p{M}\p{White_Space}\p{Default_Ignorable_Code_Point}]+/gu;
  const letters = name.normalize('NFKD').replaceAll(marks, '').toLowerCase().replaceAll('ß', 'ss');
  // One sign can stand for eighteen, and many names are remembered.
  return letters.slice(0, 256);
}

function unavailable({ services, requestId }: Call, config: SsoConfiguration, reason: string): Problem {
  services.log(`${addressOf(config)} could not ask its directory (request ${requestId}): ${cut(reason)}`, {
    requestId,
  });
  return new Problem('unavailable', {
    detail: 'The directory that knows these passwords cannot be asked now: nothing was changed, try again later.',
    headers: { 'retry-after': '5' },
  });
}

/** What was typed is not told: it may be a password. The number is that of the answer (`X-Request-Id`). */
function tell({ services, requestId }: Call, config: SsoConfiguration, reason: string): void {
  const warn = services.warn ?? services.log;
  warn(`${addressOf(config)} refused a sign-in (request ${requestId}): ${cut(reason)}`, { requestId });
}

/** Keeps that a password was refused, and for a user counts it. */
async function refuse(
  call: Call,
  { config, known }: DirectoryAttempt,
  why: string,
  { counts = false, email }: { readonly counts?: boolean; readonly email?: string } = {},
): Promise<SsoVerdict> {
  tell(call, config, why);
  const reason = `through ${addressOf(config)}: ${cut(why)}`;
  const who = known && { id: known.id, name: known.name };
  // What was typed is not kept where it is nobody: it may be a password.
  const event: AuditEvent = { event: 'sign-in.failed', target: { kind: 'User', ...who }, reason };
  const proposal: ProposalWith<boolean> = (view, { now }) => {
    const counted = counts ? meant(view, known, email) : [];
    const open = counted.filter((user) => !user.spec.suspended && !isLocked(user, call.address, now));
    const changes = open.map((user) =>
      because(failedSignIn(view, user, { address: call.address, now, isDirectorys: true }), reason),
    );
    return { changes, result: changes.length > 0 };
  };
  const { address, requestId, services } = call;
  const actor = { kind: 'user' } as const;
  const { result: isCounted } = await submit(services.door, proposal, { ...contextOf(call), actor });
  // The name of an account says nothing of who typed it: what it does not count anybody can do without end.
  const like = [`${config.id} ${known?.id ?? ''}`, kindOfReason(why)] as const;
  if (!isCounted) await services.refusals.note({ like, event, actor, requestId, address });
  return { outcome: 'refused', reason, changes: [] };
}

/** Without what a directory or a person puts into it. */
function kindOfReason(why: string): string {
  return (why.split(':')[0] ?? '').replace(/"[^"]*"/g, '""');
}

/** Whom a name means: whom we know by it, and whom the directory knows by it. It is one account, but where people chose the names of others. */
function meant(view: View, known: Resource<'User'> | undefined, email: string | undefined): Resource<'User'>[] {
  const users = [known && view.get('User', known.id), email === undefined ? undefined : userCalled(view, email)];
  return [...new Set(users)].filter((user) => user !== undefined);
}

async function admit(call: Call, attempt: DirectoryAttempt, identity: Identity): Promise<SsoVerdict> {
  const { config } = attempt;
  const proposal = (view: View, context: Context) => {
    const verdict: SsoVerdict = judge(attempt, identity, view, context);
    return { changes: verdict.changes, result: verdict, events: failureIn(verdict, config, identity) };
  };
  const context = { ...contextOf(call), actor: ssoActor(config) };
  const { result: verdict } = await submit(call.services.door, proposal, context);
  if (verdict.outcome === 'refused' && verdict.reason === changed) throw unavailable(call, config, changed);
  if (verdict.outcome === 'refused') tell(call, config, verdict.reason);
  return verdict;
}

const changed = 'the configuration was changed while its directory was asked';

/**
 * Guesses at the same time are counted one by one: a right one after too many wrong ones comes too late. And a directory is believed, and was asked
 * for groups, as the configuration said then: where that was changed since nothing that it told counts.
 */
function judge({ config, known, session }: DirectoryAttempt, identity: Identity, view: View, context: Context) {
  if (meant(view, known, identity.email).some((user) => isLocked(user, session.address, context.now)))
    return { outcome: 'refused', reason: 'too many wrong passwords were given', changes: [] } as const;
  const { generation, spec } = view.get('SsoConfig', config.id) ?? config;
  if (spec.active && generation !== config.generation)
    return { outcome: 'refused', reason: changed, changes: [] } as const;
  return judgeSsoSignIn({ config: config.id, identity, session }, view, context);
}

function failureIn(verdict: SsoVerdict, config: SsoConfiguration, { email }: Identity): AuditEvent[] {
  if (verdict.changes.length > 0 || verdict.outcome !== 'refused') return [];
  const reason = `through ${addressOf(config)}: ${cut(verdict.reason)}`;
  return [{ event: 'sign-in.failed', target: { kind: 'User', name: email }, reason }];
}

/** A directory may have much to say. */
function cut(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
