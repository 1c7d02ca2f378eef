// Signing in by a directory (LDAP) over HTTP: who is asked, who is let in, what is counted, and what is told to nobody.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { updated } from '../../src/core/model/change.ts';
import type { Identity } from '../../src/core/model/identity.ts';
import { until } from '../support/until.ts';
import { secret, type TestDirectory, testDirectory } from './directory-world.ts';
import { auditOf, browser, login, password, put, ssoDocuments, treeWith } from './people.ts';
import { type Asked, type ServerWorld, start, startWorld } from './world.ts';

interface Context {
  world: ServerWorld;
  directory: TestDirectory;
}

const later = (seconds: number) => new Date(Date.parse(start) + seconds * 1000).toISOString();
const dan: Identity = { email: 'dan@dir.example', username: 'dan', displayName: 'Dan', groups: [] };
const fay: Identity = { email: 'fay@dir.example', username: 'fay', groups: ['svc-starters-member'] };
const dora: Identity = { email: 'dora@dir.example', username: 'dora' };

const inAWorld = (name: string, documents = ssoDocuments) => {
  const tests = suite<Context>(name);
  tests.before.each(async (context) => {
    context.directory = testDirectory(dan, fay, dora);
    const files = treeWith([], { 'sso.yaml': documents });
    context.world = await startWorld(files, { directory: context.directory });
    const { store } = context.world;
    await put(store, 'bea');
    await put(store, 'dan', { email: 'dan@dir.example' });
    await put(store, 'dora', { email: 'dora@dir.example', admin: true });
  });
  tests.after.each(({ world }) => world.close());
  return tests;
};
const sessions = ({ store }: ServerWorld) => [...store.read().all('Session')];
const told = ({ status, body, text }: Asked) => [status, body.code, text];

const asked = inAWorld('the directory');

asked('is asked for whoever types an address of its domain, known or not', async ({ world, directory }) => {
  const { status, body } = await login(world, 'DAN@dir.example', secret);
  assert.equal([status, body.id, body.ssoManaged, body.lastSignInAt], [200, 'dan', true, start]);
  assert.is((await login(world, 'who@dir.example', secret)).status, 401);
  assert.equal(directory.asked, ['dir DAN@dir.example', 'dir who@dir.example']);
});

asked('is asked for a username by the domain of whom it names', async ({ world, directory }) => {
  assert.is((await login(world, 'dan', secret)).body.id, 'dan');
  assert.is((await login(world, 'bea', secret)).status, 401);
  assert.is((await login(world, 'bea')).status, 200);
  assert.equal(directory.asked, ['dir dan']);
});

asked('is asked for a username that nobody has, while it is the only one', async ({ world, directory }) => {
  const { status, body } = await login(world, 'fay', secret);
  assert.equal([status, body.username, body.email], [200, 'fay', 'fay@dir.example']);
  assert.equal(directory.asked, ['dir fay']);
  const two = ssoDocuments + ssoDocuments.split('---')[1]?.replaceAll('dir', 'two').replace(/^/, '---');
  const files = treeWith([], { 'sso.yaml': two });
  const other = await startWorld(files, { directory });
  assert.is((await login(other, 'fay', secret)).status, 401);
  assert.is((await login(other, 'fay@dir.example', secret)).status, 200);
  assert.equal(directory.asked, ['dir fay', 'dir fay@dir.example']);
  await other.close();
});

asked('says who it is, whatever was typed', async ({ world, directory }) => {
  directory.people.set('alias', dan).set('alias@dir.example', dan);
  for (const typed of ['alias', 'alias@dir.example'])
    assert.is((await login(world, typed, secret)).body.id, 'dan', typed);
});

asked(
  'has each refusal logged as a warning, with the number of the answer and not what was typed',
  async ({ world, directory }) => {
    const last = (answer: Asked) => {
      const { 'x-request-id': id } = answer.headers;
      assert.is(typeof id, 'string');
      const line = world.warned.at(-1) ?? '';
      return line.replace(String(id), 'ID');
    };
    const begins = 'SsoConfig/dir refused a sign-in (request ID): ';
    assert.is(last(await login(world, 'dan', 'wrong')), `${begins}the password is wrong`);
    assert.is(last(await login(world, 'hunter2@dir.example', secret)), `${begins}the directory has no such user`);
    directory.people.set('mal@dir.example', { email: 'bea@people.example', groups: [] });
    assert.is(
      last(await login(world, 'mal@dir.example', secret)),
      `${begins}the address bea@people.example is not of dir.example, the domain of SsoConfig/dir`,
    );
    assert.not.match(world.logged.join(' '), /hunter2/);
  },
);

asked('is believed of its own domain alone', async ({ world, directory }) => {
  directory.people.set('mal@dir.example', { email: 'bea@people.example', groups: [] });
  assert.is((await login(world, 'mal@dir.example', secret)).status, 401);
  assert.equal(sessions(world), []);
  assert.is((await auditOf(world.store)).at(-1), 'sign-in.failed dir bea@people.example');
});

asked('takes the place of a local password', async ({ world }) => {
  for (const typed of ['dan', 'dan@dir.example']) assert.is((await login(world, typed, password)).status, 401, typed);
  assert.equal(sessions(world), []);
});

asked('gives a session that lasts as the configuration says, and a cookie', async ({ world }) => {
  const signedIn = await login(world, 'dan', secret);
  const self = await world.ask('GET', '/api/v1/user', { as: 'none', headers: browser(signedIn) });
  assert.equal([self.status, self.body.id], [200, 'dan']);
  assert.is(sessions(world)[0]?.spec.expiresAt, later(168 * 3600));
});

asked.run();

const short = inAWorld('hours of its own', `${ssoDocuments}  sessions: {expiryHours: 10, idleHours: 2}\n`);

short('end a session earlier', async ({ world }) => {
  const { headers } = await login(world, 'dan', secret);
  const [made] = sessions(world);
  assert.equal([made?.spec.expiresAt, made?.spec.idleHours], [later(10 * 3600), 2]);
  assert.match(String(headers['set-cookie']), /Expires=Sat, 21 Nov 2026 20:00:00 GMT/);
});

short.run();

const fresh = inAWorld('somebody who comes for the first time');

fresh('is made a user, in one commit with the session', async ({ world }) => {
  const before = Number(world.store.read().position);
  const { body } = await login(world, 'fay@dir.example', secret);
  assert.is(Number(world.store.read().position) - before, 1);
  assert.equal([body.username, body.createdAt, body.lastSignInAt], ['fay', start, start]);
  const log = (await auditOf(world.store)).slice(-2);
  assert.equal(log, ['user.created dir fay', 'sign-in.succeeded dir fay']);
});

fresh('is one user, however many times they try at the same time', async ({ world }) => {
  const answers = await Promise.all([1, 2, 3].map(() => login(world, 'fay@dir.example', secret)));
  assert.equal(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.is(new Set(answers.map(({ body }) => body.id)).size, 1);
  assert.is(sessions(world).length, 3);
});

fresh.run();

const closed = inAWorld('a directory that makes no users', ssoDocuments.replace('provisionNewUsers: true', ''));

closed('lets in whom it knows and we do not as little as a wrong password does', async ({ world }) => {
  const answers = [
    await login(world, 'fay@dir.example', secret),
    await login(world, 'fay@dir.example', 'wrong'),
    await login(world, 'dan@dir.example', 'wrong'),
    await login(world, 'nobody@dir.example', 'wrong'),
  ];
  for (const answer of answers) assert.equal(told(answer), told(answers[0] as Asked));
  assert.equal([answers[0]?.status, sessions(world).length], [401, 0]);
});

closed('tells administrators why, and what to do', async ({ world }) => {
  await login(world, 'fay@dir.example', secret);
  const { body } = await world.ask('GET', '/api/v1/admin/audit-log?event=sign-in&limit=1');
  const [entry] = body.auditEntries;
  assert.equal(entry.actor, { kind: 'sso', id: world.store.read().named('SsoConfig', 'dir')?.id, name: 'dir' });
  assert.match(
    entry.reason,
    /^through SsoConfig\/dir: no user has the address fay@dir.example, and .* make the user first/,
  );
});

closed.run();

const down = inAWorld('a directory that does not answer');

down.before.each(({ directory }) => {
  directory.state = 'down';
});

down('is 503 for everybody of the domain, and changes nothing', async ({ world, directory }) => {
  const before = world.store.read().position;
  const answers = await Promise.all(
    ['dan', 'dan@dir.example', 'nobody@dir.example', 'fay'].flatMap((typed) => [
      login(world, typed, secret),
      login(world, typed, password),
    ]),
  );
  for (const answer of answers) {
    assert.equal(told(answer), told(answers[0] as Asked));
    assert.equal([answer.status, answer.body.code, answer.headers['retry-after']], [503, 'unavailable', '5']);
  }
  assert.is(world.store.read().position, before);
  assert.is(directory.asked.length, 8);
  assert.match(world.logged.join('\n'), /SsoConfig\/dir could not ask its directory \(request \S+\): nothing listens/);
});

down('has told nothing that counts where the configuration was changed meanwhile', async ({ world, directory }) => {
  directory.state = 'up';
  let change: object = {};
  directory.before = async () => {
    const before = world.store.read().named('SsoConfig', 'dir');
    if (!before) return;
    const after = { ...before, generation: before.generation + 1, spec: { ...before.spec, ...change } };
    await world.store.commit(() => ({ changes: [updated(before, after)] }), { id: JSON.stringify(change) });
  };
  const groups = { manageRoles: true, scope: 'all', teams: [], allowOtherTeams: false };
  for (const [more, status] of [
    [{ groups }, 503],
    [{ ldap: { server: 'another:389' } }, 503],
    [{ active: false }, 401],
  ] as const) {
    change = more;
    assert.is((await login(world, 'dan@dir.example', secret)).status, status, JSON.stringify(more));
  }
  assert.equal(sessions(world), []);
  assert.match(world.logged.join('\n'), /was changed while its directory was asked/);
});

down('keeps no admin out who has a local password', async ({ world, directory }) => {
  for (const typed of ['dora', 'dora@dir.example']) assert.is((await login(world, typed)).body.id, 'dora');
  assert.equal(directory.asked, [], 'it was not asked');
  assert.is((await login(world, 'dora@dir.example', 'wrong')).status, 503);
});

down('keeps nobody of another domain out', async ({ world }) => {
  assert.is((await login(world, 'bea')).status, 200);
  assert.is((await login(world, 'bea@people.example', 'wrong')).status, 401);
});

down.run();

const admins = inAWorld('an admin of the domain');

admins('signs in by the local password or by that of the directory', async ({ world, directory }) => {
  assert.is((await login(world, 'dora')).status, 200);
  assert.is((await login(world, 'dora', secret)).status, 200);
  assert.equal(directory.asked, ['dir dora']);
});

admins('is locked by five wrong ones, of which each counts once', async ({ world, directory }) => {
  for (let n = 1; n <= 5; n += 1) await login(world, 'dora', 'wrong');
  assert.is(directory.asked.length, 5);
  for (const right of [password, secret]) assert.is((await login(world, 'dora@dir.example', right)).status, 401);
  assert.is(directory.asked.length, 5, 'it is not asked about who is locked');
  world.setNow(later(900));
  assert.is((await login(world, 'dora', secret)).status, 200);
});

admins.run();

const guesses = inAWorld('guessing');

guesses(
  'is answered alike, and the directory is asked five times, whether or not somebody has the name',
  async ({ world, directory }) => {
    for (const name of ['dan', 'ghost']) {
      directory.asked.length = 0;
      for (let n = 1; n <= 5; n += 1) assert.is((await login(world, `${name}@dir.example`, 'wrong')).status, 401);
      for (const typed of [`${name}@dir.example`, name, name.toUpperCase()])
        assert.is((await login(world, typed, secret)).status, 401);
      assert.is(directory.asked.length, 5, name);
    }
    world.setNow(later(899));
    assert.is((await login(world, 'dan', secret)).status, 401);
    world.setNow(later(900));
    assert.is((await login(world, 'dan', secret)).status, 200);
    await login(world, 'ghost@dir.example', secret);
    assert.is(directory.asked.at(-1), 'dir ghost@dir.example');
  },
);

guesses('is forgiven by a right one', async ({ world }) => {
  for (let n = 1; n <= 4; n += 1) await login(world, 'dan', 'wrong');
  assert.is(world.store.read().get('User', 'dan')?.spec.failedSignIns, 4);
  assert.is((await login(world, 'dan', secret)).status, 200);
  assert.is(world.store.read().get('User', 'dan')?.spec.failedSignIns, 0);
});

guesses(
  'at the same time asks the directory no more often, and lets nobody in who came too late',
  async ({ world, directory }) => {
    const tries = Array.from({ length: 20 }, (_, n) => login(world, 'dan', n < 19 ? `guess ${n}` : secret));
    const answers = await Promise.all(tries);
    assert.ok(directory.asked.length <= 5, String(directory.asked.length));
    assert.ok(answers.every(({ status }) => status === 401));
  },
);

guesses('with a right one under way leaves it its place among the five', async ({ world, directory }) => {
  const gate = Promise.withResolvers<void>();
  directory.before = () => (directory.asked.length === 1 ? gate.promise : Promise.resolve());
  const right = login(world, 'dan', secret);
  await until('the directory is asked', () => directory.asked.length > 0);
  for (let n = 1; n <= 9; n += 1) await login(world, 'dan', 'wrong');
  assert.is(directory.asked.length, 5);
  gate.resolve();
  assert.is((await right).status, 200);
});

guesses('has come too late where the account was locked meanwhile', async ({ world, directory }) => {
  directory.before = async () => {
    const dan = world.store.read().get('User', 'dan');
    if (!dan) return;
    const locked = { ...dan, spec: { ...dan.spec, lockedUntil: later(900) } };
    await world.store.commit(() => ({ changes: [updated(dan, locked)] }), { id: 'lock' });
  };
  assert.is((await login(world, 'dan', secret)).status, 401);
  assert.equal(sessions(world), []);
});

guesses(
  'by other names of somebody are counted on their account, and a lock of it holds for all of them',
  async ({ world, directory }) => {
    for (const alias of ['alias', 'employee 7']) directory.people.set(alias, dan);
    for (let n = 1; n <= 3; n += 1) await login(world, 'alias', 'wrong');
    for (let n = 1; n <= 2; n += 1) await login(world, 'employee 7', 'wrong');
    for (const typed of ['alias', 'employee 7', 'dan', 'dan@dir.example'])
      assert.is((await login(world, typed, secret)).status, 401, typed);
    world.setNow(later(900));
    assert.is((await login(world, 'employee 7', secret)).body.id, 'dan');
  },
);

guesses('by other names of somebody who has no account are counted together', async ({ world, directory }) => {
  for (const alias of ['alias', 'employee 8']) directory.people.set(alias, fay);
  for (let n = 1; n <= 3; n += 1) await login(world, 'alias', 'wrong');
  for (let n = 1; n <= 2; n += 1) await login(world, 'employee 8', 'wrong');
  for (const typed of ['fay', 'alias']) assert.is((await login(world, typed, secret)).status, 401, typed);
  assert.is(world.store.read().named('User', 'fay'), undefined);
  world.setNow(later(900));
  assert.is((await login(world, 'fay', secret)).status, 200);
});

guesses(
  'of one name in many spellings asks a directory five times, because that compares loosely',
  async ({ world, directory }) => {
    const spellings = ['ghost', 'GHOST', 'ｇhost', 'g host', 'ghóst', 'gho\u00adst', 'ghoﬆ'];
    for (const typed of spellings) await login(world, `${typed}@dir.example`, 'wrong');
    assert.is(directory.asked.length, 5);
  },
);

guesses('keeps nothing of what was typed where it is nobody', async ({ world }) => {
  await login(world, 'my-password-by-mistake@dir.example', 'wrong');
  const records = await world.store.records({ stream: 'audit', limit: 1 });
  assert.not.match(JSON.stringify(records), /mistake/);
  assert.match(JSON.stringify(records), /sign-in.failed/);
});

guesses('does not show who is suspended', async ({ world, directory }) => {
  await put(world.store, 'sue', { email: 'sue@dir.example', suspended: true });
  directory.people.set('sue@dir.example', { email: 'sue@dir.example' });
  assert.equal(
    told(await login(world, 'sue@dir.example', secret)),
    told(await login(world, 'sue@dir.example', 'wrong')),
  );
  assert.is(directory.asked.length, 2);
  for (let n = 1; n <= 9; n += 1) await login(world, 'sue', 'wrong');
  assert.is(directory.asked.length, 6, 'one wrong one before, and four');
});

guesses.run();
