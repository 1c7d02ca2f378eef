// People with passwords, for tests of the server that sign in.
import { createPasswords, type Passwords } from '../../src/auth/password.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { newId } from '../../src/lib/id.ts';
import type { Store, StoreRecord } from '../../src/store/store.ts';
import { type Asked, type ServerWorld, start } from './world.ts';

/** What everybody's password is, until they choose another. */
export const password = 'correct horse battery';

/** The platform of these tests: email is on, and an address may ask as often as it likes. */
export const platform = (more = '') =>
  `kind: Platform\nmetadata: {name: platform}\nspec:\n  licence: enterprise\n  email: {from: Weir <weir@example.com>}\n  reconcile: {settleMs: 50, pollSeconds: 3600}\n  api: {rateLimit: {signInPerMinute: 0}}\n${more}`;

/** A tree with these switches of the administration settings on, and whatever else. */
export function treeWith(switches: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const spec = switches.map((name) => `${name}: true`).join(', ');
  const settings = `kind: AdminSettings\nmetadata: {name: default}\nspec: {${spec}}\n`;
  const types = 'kind: TeamType\nmetadata: {name: starter}\nspec: {description: For a start.}\n';
  return { 'weir.yaml': platform(), 'settings.yaml': settings, 'types.yaml': types, ...more };
}

/** Active single sign-on: `corp.example` by SAML, `dir.example` by LDAP. */
export const ssoDocuments = `kind: SsoConfig
metadata: {name: corp}
spec:
  emailDomain: Corp.Example
  provider: saml
  active: true
  saml: {signOnUrl: "https://idp.corp.example/sso", issuer: "https://idp.corp.example", certificate: CERT}
---
kind: SsoConfig
metadata: {name: dir}
spec:
  emailDomain: dir.example
  provider: ldap
  active: true
  provisionNewUsers: true
  ldap: {server: "ldap:389", baseDn: "dc=dir", username: "cn=weir", password: {fromEnv: WEIR_SECRET_LDAP}}
`;

/** A user with the password of everybody. */
export async function put(store: Store, name: string, spec: Partial<Resource<'User'>['spec']> = {}): Promise<void> {
  const own: Resource<'User'>['spec'] = {
    email: `${name}@people.example`,
    emailVerified: true,
    displayName: '',
    admin: false,
    suspended: false,
    passwordHash: await hashed,
    lastSignInAt: null,
    failedSignIns: 0,
    lockedUntil: null,
  };
  const times = { generation: 1, createdAt: start, updatedAt: start };
  const user: Resource<'User'> = { kind: 'User', id: name, name, spec: { ...own, ...spec }, ...times };
  await store.commit(() => ({ changes: [created(user)] }), { id: newId() });
}

const hashed = createPasswords().hash(password);

/** Passwords that count how often they are asked. */
export function counting(): Passwords & { readonly asked: () => { hash: number; verify: number } } {
  const own = createPasswords({ queue: 1000 });
  const asked = { hash: 0, verify: 0 };
  return {
    asked: () => ({ ...asked }),
    hash: (text) => {
      asked.hash += 1;
      return own.hash(text);
    },
    verify: (text, phc) => {
      asked.verify += 1;
      return own.verify(text, phc);
    },
  };
}

/** Signs in, as a program that has no cookie yet. */
export function login(
  { ask }: ServerWorld,
  username: string,
  secret = password,
  headers: Readonly<Record<string, string>> = {},
): Promise<Asked> {
  return ask('POST', '/account/login', { as: 'none', body: { username, password: secret }, headers });
}

/** What a browser sends from our own pages after an answer that set a cookie. */
export function browser({ headers }: Asked, origin = 'http://weir.example'): Readonly<Record<string, string>> {
  const cookie = cookiesOf(headers['set-cookie'])[0]?.split(';')[0] ?? '';
  return { cookie, origin };
}

/** The cookies of an answer, as they were set. */
export function cookiesOf(header: string | readonly string[] | number | undefined): readonly string[] {
  return header === undefined ? [] : [header].flat().map(String);
}

/** The audit log as `event actor target`, oldest first. */
export async function auditOf(store: Store, limit = 100): Promise<readonly string[]> {
  const records = await store.records({ stream: 'audit', limit });
  return records.map(told).reverse();
}

// biome-ignore lint/suspicious/noExplicitAny: an entry is looked into at every depth.
function told({ body: { event, actor, target } }: StoreRecord & { readonly body: any }): string {
  return [event, actor.name ?? '-', target.name ?? '-'].join(' ');
}

/** The token in the last mail to an address. */
export function tokenIn({ mails }: ServerWorld, to: string): string {
  const mail = mails.findLast((one) => one.to === to);
  return /(?:verify|token)=([0-9A-Za-z]+)/.exec(mail?.text ?? '')?.[1] ?? '';
}
