// Signing in with the password of a directory: LDAP (specification 2.8, 2.9; RFC 4511, 4513).
import type { Entry } from 'ldapts';
import { printable } from '../core/model/printable.ts';
import type { Limits } from './ldap/connect.ts';
import { type Directory, directoryOf, type SecretOf } from './ldap/directory.ts';
import { groupsOf, memberOf } from './ldap/groups.ts';
import { filterFor, type Login, loginOf, personAttributes, personOf } from './ldap/person.ts';
import { othersWithMail, sharedMail } from './ldap/same-mail.ts';
import { type Session, visit } from './ldap/session.ts';
import { testDirectory as test } from './ldap/test-directory.ts';
import { during, Trouble, troubleOf } from './ldap/trouble.ts';
import { trustedAuthorities } from './ldap/trust.ts';
import { resultName, wordsOf } from './ldap/words.ts';
import type { Check, PasswordProvider, ProviderAnswer, SsoConfiguration } from './provider.ts';

export interface LdapOptions {
  /** Asked at each sign-in: a secret may be replaced while the server runs. */
  readonly secretOf: SecretOf;
  /** `logins`: how many sign-ins may be under way at one directory. */
  readonly limits?: Partial<Limits & { readonly logins: number }>;
}

/**
 * Asks directories. A sign-in searches the user with the service account, verifies the password over a connection of its own with the DN that was
 * found, and takes everything else from the entry: what was typed decides nothing but what is searched.
 */
export function ldapProvider({ secretOf, limits }: LdapOptions): PasswordProvider {
  const desk: Desk = { limits: { ...defaultLimits, ...limits }, trust: trustedAuthorities(), logins: new Map() };
  return {
    authenticate: async (config, typed) => {
      const login = typeof typed.username === 'string' ? loginOf(typed.username, config.spec.emailDomain) : undefined;
      if (!login) return refused(`that can be no user of the domain ${config.spec.emailDomain}`);
      const wrong = passwordProblem(typed.password);
      if (wrong !== undefined) return refused(wrong);
      const directory = directoryOf(config, secretOf);
      if ('problem' in directory) return { outcome: 'unavailable', reason: directory.problem };
      return await signIn(desk, directory, login, typed.password);
    },
  };
}

/**
 * Tests the directory of a configuration, active or not, without anybody's password but that of the service account: what `weir sso test` shows. With
 * `user`, a username or an address, it tells whom the filter finds, and their groups. Never throws.
 */
export function testDirectory(
  config: SsoConfiguration,
  { secretOf, limits, user }: LdapOptions & { readonly user?: string | undefined },
): Promise<readonly Check[]> {
  return test(config, {
    secretOf,
    limits: { ...defaultLimits, ...limits },
    now: Date.now(),
    ...(user === undefined ? {} : { user }),
  });
}

/** 5 s for an answer, 10 s for a sign-in; what a directory may send is far more than any group list needs. */
export const defaultLimits = {
  operationMs: 5000,
  loginMs: 10_000,
  frameBytes: 256 * 1024,
  bytes: 4 * 1024 * 1024,
  frames: 10_000,
  logins: 64,
} as const;

interface Desk {
  readonly limits: Limits & { readonly logins: number };
  readonly trust: ReturnType<typeof trustedAuthorities>;
  /** Address → how many sign-ins are under way there: one that is mute shall not hold up those at another. */
  readonly logins: Map<string, number>;
}

/** An empty password is no password: a directory that is asked with one lets everybody in (RFC 4513, 5.1.2). */
function passwordProblem(password: unknown): string | undefined {
  if (typeof password !== 'string' || password === '') return 'no password was given';
  if (password.includes('\0')) return 'the password holds a NUL';
  return password.length > 1024 ? 'the password is longer than any' : undefined;
}

async function signIn(desk: Desk, directory: Directory, login: Login, password: string): Promise<ProviderAnswer> {
  const { address } = directory;
  const waiting = desk.logins.get(address) ?? 0;
  if (waiting >= desk.limits.logins)
    return unavailable(`${desk.limits.logins} sign-ins wait for the directory ${address} already: it is too slow`);
  desk.logins.set(address, waiting + 1);
  try {
    const route = { directory, limits: desk.limits, trust: desk.trust };
    return await visit(route, (open) => ask(open, directory, login, password));
  } catch (error) {
    return unavailable(wordsOf(error, { address, ...desk.limits }));
  } finally {
    const left = (desk.logins.get(address) ?? 1) - 1;
    if (left > 0) desk.logins.set(address, left);
    else desk.logins.delete(address);
  }
}

async function ask(
  open: () => Promise<Session>,
  directory: Directory,
  login: Login,
  password: string,
): Promise<ProviderAnswer> {
  const filter = filterFor(directory.userSearchFilter, login);
  const session = await during('connect', open());
  await during('bind', session.bind(directory.username, directory.password));
  const { entries, limited, referred } = await during(
    'find',
    session.search(directory.baseDn, { filter, attributes: personAttributes, sizeLimit: 2 }),
  );
  const [entry, ...others] = entries;
  // The directory's own limit is lower than ours, and what it kept back may match as well.
  if (limited && others.length === 0) throw new Trouble('result', { result: 4, stage: 'find' });
  if (!entry || others.length > 0) {
    // As many steps as for somebody who is there: the time does not tell who is.
    await wrongPassword(open, directory.baseDn, password);
    return refused(
      entry
        ? `${ambiguous} (${entries.map(({ dn }) => shown(dn)).join(' and ')})`
        : `the directory has no such user${referred ? elsewhere : ''}`,
    );
  }
  const { dn } = entry;
  if (typeof dn !== 'string' || !dn.includes('=')) throw new Trouble('unnamed', { stage: 'find' });
  const wrong = await wrongPassword(open, dn, password);
  const person = personOf(entry, directory.emailDomain);
  if (wrong !== undefined) return refused(wrong, 'email' in person ? person.email : undefined);
  return await proved(session, directory, entry, person);
}

/** Somebody whose password it was, with their groups. */
async function proved(
  session: Session,
  { baseDn, groupDn, emailDomain }: Directory,
  entry: Entry,
  person: ReturnType<typeof personOf>,
): Promise<ProviderAnswer> {
  if ('problem' in person) return refused(`the entry ${shown(entry.dn)} cannot sign in, because ${person.problem}`);
  const others = await during('find', othersWithMail(session, { baseDn, emailDomain }, entry, person.email));
  if (others.length > 0) return refused(sharedMail([entry, ...others], person.email), person.email);
  if (groupDn === undefined) return { outcome: 'proved', identity: person };
  const groups = await during('groups', groupsOf(session, groupDn, memberOf(entry)));
  return { outcome: 'proved', identity: { ...person, groups } };
}

/** Shows a password over a connection of its own, and answers why the directory does not take it. */
async function wrongPassword(open: () => Promise<Session>, dn: string, password: string): Promise<string | undefined> {
  const session = await during('verify', open());
  try {
    await session.bind(dn, password);
    return undefined;
  } catch (error) {
    const { result, detail } = troubleOf(error);
    if (result === undefined || !ofThePerson.has(result)) return await during('verify', Promise.reject(error));
    return `the directory does not take the password of ${shown(dn)} (${resultName(result)})${detail && `: ${detail}`}`;
  }
}

/** What directories answer about one account; anything else is about themselves (RFC 4511, appendix A). */
const ofThePerson: ReadonlySet<number> = new Set([19, 32, 34, 48, 49, 50, 53]);

const ambiguous =
  'more than one entry of the directory matches: ldap.userSearchFilter and ldap.baseDn must find one at most';

const elsewhere = ' here; it refers to another server for a part of ldap.baseDn, and referrals are not followed';

function shown(dn: string): string {
  return `"${printable(dn.length > 300 ? `${dn.slice(0, 300)}…` : dn)}"`;
}

function refused(reason: string, email?: string): ProviderAnswer {
  return { outcome: 'refused', reason, ...(email === undefined ? {} : { email }) };
}

function unavailable(reason: string): ProviderAnswer {
  return { outcome: 'unavailable', reason };
}
