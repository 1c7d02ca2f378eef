// A small state for proposals about accounts: settings, people and links as literals, a clock that stands still until it is set.
import { type DeclaredKindName, kindOf, type runtimeKinds, type SpecOf } from '../../../src/core/kinds/index.ts';
import { type Change, created } from '../../../src/core/model/change.ts';
import type { Context, Proposal } from '../../../src/core/model/proposal.ts';
import { type DeclaredResource, defaultLifecycle, type Resource } from '../../../src/core/model/resource.ts';
import { createState, type State } from '../../../src/core/model/state.ts';

export const start = '2026-11-21T10:00:00.000Z';

export interface Accounts {
  readonly state: State;
  /** The context of a proposal, `seconds` after the start. */
  at(seconds: number): Context;
  /** Applies a proposal, `seconds` after the start; answers its changes. */
  apply(proposal: Proposal, seconds?: number): readonly Change[];
  put(...resources: readonly Resource[]): void;
}

/** The time `seconds` after the start. */
export function after(seconds: number): string {
  return new Date(Date.parse(start) + seconds * 1000).toISOString();
}

/** A state with these resources. */
export function accounts(...resources: readonly Resource[]): Accounts {
  const state = createState();
  let ids = 0;
  const at = (seconds: number): Context => ({
    now: after(seconds),
    newId: () => `id-${ids++}`,
    actor: { kind: 'user' },
    origin: 'api',
  });
  const put = (...more: readonly Resource[]) => state.apply(more.map(created));
  put(...resources);
  return {
    state,
    at,
    put,
    apply: (proposal, seconds = 0) => {
      const changes = proposal(state, at(seconds));
      state.apply(changes);
      return changes;
    },
  };
}

/** A resource of run time, called like its id. */
export function living<K extends keyof typeof runtimeKinds>(kind: K, name: string, spec: object): Resource<K> {
  const parsed = kindOf(kind).spec.parse(spec) as SpecOf<K>;
  return { kind, id: name, name, spec: parsed, generation: 1, createdAt: start, updatedAt: start };
}

/** A user who can sign in: `name@example.net`, verified, with the password hash `hash-of-name`. */
export function person(name: string, spec: object = {}): Resource<'User'> {
  const own = { email: `${name}@example.net`, emailVerified: true, passwordHash: `hash-of-${name}` };
  return living('User', name, { ...own, ...spec });
}

/** A declared resource. */
export function declared<K extends DeclaredKindName>(kind: K, name: string, spec: object): DeclaredResource<K> {
  const parsed = kindOf(kind).spec.parse(spec) as SpecOf<K>;
  const times = { generation: 1, createdAt: start, updatedAt: start } as const;
  const around = { labels: {}, lifecycle: defaultLifecycle, managedBy: 'config' } as const;
  return { kind, id: `${kind}-${name}`, name, spec: parsed, ...times, ...around };
}

/** A platform that sends mail. */
export const withEmail = declared('Platform', 'platform', { email: {} });

/** The administration settings with these switches on. */
export function settings(...on: readonly string[]): DeclaredResource<'AdminSettings'> {
  return declared('AdminSettings', 'default', Object.fromEntries(on.map((name) => [name, true])));
}

/** An active configuration for `corp.example` (SAML) or `dir.example` (LDAP). */
export function sso(provider: 'saml' | 'ldap', spec: object = {}): DeclaredResource<'SsoConfig'> {
  const emailDomain = provider === 'saml' ? 'corp.example' : 'dir.example';
  return declared('SsoConfig', provider === 'saml' ? 'corp' : 'dir', { emailDomain, provider, active: true, ...spec });
}

/** What went away, was altered and came, as `-Kind/id`, `~Kind/id` and `+Kind`. */
export function told(changes: readonly Change[]): string[] {
  return changes.map(({ kind, id, before, after: now }) => (before ? `${now ? '~' : '-'}${kind}/${id}` : `+${kind}`));
}

/** Sixty-four times the same digit: stands for the hash of something. */
export function hash(digit: string): string {
  return digit.repeat(64);
}

/** The session `here` of bob. */
export const here = living('Session', 'here', {
  user: 'bob',
  hash: 'e'.repeat(64),
  expiresAt: after(86_400),
  idleHours: 24,
  lastSeenAt: start,
  address: '',
  agent: '',
});

/** Bob, by that session. */
export const signedIn = { user: 'bob', session: 'here' } as const;
