// A directory that is down, mute, slow, cut off, or lies: a sign-in ends in time, with a reason, and leaves nothing behind.
import type { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultLimits, ldapProvider } from '../../../src/sso/ldap.ts';
import { until } from '../../support/until.ts';
import {
  ann,
  type Fake,
  fakeDirectory,
  found,
  honest,
  listen,
  message,
  nextPage,
  part,
  type Request,
  result,
} from './fake-directory.ts';
import { configuration, secretOf } from './sample-directory.ts';

const hasty = ldapProvider({ secretOf, limits: { operationMs: 1500, loginMs: 8000 } });
const hastier = ldapProvider({ secretOf, limits: { operationMs: 30_000, loginMs: 2500 } });
const patient = ldapProvider({ secretOf });
/** Far longer than the longest sign-in may take: who waits for a directory that never answers is found out even on a busy machine. */
const longestMs = 60_000;
const groups = { ldap: { groupDn: 'ou=groups,dc=example,dc=com' }, groups: { manageRoles: true } };

const broken = suite('a directory that does not work');
const fakes: Fake[] = [];
broken.after.each(async () => {
  await Promise.all(fakes.map((fake) => fake.stop()));
  fakes.length = 0;
  const left = () => process.getActiveResourcesInfo().filter((name) => /TCP|TLS/.test(name));
  await until('no sockets are left', () => left().length === 0, { now: left });
});

interface Outcome {
  readonly outcome: string;
  readonly reason: string;
  readonly ms: number;
}

async function signIn(server: string, more: object = {}, provider = hasty): Promise<Outcome> {
  const password = 'the-password-of-ann';
  const started = performance.now();
  const answer = await provider.authenticate(configuration({ server, ...more }), { username: 'ann', password });
  const ms = performance.now() - started;
  const reason = 'reason' in answer ? answer.reason : '';
  assert.not.match(reason, /the-password-of-ann|the-service-secret/);
  return { outcome: answer.outcome, reason, ms };
}

/** In time, which is that of everything together and leaving at most. */
async function unavailable(
  fake: Fake | Promise<Fake>,
  words: RegExp,
  more: object = {},
  provider = hasty,
): Promise<Outcome> {
  const directory = await fake;
  fakes.push(directory);
  const outcome = await signIn(directory.address, more, provider);
  assert.is(outcome.outcome, 'unavailable', JSON.stringify(outcome));
  assert.match(outcome.reason, words);
  assert.ok(outcome.reason.includes(directory.address), outcome.reason);
  assert.ok(outcome.ms < longestMs, `it took ${outcome.ms} ms: ${outcome.reason}`);
  await until('no connection is left', () => directory.connections().open === 0);
  assert.ok(directory.connections().all <= 2, 'it connected again');
  return outcome;
}

/** Answers as the honest one, but for the n-th request of an operation. */
function butFor(operation: number, nth: number, answer: (request: Request) => Buffer | undefined): Promise<Fake> {
  let seen = 0;
  return fakeDirectory((request) => {
    if (request.operation === operation) seen += 1;
    return request.operation === operation && seen === nth ? answer(request) : honest(request);
  });
}

const [bind, search] = [0x60, 0x63];

broken('is told from one that works', async () => {
  const fake = await fakeDirectory(honest);
  fakes.push(fake);
  assert.is((await signIn(fake.address, {}, patient)).outcome, 'proved');
  assert.is(fake.connections().all, 2);
});

broken('is down', async () => {
  const fake = await fakeDirectory(honest);
  await fake.stop();
  const { outcome, reason, ms } = await signIn(fake.address);
  assert.is(outcome, 'unavailable');
  assert.is(
    reason,
    `the directory ${fake.address} cannot be reached, because nothing listens there: check ldap.server, and that the directory runs`,
  );
  assert.ok(ms < longestMs);
});

broken('has a name that nobody knows', async () => {
  const { outcome, reason } = await signIn('directory.invalid:389');
  assert.is(outcome, 'unavailable');
  assert.match(
    reason,
    /^the directory directory\.invalid:389 (cannot be reached, because its name|did not answer within)/,
  );
});

broken('is mute, at any step', async () => {
  const mute = () => undefined;
  const words = (doing: string) => new RegExp(`did not answer within 1\\.5 s while ${doing}: check`);
  await unavailable(
    listen(() => {}),
    words('Weir signed in as ldap\\.username'),
  );
  await unavailable(butFor(bind, 1, mute), words('Weir signed in as ldap\\.username'));
  await unavailable(butFor(search, 1, mute), words('the user was searched'));
  await unavailable(butFor(bind, 2, mute), words('the password was verified'));
  await unavailable(butFor(search, 3, mute), words('the groups of the user were searched'), groups);
});

broken('is mute before TLS, and within it', async () => {
  for (const mode of ['ldaps', 'startTls'])
    await unavailable(
      listen(() => {}),
      /did not answer within 1\.5 s while Weir connected/,
      { ldap: { tls: { mode } } },
    );
  const begins = fakeDirectory(({ id, operation }) => (operation === 0x77 ? result(id, 0x78) : undefined));
  await unavailable(begins, /did not answer within 1\.5 s while Weir connected/, {
    ldap: { tls: { mode: 'startTls' } },
  });
});

broken('is as slow as it may be, again and again', async () => {
  const slowly = fakeDirectory((request) => {
    setTimeout(() => request.socket.destroyed || request.socket.write(honest(request) ?? ''), 1000);
    return undefined;
  });
  await unavailable(slowly, /was not done within 2\.5 s, and was given up while/, groups, hastier);
});

broken('sends a byte now and then', async () => {
  const drip = fakeDirectory((request) => {
    const bytes = [...(honest(request) ?? [])];
    const timer = setInterval(() => {
      const next = bytes.shift();
      if (next === undefined || request.socket.destroyed) clearInterval(timer);
      else request.socket.write(Buffer.from([next]));
    }, 200);
    return undefined;
  });
  await unavailable(drip, /did not answer within 1\.5 s while Weir signed in/);
});

broken('cuts the connection, at any moment', async () => {
  const words = /(cut|closed) the connection while /;
  await unavailable(
    listen((socket) => socket.resetAndDestroy()),
    words,
  );
  await unavailable(
    listen((socket) => socket.end()),
    words,
  );
  const ways: ((request: Request) => Buffer | undefined)[] = [
    ({ socket }) => void socket.resetAndDestroy(),
    ({ socket }) => void socket.end(),
    (request) =>
      void request.socket.write(honest(request)?.subarray(0, 9) ?? '', () => request.socket.resetAndDestroy()),
    (request) => void request.socket.end(honest(request)?.subarray(0, 9) ?? ''),
  ];
  for (const way of ways)
    for (const [operation, nth] of [
      [bind, 1],
      [search, 1],
      [bind, 2],
      [search, 2],
    ] as const)
      await unavailable(butFor(operation, nth, way), words, groups);
  for (const way of ways) await unavailable(fakeDirectory(way), words, { ldap: { tls: { mode: 'startTls' } } });
  for (const way of [(socket: Socket) => socket.resetAndDestroy(), (socket: Socket) => socket.end()])
    await unavailable(
      listen((socket) => socket.once('data', () => way(socket))),
      words,
      { ldap: { tls: { mode: 'ldaps' } } },
    );
});

broken('agrees to TLS, and goes', async () => {
  const tls = { ldap: { tls: { mode: 'startTls' } } };
  const words = /(cut|closed) the connection while Weir connected/;
  await unavailable(
    fakeDirectory(({ id, socket }) => void socket.end(result(id, 0x78))),
    words,
    tls,
  );
  await unavailable(
    fakeDirectory(({ id, socket }) => void socket.write(result(id, 0x78), () => socket.resetAndDestroy())),
    words,
    tls,
  );
});

broken('says that it leaves', async () => {
  const notice = message(
    0,
    part(0x78, part(0x0a, Buffer.from([52])), part(0x04, ''), part(0x04, ''), part(0x8a, '1.3.6.1.4.1.1466.20036')),
  );
  await unavailable(
    butFor(search, 1, () => notice),
    /closed the connection while the user was searched/,
  );
});

broken('is no directory', async () => {
  const answers = [
    'HTTP/1.1 400 Bad Request\r\n\r\n',
    '220 mail.example.com ESMTP\r\n',
    Buffer.alloc(1000),
    Buffer.alloc(1000, 0xff),
    Buffer.from([0x15, 3, 1, 0, 2, 2, 70]),
  ];
  for (const answer of answers.map((one) => Buffer.from(one))) {
    await unavailable(
      listen((socket) => socket.write(answer)),
      /sent something that is not LDAP while /,
    );
    await unavailable(
      listen((socket) => socket.end(answer)),
      /sent something that is not LDAP while /,
    );
    await unavailable(
      listen((socket) => socket.write(answer)),
      /TLS/,
      { ldap: { tls: { mode: 'ldaps' } } },
    );
    await unavailable(
      listen((socket) => socket.write(answer)),
      /not LDAP/,
      { ldap: { tls: { mode: 'startTls' } } },
    );
  }
});

broken('lies about lengths', async () => {
  const id = 3;
  const claims: [string, Buffer, RegExp][] = [
    ['two gigabytes', Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 2, 1, id]), /sent more than it was asked for/],
    ['a negative length', Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 2, 1, id]), /sent more than/],
    ['no end', Buffer.from([0x30, 0x80, 2, 1, id, 0x65, 0x80]), /not LDAP/],
    ['nine bytes of length', Buffer.from([0x30, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1]), /not LDAP/],
    [
      'a referral that is longer than its message',
      Buffer.from([0x30, 0x09, 2, 1, id, 0x73, 0x84, 0x7f, 0xff, 0xff, 0xff]),
      /not LDAP/,
    ],
    ['an entry without attributes', message(id, part(0x64, part(4, 'uid=a,dc=b'))), /not LDAP/],
    [
      'attributes that are longer than their entry',
      message(id, part(0x64, part(4, 'uid=a'), Buffer.from([0x30, 0x7f]))),
      /not LDAP/,
    ],
    [
      'a value that is longer than its set',
      message(
        id,
        part(0x64, part(4, 'uid=a'), part(0x30, part(0x30, part(4, 'mail'), part(0x31, Buffer.from([4, 0x50, 65]))))),
      ),
      /not LDAP/,
    ],
    [
      'controls that do not end',
      message(id, part(0x65, part(0x0a, Buffer.from([0])), part(4, ''), part(4, '')), part(0xa0, Buffer.from([0x30]))),
      /not LDAP/,
    ],
    [
      'controls within the result',
      message(id, part(0x65, part(0x0a, Buffer.from([0])), part(4, ''), part(4, ''), part(0xa0, Buffer.from([0x30])))),
      /not LDAP/,
    ],
    ['a number of nine bytes', part(0x30, part(2, Buffer.alloc(9, 1)), part(0x65)), /not LDAP/],
    ['an empty message', Buffer.from([0x30, 0]), /not LDAP/],
    ['another operation', message(id, part(0x69, part(0x0a, Buffer.from([0])), part(4, ''), part(4, ''))), /not LDAP/],
  ];
  for (const [, bytes, words] of claims)
    for (const [operation, nth] of [
      [bind, 1],
      [search, 1],
      [search, 2],
    ] as const)
      await unavailable(
        butFor(operation, nth, () => bytes),
        words,
        groups,
      );
});

broken('answers something else than what was asked', async () => {
  const wrong: ((request: Request) => Buffer)[] = [
    ({ id }) => result(id + 1, 0x61),
    ({ id }) => message(id, part(0x73, part(4, 'ldap://elsewhere'))),
    ({ id }) => result(id, 0x78),
    ({ id }) => result(id, 0x61),
  ];
  for (const answer of wrong) await unavailable(butFor(search, 1, answer), /while the user was searched/);
});

broken('tells no end of entries', async () => {
  const floods: ((id: number) => Buffer)[] = [
    (id) => found(id, ann.dn, { mail: ann.mail, uid: ann.uid }),
    (id) => found(id, ann.dn, { cn: 'x'.repeat(50_000) }),
    (id) => message(id, part(0x73, part(4, 'ldap://elsewhere'))),
    (id) => message(id, part(0x64, part(4, ''), part(0x30))),
  ];
  for (const flood of floods)
    for (const nth of [1, 2]) {
      let poured = 0;
      const endless = butFor(search, nth, ({ id, socket }) => {
        const one = flood(id);
        const chunk = Buffer.concat(Array.from({ length: Math.ceil(60_000 / one.length) }, () => one));
        const pour = () => {
          if (socket.destroyed) return;
          poured += chunk.length;
          socket.write(chunk, () => setImmediate(pour));
        };
        pour();
        return undefined;
      });
      await unavailable(endless, /(sent more than it was asked for|did not answer within 1\.5 s) while/, groups);
      // What was taken, and what the system holds for both ends.
      assert.ok(poured < defaultLimits.bytes + 8 * 1024 * 1024, `${poured} bytes`);
    }
});

broken('tells no end of pages', async () => {
  let page = 0;
  const endless = fakeDirectory((request) => {
    if (request.operation !== search) return honest(request);
    page += 1;
    // The user, and who else has their mail.
    if (page <= 2) return honest(request);
    return Buffer.concat([
      found(request.id, `cn=${page}`, { cn: `${page}` }),
      result(request.id, 0x65, 0, '', nextPage(`${page}`)),
    ]);
  });
  await unavailable(endless, /sent more than it was asked for|was not done within 2\.5 s/, groups, hastier);
});

broken('ends a search at a limit with one entry, though more may match', async () => {
  const limit = ({ id }: Request) => Buffer.concat([found(id, ann.dn, { mail: ann.mail }), result(id, 0x65, 4)]);
  await unavailable(
    butFor(search, 1, limit),
    /stopped at its limit while the user was searched.*\(sizeLimitExceeded, 4\)/,
  );
  await unavailable(butFor(search, 3, limit), /stopped at its limit before it had told all groups/, groups);
});

broken('shows a group without its name', async () => {
  const nameless = ({ id }: Request) => Buffer.concat([found(id, 'cn=a', {}), result(id, 0x65)]);
  await unavailable(butFor(search, 3, nameless), /shows a group without its name: let ldap\.username read/, groups);
});

broken('answers with an entry that has no DN', async () => {
  const nameless = ({ id }: Request) => Buffer.concat([found(id, '', { mail: ann.mail }), result(id, 0x65)]);
  await unavailable(butFor(search, 1, nameless), /an entry that has no DN/);
});

broken('answers with any error', async () => {
  for (const code of [1, 2, 3, 7, 8, 10, 11, 12, 13, 14, 51, 52, 54, 80, 118]) {
    const failing = (operation: number) => (request: Request) =>
      result(request.id, operation, code, 'the-password-of-ann');
    await unavailable(butFor(bind, 1, failing(0x61)), /./);
    await unavailable(butFor(search, 1, failing(0x65)), /./);
    await unavailable(butFor(bind, 2, failing(0x61)), /./);
    await unavailable(butFor(search, 3, failing(0x65)), /./, groups);
  }
});

broken('repeats the password that it was shown', async () => {
  const echo = ({ id, bytes }: Request) => result(id, 0x61, 49, bytes.toString('latin1'));
  const fake = await butFor(bind, 2, echo);
  const service = await butFor(bind, 1, echo);
  fakes.push(fake, service);
  assert.is((await signIn(fake.address, {}, patient)).outcome, 'refused');
  assert.is((await signIn(service.address)).outcome, 'unavailable');
});

broken('puts an answer in clear before TLS begins, to be read as if it came by TLS', async () => {
  const forged = [result(2, 0x61), result(2, 0x61).subarray(0, 13), Buffer.from([0x30])];
  for (const rest of forged) {
    const between = fakeDirectory(({ id, operation }) =>
      operation === 0x77 ? Buffer.concat([result(id, 0x78), rest]) : undefined,
    );
    await unavailable(between, /sent something unprotected where TLS had to begin/, {
      ldap: { tls: { mode: 'startTls' } },
    });
  }
});

broken('holds up only so many sign-ins', async () => {
  const fake = await listen(() => {});
  fakes.push(fake);
  const outcomes = await Promise.all(Array.from({ length: 70 }, () => signIn(fake.address)));
  const told = outcomes.filter(({ reason }) =>
    reason.startsWith(`64 sign-ins wait for the directory ${fake.address} already`),
  );
  assert.is(told.length, 6);
  assert.is((await signIn(fake.address)).outcome, 'unavailable');
});

broken('holds up nobody at another', async () => {
  const [mute, works] = [await listen(() => {}), await fakeDirectory(honest)];
  fakes.push(mute, works);
  const held = Array.from({ length: 70 }, () => signIn(mute.address));
  assert.is((await signIn(works.address, {}, patient)).outcome, 'proved');
  await Promise.all(held);
});

broken.run();

const odd = suite('a directory with ways of its own');
odd.after.each(async () => {
  await Promise.all(fakes.map((fake) => fake.stop()));
  fakes.length = 0;
});

odd('may give a page without entries, and go on', async () => {
  const pages = [['a'], [], ['b', 'c'], []];
  let page = -3;
  const fake = await fakeDirectory((request) => {
    const { id, operation } = request;
    if (operation !== search) return honest(request);
    page += 1;
    if (page < 0) return honest(request);
    const entries = (pages[page] ?? []).map((cn) => found(id, `cn=${cn}`, { CN: cn }));
    const more = page + 1 < pages.length ? [nextPage(`${page}`)] : [];
    return Buffer.concat([...entries, result(id, 0x65, 0, '', ...more)]);
  });
  fakes.push(fake);
  const answer = await patient.authenticate(configuration({ server: fake.address, ...groups }), {
    username: 'ann',
    password: 'x',
  });
  assert.equal('identity' in answer && answer.identity.groups, ['a', 'b', 'c']);
});

odd('tells why an account may not sign in, as Active Directory does', async () => {
  const data = { '52e': /the password is wrong/, '533': /the account is disabled/, '775': /the account is locked/ };
  for (const [cause, words] of Object.entries(data)) {
    const text = `80090308: LdapErr: DSID-0C090447, comment: AcceptSecurityContext error, data ${cause}, v3839\0`;
    const fake = await butFor(bind, 2, ({ id }) => result(id, 0x61, 49, text));
    fakes.push(fake);
    const { outcome, reason } = await signIn(fake.address, {}, patient);
    assert.is(outcome, 'refused');
    assert.match(reason, words);
  }
});

odd('refuses one account, and is not taken for broken', async () => {
  for (const code of [19, 32, 48, 49, 50, 53]) {
    const fake = await butFor(bind, 2, ({ id }) => result(id, 0x61, code));
    fakes.push(fake);
    assert.is((await signIn(fake.address, {}, patient)).outcome, 'refused', `${code}`);
  }
});

odd('writes attributes as it likes, and values that are no text', async () => {
  const attributes = {
    MAIL: 'Ann@Example.com',
    SAMAccountName: 'ANN',
    displayName: '\xff\xfe',
    CN: 'Ann',
    dn: 'cn=evil',
    __proto__: 'x',
  };
  const fake = await fakeDirectory((request) => {
    const { id, operation } = request;
    if (operation !== search) return honest(request);
    return Buffer.concat([found(id, ann.dn, attributes), result(id, 0x65)]);
  });
  fakes.push(fake);
  const answer = await patient.authenticate(configuration({ server: fake.address }), {
    username: 'ann',
    password: 'x',
  });
  assert.is('identity' in answer && answer.identity.email, 'ann@example.com', JSON.stringify(answer));
});

odd('gives names that do not fit a line', async () => {
  const attributes = {
    mail: ann.mail,
    uid: ' \n ',
    cn: 'a\u202eb\n\u2028c',
    displayName: `${'x'.repeat(254)}\u{1f600}`,
  };
  const fake = await butFor(search, 1, ({ id }) => Buffer.concat([found(id, ann.dn, attributes), result(id, 0x65)]));
  fakes.push(fake);
  const answer = await patient.authenticate(configuration({ server: fake.address }), {
    username: 'ann',
    password: 'x',
  });
  assert.equal('identity' in answer && answer.identity, {
    email: ann.mail,
    username: 'a b c',
    displayName: `${'x'.repeat(254)}\ufffd`,
  });
});

odd('has addresses whose letters turn into others in lower case', async () => {
  for (const mail of ['\u212Aim@example.com', 'ann@e\u0130xample.com', 'ann@\u212Aexample.com']) {
    const fake = await butFor(search, 1, ({ id }) => Buffer.concat([found(id, ann.dn, { mail }), result(id, 0x65)]));
    fakes.push(fake);
    assert.is((await signIn(fake.address, {}, patient)).outcome, 'refused', mail);
  }
});

odd.run();
