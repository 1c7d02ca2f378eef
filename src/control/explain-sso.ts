// What a sign-in through single sign-on would do, without doing it: the same judgement as at a sign-in, of which nothing is kept.
import { auditOf } from '../core/audit/audit.ts';
import type { AuditEntry } from '../core/audit/entry.ts';
import type { Explained } from '../core/groups/explained.ts';
import { updated } from '../core/model/change.ts';
import { overlay } from '../core/model/overlay.ts';
import type { Context } from '../core/model/proposal.ts';
import type { DeclaredResource, Resource } from '../core/model/resource.ts';
import { referrers, type View } from '../core/model/view.ts';
import { Declined } from '../core/proposals/declined.ts';
import { judgeSsoSignIn, ssoActor } from '../core/proposals/sso-sign-in.ts';
import type { Facts } from '../core/rules/facts.ts';
import { transact } from './transact.ts';

/** Whom to explain: a configuration by its name, an address in lower case, and groups as the provider gives them; absent where it gives none at all. */
export interface SsoQuestion {
  readonly config: string;
  readonly email: string;
  readonly groups?: readonly string[] | undefined;
}

/** One change that there would be, as the audit log would tell it. */
export type ExplainedChange = Pick<AuditEntry, 'event' | 'changes'> & {
  readonly target: { readonly kind: string; readonly name: string };
  readonly reason?: string;
};

/** The user as they would be; `id` is null, and `isNew` true, for one who would be made. */
export interface ExplainedUser {
  readonly id: string | null;
  readonly username: string;
  readonly admin: boolean;
  readonly isNew: boolean;
  readonly memberships: readonly {
    readonly team: string;
    readonly role: Resource<'Membership'>['spec']['role'];
    readonly ssoManaged: boolean;
  }[];
}

/** What would come of it. `active`: whether people sign in through the configuration now; where not, this is what would be if they did. */
export interface SsoExplanation {
  readonly config: string;
  readonly active: boolean;
  readonly email: string;
  readonly outcome: 'signed-in' | 'refused';
  /** Why nobody would be signed in. */
  readonly reason?: string;
  readonly user?: ExplainedUser;
  readonly changes: readonly ExplainedChange[];
  readonly explanation: readonly Explained[];
}

/** Explains. Declines (`not_found`) where there is no such configuration. `now`: RFC 3339. */
export function explainSso(
  view: View,
  { config: name, email, groups }: SsoQuestion,
  now: string,
  facts: Facts,
): SsoExplanation {
  const config = view.named('SsoConfig', name);
  if (!config) throw new Declined('not_found', unknown(view, name));
  const state = asIfActive(view, config);
  const context = contextOf(config, now);
  const identity = { email, ...(groups === undefined ? {} : { groups }) };
  const session = { hash: '0'.repeat(64), address: '', agent: '' };
  const verdict = judgeSsoSignIn({ config: config.id, identity, session }, state, context);
  const { changes, after, violations } = transact(state, () => verdict.changes, context, { facts });
  const about = { config: config.name, active: config.spec.active, email };
  if (verdict.outcome === 'refused') return { ...about, ...refused(verdict.reason) };
  if (violations.length > 0) return { ...about, ...refused(violations.map(({ message }) => message).join('; ')) };
  const told = auditOf(changes, { before: state, after }, context).flatMap(changeOf);
  const user = userAfter(verdict.user, view, after, verdict.isNew);
  return { ...about, outcome: 'signed-in', user, changes: told, explanation: verdict.explanation };
}

function refused(reason: string): Pick<SsoExplanation, 'outcome' | 'reason' | 'changes' | 'explanation'> {
  return { outcome: 'refused', reason, changes: [], explanation: [] };
}

function unknown(view: View, name: string): string {
  const names = [...view.all('SsoConfig')].map((config) => config.name);
  return `there is no single sign-on configuration ${JSON.stringify(name)}${names.length > 0 ? ` (there is ${names.slice(0, 10).join(', ')})` : ''}`;
}

/** People try a configuration before they switch it on. */
function asIfActive(view: View, config: DeclaredResource<'SsoConfig'>): View {
  return config.spec.active
    ? view
    : overlay(view, [updated(config, { ...config, spec: { ...config.spec, active: true } })]);
}

function contextOf(config: DeclaredResource<'SsoConfig'>, now: string): Context {
  let made = 0;
  return { now, newId: () => `new-${++made}`, actor: ssoActor(config), origin: 'api' };
}

/** The sign-in itself is what was asked about. */
function changeOf({ event, target, changes, reason }: AuditEntry): ExplainedChange[] {
  if (event === 'sign-in.succeeded') return [];
  const { kind, name = '' } = target;
  return [{ event, target: { kind, name }, changes, ...(reason === undefined ? {} : { reason }) }];
}

function userAfter(user: Resource<'User'>, before: View, after: View, isNew: boolean): ExplainedUser {
  const places = [...referrers(after, 'Membership', user)].map(({ spec: { team, role, ssoManaged } }) => ({
    team: after.get('Team', team)?.name ?? team,
    role,
    ssoManaged,
  }));
  const memberships = places.sort((a, b) => (a.team < b.team ? -1 : 1));
  const id = before.get('User', user.id) ? user.id : null;
  return { id, username: user.name, admin: user.spec.admin, isNew, memberships };
}
