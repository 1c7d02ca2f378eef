// What `weir sso test` asks a directory: everything that a sign-in needs, step by step, without a person's password.
import { type Entry, PresenceFilter } from 'ldapts';
import { printable } from '../../core/model/printable.ts';
import type { Check, SsoConfiguration } from '../provider.ts';
import { checkConnection } from './certificate.ts';
import type { Limits, Route } from './connect.ts';
import { type Directory, directoryOf, type SecretOf } from './directory.ts';
import { groupsOf, memberOf } from './groups.ts';
import { filterFor, loginOf, personAttributes, personOf } from './person.ts';
import { othersWithMail, sharedMail } from './same-mail.ts';
import { type Session, visit } from './session.ts';
import { during, type Stage } from './trouble.ts';
import { trustedAuthorities } from './trust.ts';
import { wordsOf } from './words.ts';

export interface TestOptions {
  readonly secretOf: SecretOf;
  readonly limits: Limits;
  /** Whom to look for: a username or an address. */
  readonly user?: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Tests the directory of a configuration, active or not: what it says, the connection and its certificate, the sign-in of the service account, the
 * search base, the filter (and whom it finds), the group base. It ends at the first check without which the next make no sense. Never throws.
 */
export async function testDirectory(config: SsoConfiguration, options: TestOptions): Promise<readonly Check[]> {
  const directory = directoryOf(config, options.secretOf);
  if ('problem' in directory) return [{ name: 'configuration', ok: false, detail: directory.problem }];
  const route = { directory, limits: options.limits, trust: trustedAuthorities() };
  const reached = await checkConnection(route, options.now);
  if (reached.some(({ ok }) => !ok)) return reached;
  return [...reached, ...(await checkContent(route, options))];
}

type Visit = Omit<Route, 'signal'>;

async function checkContent(route: Visit, { user }: TestOptions): Promise<readonly Check[]> {
  const { directory } = route;
  const checks: Check[] = [];
  const look = async (name: string, stage: Stage, work: () => Promise<Verdict>) => {
    const verdict = await during(stage, work()).catch((error) => wrong(wordsIn(route, error)));
    checks.push({ name, ...verdict });
    return verdict.ok;
  };
  try {
    await visit(route, async (open) => {
      const session = await during('connect', open());
      if (!(await look('service account', 'bind', () => signedIn(session, directory)))) return;
      const found: Entry[] = [];
      if (await look('search base', 'find', () => exists(session, directory.baseDn)))
        await look('user search filter', 'find', async () => {
          const { entry, ...verdict } = await finds(session, directory, user);
          if (entry) found.push(entry);
          return verdict;
        });
      const { groupDn } = directory;
      if (groupDn === undefined || !(await look('group base', 'groups', () => exists(session, groupDn)))) return;
      for (const entry of found) await look('groups', 'groups', () => groupsFound(session, groupDn, entry));
    });
  } catch (error) {
    checks.push({ name: 'connection', ...wrong(wordsIn(route, error)) });
  }
  return checks;
}

type Verdict = Omit<Check, 'name'>;

function well(detail: string): Verdict {
  return { ok: true, detail };
}

function wrong(detail: string): Verdict {
  return { ok: false, detail };
}

function wordsIn({ directory: { address }, limits }: Visit, error: unknown): string {
  return wordsOf(error, { address, ...limits });
}

async function signedIn(session: Session, { username, password }: Directory): Promise<Verdict> {
  await session.bind(username, password);
  return well(`${shown(username)} is signed in`);
}

async function exists(session: Session, dn: string): Promise<Verdict> {
  const filter = new PresenceFilter({ attribute: 'objectClass' });
  const { entries } = await session.search(dn, { filter, attributes: ['objectClass'], scope: 'base' });
  return entries.length > 0
    ? well(`${shown(dn)} is there`)
    : wrong(`${shown(dn)} is there, and ldap.username may not see it`);
}

async function finds(
  session: Session,
  { userSearchFilter, emailDomain, baseDn }: Directory,
  user: string | undefined,
): Promise<Verdict & { readonly entry?: Entry }> {
  const login = loginOf(user ?? nobody, emailDomain);
  if (!login) return wrong(`${shown(user ?? '')} can be no user of the domain ${emailDomain}`);
  const filter = filterFor(userSearchFilter, login);
  const search = { filter, attributes: personAttributes, sizeLimit: mostShown };
  const { entries, limited } = await session.search(baseDn, search);
  const count = `finds ${limited ? 'more than ' : ''}${entries.length === 1 ? '1 entry' : `${entries.length} entries`}`;
  const dns = entries.map(({ dn }) => shown(dn)).join(', ');
  const asked = shown(userSearchFilter);
  if (user === undefined)
    return entries.length === 0 && !limited
      ? well(`${asked} can be used; name a user to see whom it finds`)
      : wrong(`${asked} ${count} for a user who does not exist: it must tell users apart`);
  const [entry, ...others] = entries;
  if (!entry) return wrong(`${asked} finds nobody for ${shown(user)} below ldap.baseDn`);
  if (others.length > 0 || limited) return wrong(`${asked} ${count} for ${shown(user)}, and must find one: ${dns}`);
  const person = personOf(entry, emailDomain);
  if ('problem' in person) return wrong(`${asked} finds ${dns}, who cannot sign in, because ${person.problem}`);
  const sharing = await othersWithMail(session, { baseDn, emailDomain }, entry, person.email);
  if (sharing.length > 0) return wrong(`${asked} finds ${dns}; ${sharedMail([entry, ...sharing], person.email)}`);
  return { ...well(`${asked} finds ${dns}, who is ${person.email}`), entry };
}

async function groupsFound(session: Session, groupDn: string, entry: Entry): Promise<Verdict> {
  const names = await groupsOf(session, groupDn, memberOf(entry));
  const some = names.slice(0, mostShown).map(shown).join(', ');
  const rest = names.length > mostShown ? ` and ${names.length - mostShown} more` : '';
  return well(
    names.length === 0
      ? 'no group has this user as a member'
      : `${names.length === 1 ? '1 group' : `${names.length} groups`}: ${some}${rest}`,
  );
}

/** Whom no directory knows. */
const nobody = 'weir-test-of-a-user-who-does-not-exist';

const mostShown = 20;

function shown(text: string): string {
  return `"${printable(text.length > 300 ? `${text.slice(0, 300)}…` : text)}"`;
}
