// timeout: 1200
// A directory over TLS, from the first byte and by StartTLS: who is trusted, and that nothing is said to anybody else.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:tls';
import * as assert from 'uvu/assert';
import { ldapProvider } from '../../../src/sso/ldap.ts';
import { type Authority, type Issued, makeAuthority } from '../../support/authority.ts';
import { debian, suiteWith } from '../../support/debian.ts';
import { type Slapd, slapdCommands, slapdPackages, startSlapd } from '../../support/slapd.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { configuration, person, secretOf, unit } from './sample-directory.ts';

const commands = debian(slapdPackages, slapdCommands);
const provider = ldapProvider({ secretOf });
const modes = ['ldaps', 'startTls'] as const;

const secure = suiteWith(commands, 'a directory over TLS');
const running: Slapd[] = [];
let authority: Authority;
let good: Slapd;

secure.before(async () => {
  if (!commands) return;
  authority = makeAuthority(commands.openssl, temporaryFolder().path);
  good = await start(authority.issue('good'));
});
secure.after(async () => {
  await Promise.all(running.map((slapd) => slapd.stop()));
});

async function start(tls?: Issued): Promise<Slapd> {
  if (!commands) throw new Error('there is no slapd');
  const slapd = await startSlapd(commands, { ldif: unit('people') + person('ann'), ...(tls ? { tls } : {}) });
  running.push(slapd);
  return slapd;
}

type Tls = { mode: 'none' | 'ldaps' | 'startTls'; ca?: string; verifyServerCertificate?: boolean };

async function signIn(slapd: Slapd, tls: Tls, host = 'localhost'): Promise<string> {
  const server = `${host}:${tls.mode === 'ldaps' ? slapd.tlsPort : slapd.port}`;
  const answer = await provider.authenticate(configuration({ server, ldap: { tls } }), {
    username: 'ann',
    password: 'pw-ann',
  });
  return 'reason' in answer ? `${answer.outcome}: ${answer.reason}` : answer.outcome;
}

/** How many sign-ins the directory has seen, in which a password came. */
async function binds(slapd: Slapd): Promise<number> {
  await new Promise((done) => setTimeout(done, 100));
  return slapd.log().match(/ BIND dn=/g)?.length ?? 0;
}

secure('proves who shows the right password, by the name and by the address of the certificate', async () => {
  for (const mode of modes)
    for (const host of ['localhost', '127.0.0.1'])
      assert.is(await signIn(good, { mode, ca: authority.pem }, host), 'proved', `${mode} ${host}`);
});

secure('is greeted by its name, and by none where there is only an address', async () => {
  const greeted: unknown[] = [];
  const { certificate, key } = authority.issue('names');
  const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (socket) => {
    greeted.push(socket.servername);
    socket.on('error', () => {}).destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  for (const host of ['localhost', '127.0.0.1'])
    assert.match(await signIn({ ...good, tlsPort: port }, { mode: 'ldaps', ca: authority.pem }, host), /^unavailable/);
  assert.equal(greeted, ['localhost', false]);
  server.close();
});

secure('begins TLS before anything else, on both connections', async () => {
  const before = good.log().length;
  assert.is(await signIn(good, { mode: 'startTls', ca: authority.pem }), 'proved');
  await binds(good);
  const steps =
    good
      .log()
      .slice(before)
      .match(/op=0 STARTTLS|TLS established|BIND dn="[^"]+"|SRCH base/g) ?? [];
  const dns = steps.map((step) => step.replace(/^BIND dn=.*/, 'BIND'));
  assert.equal(dns, [
    ...['op=0 STARTTLS', 'TLS established', 'BIND', 'BIND', 'SRCH base'],
    // Who else has that mail is asked of the first connection, once the second has proved the password.
    ...['op=0 STARTTLS', 'TLS established', 'BIND', 'BIND', 'SRCH base'],
  ]);
});

/** What is told where the port speaks another way than `tls.mode` says. */
const wrongWay = (tls: Tls, port: number) => signIn({ ...good, port, tlsPort: port }, { ca: authority.pem, ...tls });

secure('says that a port is plain where TLS from the first byte was asked of it', async () => {
  const told = await wrongWay({ mode: 'ldaps' }, good.port);
  assert.match(
    told,
    /^unavailable: the directory localhost:\d+ (closed|cut|answered) the (connection while TLS began|beginning of TLS)/,
  );
  assert.match(told, /ldap\.tls\.mode is ldaps, .*: set it to startTls, or write the port for ldaps, mostly 636/);
  assert.not.match(told, /needs ldap\.tls\.mode ldaps/);
});

secure('says that a port is TLS from the first byte where it was spoken to plainly', async () => {
  for (const mode of ['none', 'startTls'] as const) {
    const told = await wrongWay({ mode }, good.tlsPort);
    assert.match(told, /^unavailable: .* a port that is TLS from the first byte needs ldap\.tls\.mode ldaps$/, mode);
  }
});

secure('says that StartTLS is not set up', async () => {
  const plain = await start();
  assert.match(
    await wrongWay({ mode: 'startTls' }, plain.port),
    /^unavailable: .* does not begin TLS, and nothing is sent to it without: (set up StartTLS there, or use ldaps|TLS is not set up there) \(\w+, \d+\)$/,
  );
});

secure('takes the authority as PEM, several of them, or as bare base64', async () => {
  const bare = authority.pem.replace(/-----[A-Z ]+-----/g, '').trim();
  const other = readFileSync(
    makeAuthority(commands?.openssl ?? '', temporaryFolder().path).selfSigned('x').certificate,
    'utf8',
  );
  for (const ca of [bare, other + authority.pem]) assert.is(await signIn(good, { mode: 'ldaps', ca }), 'proved');
  assert.match(
    await signIn(good, { mode: 'ldaps', ca: 'nonsense' }),
    /^unavailable: .* was not asked, because ldap\.tls\.ca cannot be used: it (is neither PEM|cannot be read)/,
  );
});

secure('is not trusted when nobody known has issued its certificate', async () => {
  const seen = await binds(good);
  for (const mode of modes)
    assert.match(
      await signIn(good, { mode }),
      /^unavailable: the directory localhost:\d+ shows a certificate that is not trusted, and nothing was sent to it: no authority that is trusted here has issued it: set ldap\.tls\.ca .*\((UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY)\)$/,
    );
  assert.is(await binds(good), seen);
});

const bad = [
  ['expired', () => authority.issue('expired', { expired: true }), /has expired: renew it.*\(CERT_HAS_EXPIRED\)$/],
  ['self-signed', () => authority.selfSigned('self'), /has issued it itself.*\(DEPTH_ZERO_SELF_SIGNED_CERT\)$/],
  [
    'for another host',
    () => authority.issue('elsewhere', { names: 'DNS:ldap.example.com,IP:127.0.0.9' }),
    /it is for another name: write the host.*\(ERR_TLS_CERT_ALTNAME_INVALID\)$/,
  ],
] as const;

for (const [what, issue, words] of bad)
  secure(`is not trusted when its certificate is ${what}, and is when nothing shall be verified`, async () => {
    const slapd = await start(issue());
    for (const mode of modes)
      for (const host of ['localhost', '127.0.0.1']) {
        const outcome = await signIn(slapd, { mode, ca: authority.pem }, host);
        assert.match(outcome, /^unavailable: the directory .* nothing was sent to it: /);
        assert.match(outcome, words);
      }
    assert.is(await binds(slapd), 0);
    for (const mode of modes)
      assert.is(await signIn(slapd, { mode, ca: authority.pem, verifyServerCertificate: false }), 'proved');
  });

secure('can be trusted by its own certificate', async () => {
  const own = authority.selfSigned('own');
  const slapd = await start(own);
  assert.is(await signIn(slapd, { mode: 'ldaps', ca: readFileSync(own.certificate, 'utf8') }), 'proved');
});

secure('is not asked in clear when it refuses StartTLS', async () => {
  const plain = await start();
  for (const verifyServerCertificate of [true, false])
    assert.match(
      await signIn(plain, { mode: 'startTls', ca: authority.pem, verifyServerCertificate }),
      /^unavailable: .* does not begin TLS, and nothing is sent to it without: set up StartTLS there, or use ldaps \(protocolError, 2\)$/,
    );
  assert.is(await binds(plain), 0);
});

secure('says what to set when the port speaks otherwise', async () => {
  const swapped = { ...good, port: good.tlsPort, tlsPort: good.port };
  assert.match(await signIn(swapped, { mode: 'ldaps', ca: authority.pem }), /^unavailable: .*ldap\.tls\.mode/);
  assert.match(await signIn(swapped, { mode: 'startTls', ca: authority.pem }), /^unavailable: .*ldap\.tls\.mode/);
  assert.match(await signIn(swapped, { mode: 'none' }), /^unavailable: .*ldap\.tls\.mode/);
});

secure('tells no password to a directory that wants TLS first, but the one that it was told to', async () => {
  if (!commands) return;
  const strict = await startSlapd(commands, {
    ldif: unit('people') + person('ann'),
    tls: authority.issue('strict'),
    global: 'security simple_bind=128',
  });
  running.push(strict);
  assert.match(
    await signIn(strict, { mode: 'none' }),
    /wants TLS before it takes a password \(confidentialityRequired, 13\): set ldap\.tls\.mode/,
  );
  assert.is(await signIn(strict, { mode: 'startTls', ca: authority.pem }), 'proved');
});

secure.run();
