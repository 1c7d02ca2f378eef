// Judges a sign-in by single sign-on: who it is, whether they may in, and what their groups make of them, as one change (specification 2.8, 2.9).
import { type Decided, decideByGroups } from '../groups/decide.ts';
import type { Explained } from '../groups/explained.ts';
import type { Placement } from '../groups/memberships.ts';
import { emailAddress } from '../kinds/scalars.ts';
import { because, type Change, created, deleted, updated } from '../model/change.ts';
import type { Identity } from '../model/identity.ts';
import { expiredIn } from '../model/invited.ts';
import { sameValue } from '../model/leaves.ts';
import { printable } from '../model/printable.ts';
import type { Actor, Context } from '../model/proposal.ts';
import { addressOf, type DeclaredResource, type Resource } from '../model/resource.ts';
import { referrers, singleton, type View } from '../model/view.ts';
import { type NewSession, newSession, replacedBy, signedIn } from './begin-session.ts';
import { newMembership } from './new-team.ts';
import { type SsoAccount, ssoAccount } from './sso-account.ts';
import { endedSessions } from './update-user.ts';

type Config = DeclaredResource<'SsoConfig'>;

/** What a provider has proved, for the configuration with the id `config`. */
export interface SsoAttempt {
  readonly config: string;
  readonly identity: Identity;
  readonly session: NewSession;
}

/**
 * What comes of it. `isNew`: the account was made (or taken over) now, so its owner is sent to their settings. `reason` is for the log and for
 * administrators: it is not told to who signs in.
 */
export type SsoVerdict = { readonly changes: readonly Change[] } & (
  | {
      readonly outcome: 'signed-in';
      readonly user: Resource<'User'>;
      readonly isNew: boolean;
      readonly explanation: readonly Explained[];
    }
  | { readonly outcome: 'refused'; readonly reason: string }
);

/** Who acts at a sign-in through a configuration. */
export function ssoActor({ id, name }: Pick<Config, 'id' | 'name'>): Actor {
  return { kind: 'sso', id, name };
}

/** The verdict on an attempt. Pure: it may be asked again when somebody else was first. No rule refuses its changes. */
export function judgeSsoSignIn(
  { config: id, identity, session }: SsoAttempt,
  view: View,
  context: Context,
): SsoVerdict {
  const config = view.get('SsoConfig', id);
  const problem = whyNot(view, config, identity, context.now);
  if (problem !== undefined || !config) return refused(problem ?? gone);
  const account = ssoAccount(view, config, identity, context);
  if (typeof account === 'string') return refused(account);
  const { groups, otherAttributes } = identity;
  const decided = decideByGroups({ config, user: account.user, groups, otherAttributes }, view, context.now);
  const user = signedInUser(account, decided, session, context);
  const own = newSession(view, user, wishes(config, identity, session), context);
  const others = [...decided.others, ...decided.admin];
  const changes = [
    userChange(account, user, decided),
    ...decided.placements.flatMap((placement) => placementChanges(view, placement, user, context)),
    ...endedBy(account, view, session),
    because(created(own), signInReason(config, others)),
  ];
  const explanation = [
    account.explained,
    ...decided.admin,
    ...decided.placements.map(({ explained }) => explained),
    ...decided.others,
    sessionNote(config, own),
  ];
  return { outcome: 'signed-in', user, isNew: account.isNew, explanation, changes };
}

function refused(reason: string): SsoVerdict {
  return { outcome: 'refused', reason, changes: [] };
}

const gone = 'the configuration is gone';

function whyNot(view: View, config: Config | undefined, identity: Identity, now: string): string | undefined {
  if (!config) return gone;
  const { active, emailDomain } = config.spec;
  if (!active) return `${addressOf(config)} is not active`;
  if (singleton(view, 'Platform').spec.licence !== 'enterprise')
    return `single sign-on needs "licence: enterprise" in Platform/platform`;
  const { email, sessionEndsAt } = identity;
  const form = emailAddress().safeParse(email);
  if (!form.success || form.data !== email) return 'the provider gives no address of the usual form, in lower case';
  // Whatever a provider says of people of another domain is not its to say.
  if (email.slice(email.lastIndexOf('@') + 1) !== emailDomain)
    return `the address ${printable(email)} is not of ${emailDomain}, the domain of ${addressOf(config)}`;
  if (sessionEndsAt !== undefined && !(Date.parse(sessionEndsAt) > Date.parse(now)))
    return `the provider wants the session to have ended at ${printable(sessionEndsAt)}`;
  return undefined;
}

/** The user with all that the sign-in changes of them. */
function signedInUser(
  { before, user }: SsoAccount,
  { isAdmin }: Decided,
  session: NewSession,
  context: Context,
): Resource<'User'> {
  const after = { ...user, spec: { ...user.spec, admin: isAdmin } };
  const isChanged = before !== undefined && !sameValue(before.spec, after.spec);
  const next = isChanged ? { generation: user.generation + 1, updatedAt: context.now } : {};
  return signedIn({ ...after, ...next }, session, context);
}

/** What ends as the user comes in; where the account may have been somebody else's all that opens it. */
function endedBy({ user, explained }: SsoAccount, view: View, session: NewSession): Change[] {
  if (explained.reason !== 'taken-over') return replacedBy(view, user, session);
  const own = endedSessions(view, user);
  const others = replacedBy(view, user, session).filter(({ id }) => own.every((one) => one.id !== id));
  return [...own, ...others, ...[...referrers(view, 'Token', user)].map(deleted)];
}

function userChange({ before, explained }: SsoAccount, user: Resource<'User'>, { admin }: Decided): Change {
  const told = [explained, ...admin].filter(({ effect }) => effect !== 'none').map(({ message }) => message);
  const change = before ? updated(before, user) : created(user);
  return told.length === 0 ? change : because(change, told.join('; '));
}

/** Who comes in takes the place of invitations that have expired, as with any new member. */
function placementChanges(
  view: View,
  { team, before, role, explained }: Placement,
  user: Resource<'User'>,
  context: Context,
): Change[] {
  const why = (change: Change) => because(change, explained.message);
  if (role === undefined) return before ? [why(deleted(before))] : [];
  if (before) {
    const spec = { ...before.spec, role, ssoManaged: true };
    return [why(updated(before, { ...before, spec, generation: before.generation + 1, updatedAt: context.now }))];
  }
  const fresh = newMembership({ team: team.id, user: user.id, role }, context);
  const membership = { ...fresh, spec: { ...fresh.spec, ssoManaged: true } };
  return [why(created(membership)), ...expiredIn(view, team.id, context.now).map(deleted)];
}

/** The session as the configuration and the provider want it. */
function wishes({ id, spec }: Config, { sessionEndsAt }: Identity, session: NewSession): NewSession {
  const { expiryHours, idleHours } = spec.sessions;
  return {
    ...session,
    sso: id,
    ...(expiryHours === undefined ? {} : { expiryHours }),
    ...(idleHours === undefined ? {} : { idleHours }),
    ...(sessionEndsAt === undefined ? {} : { endsAt: sessionEndsAt }),
  };
}

function sessionNote(config: Config, { spec }: Resource<'Session'>): Explained {
  const { expiresAt, idleHours } = spec;
  const idle = `${idleHours} ${idleHours === 1 ? 'hour' : 'hours'} without a request`;
  const message = `is signed in until ${expiresAt}, or until ${idle}, as ${addressOf(config)} and the Platform say`;
  return { about: 'session', effect: 'create', reason: 'session-length', message };
}

const mostNotes = 20;

/** What the audit log says of a sign-in: all that groups were expected to do and did not. */
function signInReason(config: Config, others: readonly Explained[]): string {
  const worth = others.filter(({ reason }) => noteworthy.has(reason)).map(({ message }) => message);
  const plain = others.filter(({ reason }) => reason === 'not-of-the-form').length;
  const more = worth.length > mostNotes ? [`and ${worth.length - mostNotes} more`] : [];
  const counted = plain > 0 ? [`${plain} ${plain === 1 ? 'group is' : 'groups are'} of another form`] : [];
  return [`through ${addressOf(config)}`, ...worth.slice(0, mostNotes), ...more, ...counted].join('; ');
}

const noteworthy: ReadonlySet<Explained['reason']> = new Set([
  'no-group-attribute',
  'too-short',
  'unknown-team',
  'team-not-selected',
  'last-owner',
  'last-admin',
  'limit-reached',
]);
