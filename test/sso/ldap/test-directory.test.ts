// timeout: 1200
// What `weir sso test` says of a real directory, and of one that does not work.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { testDirectory } from '../../../src/sso/ldap.ts';
import type { Check } from '../../../src/sso/provider.ts';
import { type Authority, makeAuthority } from '../../support/authority.ts';
import { debian, suiteWith } from '../../support/debian.ts';
import { rootDn, type Slapd, slapdCommands, slapdPackages, startSlapd } from '../../support/slapd.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { fakeDirectory, listen, result } from './fake-directory.ts';
import { configuration, group, people, person, secretOf, unit } from './sample-directory.ts';

const commands = debian(slapdPackages, slapdCommands);

const real = suiteWith(commands, 'a test of a directory');
const running: Slapd[] = [];
let authority: Authority;
let slapd: Slapd;

const ldif = [
  ...['people', 'groups'].map(unit),
  person('ann'),
  person('bob', { uid: ['bob', 'robert'] }),
  person('robert', { mail: [] }),
  group('svc-core-member', [`uid=ann,${people}`]),
].join('');

real.before(async () => {
  if (!commands) return;
  authority = makeAuthority(commands.openssl, temporaryFolder().path);
  slapd = await start(authority.issue('good'));
});
real.after(async () => {
  await Promise.all(running.map((one) => one.stop()));
});

async function start(tls: { certificate: string; key: string }): Promise<Slapd> {
  if (!commands) throw new Error('there is no slapd');
  const made = await startSlapd(commands, { ldif, tls });
  running.push(made);
  return made;
}

interface Options {
  readonly user?: string;
  readonly ldap?: object;
  readonly of?: Slapd;
}

/** The checks as lines. */
async function checked({ user, ldap, of = slapd }: Options = {}): Promise<string[]> {
  const server = `localhost:${of.port}`;
  const groups = { manageRoles: true };
  const values = { groupDn: 'ou=groups,dc=example,dc=com', tls: { mode: 'startTls', ca: authority.pem }, ...ldap };
  return lines(await testDirectory(configuration({ server, ldap: values, groups }), { secretOf, user }));
}

function lines(checks: readonly Check[]): string[] {
  return checks.map(({ name, ok, detail }) => `${ok ? 'ok' : 'NOT OK'} ${name}: ${detail}`);
}

function says(line: string | undefined, words: RegExp): void {
  assert.match(line ?? 'nothing', words);
}

const first = ['connection', 'certificate', 'service account'];

real('says all that a sign-in needs, whom the filter finds, and their groups', async () => {
  const [connection, certificate, ...rest] = await checked({ user: 'ann@example.com' });
  assert.is(connection, `ok connection: localhost:${slapd.port} answers`);
  says(
    certificate,
    /^ok certificate: issued to CN=good \(DNS:localhost, IP Address:127\.0\.0\.1\) by O=Weir tests, CN=Test authority, ends \d{4}-\d\d-\d\d; it is trusted$/,
  );
  assert.equal(rest, [
    `ok service account: "${rootDn}" is signed in`,
    `ok search base: "${people}" is there`,
    `ok user search filter: "(uid=\${username})" finds "uid=ann,${people}", who is ann@example.com`,
    'ok group base: "ou=groups,dc=example,dc=com" is there',
    'ok groups: 1 group: "svc-core-member"',
  ]);
});

real('tells that the filter can be used where no user is named, and that one must tell users apart', async () => {
  assert.is(
    (await checked())[4],
    'ok user search filter: "(uid=${username})" can be used; name a user to see whom it finds',
  );
  const loose = await checked({ ldap: { userSearchFilter: '(|(uid=${username})(objectClass=person))' } });
  says(
    loose[4],
    /^NOT OK user search filter: .* finds 3 entries for a user who does not exist: it must tell users apart$/,
  );
});

real('says why somebody cannot sign in', async () => {
  const filterCheck = async (user: string, userSearchFilter = '(uid=${username})') =>
    (await checked({ user, ldap: { userSearchFilter } })).find((line) => line.includes('user search filter'));
  says(await filterCheck('nobody'), /^NOT OK .* finds nobody for "nobody" below ldap\.baseDn$/);
  says(
    await filterCheck('robert'),
    /^NOT OK .* finds 2 entries for "robert", and must find one: "uid=bob,.*", "uid=robert,.*"$/,
  );
  says(
    await filterCheck('robert', '(&(uid=${username})(sn=robert))'),
    /^NOT OK .* who cannot sign in, because it has no mail that ldap\.username may see: give it one/,
  );
  says(
    await filterCheck('ann@elsewhere.org'),
    /^NOT OK .*"ann@elsewhere\.org" can be no user of the domain example\.com$/,
  );
  says(await filterCheck('ann', '(uid=${username}'), /^NOT OK .*because of ldap\.userSearchFilter: it cannot be read/);
});

real('shows what is wrong with a certificate, and sends nothing there', async () => {
  const cases = [
    [
      authority.issue('expired', { expired: true }),
      /^NOT OK certificate: issued to CN=expired .*, ended \d{4}-\d\d-\d\d; it is not trusted: it, or .*\(CERT_HAS_EXPIRED\)$/,
    ],
    [
      authority.selfSigned('self'),
      /^NOT OK certificate: issued to CN=self .* by CN=self, .*; it is not trusted: the directory has issued it itself/,
    ],
    [
      authority.issue('elsewhere', { names: 'DNS:ldap.example.com' }),
      /^NOT OK certificate: issued to CN=elsewhere \(DNS:ldap\.example\.com\).*it is for another name/,
    ],
  ] as const;
  for (const [issued, words] of cases) {
    const other = await start(issued);
    const seen = await checked({ of: other });
    assert.is(seen.length, 2);
    says(seen[1], words);
    assert.not.match(other.log(), /BIND/);
    const taken = await checked({ of: other, ldap: { tls: { mode: 'startTls', verifyServerCertificate: false } } });
    says(
      taken[1],
      /^ok certificate: .*; it is not trusted: .*verifyServerCertificate is false, so it is taken nevertheless/,
    );
    assert.is(taken.length, 6);
  }
});

real('says that passwords cross the network in clear', async () => {
  says(
    (await checked({ ldap: { tls: { mode: 'none' } } }))[1],
    /^ok encryption: ldap\.tls\.mode is none: passwords cross the network in clear/,
  );
});

real('names what is wrong in the configuration, and goes on where that makes sense', async () => {
  const names = (checks: string[]) => checks.map((line) => line.split(':')[0]);
  const bound = await checked({ ldap: { password: { value: 'wrong' } } });
  assert.equal(names(bound), ['ok connection', 'ok certificate', 'NOT OK service account']);
  says(bound[2], /does not accept ldap\.username with ldap\.password.*invalidCredentials/);
  const based = await checked({ ldap: { baseDn: 'ou=nowhere,dc=example,dc=com', groupDn: 'ou=no,dc=example,dc=com' } });
  assert.equal(names(based), [...first.map((name) => `ok ${name}`), 'NOT OK search base', 'NOT OK group base']);
  assert.equal(names(await checked({ ldap: { server: 'nowhere' } })), ['NOT OK configuration']);
  assert.equal(names(await checked({ ldap: { password: { fromFile: 'ldap' } } })), ['NOT OK configuration']);
});

real.run();

const broken = suite('a test of a directory that does not work');

broken('ends in time and says so', async () => {
  const limits = { operationMs: 150, loginMs: 400 };
  const test = async (server: string, mode = 'none') =>
    lines(await testDirectory(configuration({ server, ldap: { tls: { mode } } }), { secretOf, limits }));
  const mute = await listen(() => {});
  says((await test(mute.address))[2], /^NOT OK service account: .* did not answer within 0\.15 s while Weir signed in/);
  says(
    (await test(mute.address, 'ldaps'))[0],
    /^NOT OK connection: .* did not answer within 0\.15 s while Weir connected/,
  );
  await mute.stop();
  says((await test(mute.address))[0], /^NOT OK connection: .* nothing listens there/);
  const leaving = await fakeDirectory(({ id, operation, socket }) => {
    if (operation === 0x60) return result(id, 0x61);
    socket.destroy();
    return undefined;
  });
  says((await test(leaving.address)).at(-1), /^NOT OK search base: .* closed the connection while/);
  await leaving.stop();
  const empty = await fakeDirectory(({ id, operation }) => result(id, operation === 0x60 ? 0x61 : 0x65));
  says((await test(empty.address)).at(-1), /^NOT OK search base: .* ldap\.username may not see it/);
  await empty.stop();
});

broken.run();
