// Setting a lost password anew over HTTP: the same answer for everybody, a link that works once, and what it ends.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditOf, browser, counting, login, password, put, ssoDocuments, tokenIn, treeWith } from './people.ts';
import { type ServerWorld, start, startWorld } from './world.ts';

interface Context {
  world: ServerWorld;
}

const recovery = suite<Context>('a lost password');
recovery.before.each(async (context) => {
  context.world = await startWorld(treeWith(['passwordReset'], { 'sso.yaml': ssoDocuments }));
  await put(context.world.store, 'bea');
});
recovery.after.each(({ world }) => world.close());

const later = (seconds: number) => new Date(Date.parse(start) + seconds * 1000).toISOString();
const forgot = ({ ask }: ServerWorld, email = 'bea@people.example') =>
  ask('POST', '/account/forgot-password', { as: 'none', body: { email } });
const reset = ({ ask }: ServerWorld, token: string, fresh = 'a better password') =>
  ask('POST', '/account/reset-password', { as: 'none', body: { token, password: fresh } });

recovery('is set anew by the link in a mail; every session ends, and the lock', async ({ world }) => {
  const here = browser(await login(world, 'bea'));
  for (let n = 0; n < 5; n += 1) await login(world, 'bea', 'wrong');
  await forgot(world);
  const token = tokenIn(world, 'bea@people.example');
  assert.match(world.mails[0]?.text ?? '', `http://weir.example/account/reset-password?token=${token}\n`);
  const { status, body, headers } = await reset(world, token);
  assert.equal([status, body.username, headers['set-cookie']], [200, 'bea', undefined]);
  assert.is((await world.ask('GET', '/api/v1/stacks', { as: 'none', headers: here })).status, 401);
  assert.is((await login(world, 'bea')).status, 401, 'the old one');
  assert.is((await login(world, 'bea', 'a better password')).status, 200);
  assert.match(world.mails[1]?.text ?? '', /password of the account "bea" was changed/);
});

recovery('is answered alike for everybody, and mailed to whom it helps', async ({ world }) => {
  await put(world.store, 'eva', { suspended: true });
  await put(world.store, 'cora', { email: 'cora@corp.example' });
  const answers = [];
  for (const email of ['bea@people.example', 'nobody@people.example', 'eva@people.example', 'cora@corp.example']) {
    const before = Number(world.store.read().position);
    answers.push(await forgot(world, email));
    assert.is(Number(world.store.read().position) - before, 1, 'a commit each, so that each takes as long');
  }
  answers.push(await forgot(world, 'BEA@people.example'));
  for (const { status, text } of answers) assert.equal([status, text], [200, answers[0]?.text]);
  assert.equal(
    world.mails.map(({ to }) => to),
    ['bea@people.example'],
    'the second one within a minute is not sent',
  );
  world.setNow(later(60));
  await forgot(world);
  assert.is(world.mails.length, 2);
});

recovery('is set once by a link, however often it is tried at the same time', async ({ world }) => {
  await forgot(world);
  const token = tokenIn(world, 'bea@people.example');
  const answers = await Promise.all([1, 2, 3, 4].map((n) => reset(world, token, `a better password ${n}`)));
  assert.equal(answers.map(({ status }) => status).sort(), [200, 400, 400, 400]);
  assert.is((await reset(world, token)).status, 400);
});

recovery('is not set by a link that is over, wrong, or for something else, nor without a good password', async () => {
  const passwords = counting();
  const world = await startWorld(treeWith(['passwordReset', 'registration']), { passwords });
  await put(world.store, 'bea');
  await forgot(world);
  const token = tokenIn(world, 'bea@people.example');
  const weak = await reset(world, token, 'short');
  assert.equal([weak.status, weak.body.violations[0].path], [400, '/password']);
  const { status, body } = await reset(world, 'x'.repeat(40));
  assert.equal([status, body.code], [400, 'invalid_request']);
  await world.ask('POST', '/account/register', {
    as: 'none',
    body: { username: 'noa', email: 'noa@people.example', password },
  });
  assert.is((await reset(world, tokenIn(world, 'noa@people.example'))).status, 400, 'a link that verifies');
  world.setNow(later(30 * 60));
  assert.is((await reset(world, token)).status, 400);
  assert.is(passwords.asked().hash, 1, 'only that of who registered was worth hashing');
  await world.close();
});

recovery('is forgotten by links that were mailed before the password or the address changed', async ({ world }) => {
  await forgot(world);
  const token = tokenIn(world, 'bea@people.example');
  const bea = world.store.read().get('User', 'bea');
  assert.ok(bea);
  const body = { email: 'bea@elsewhere.example', reason: 'She moved.' };
  assert.is((await world.ask('PUT', '/api/v1/users/bea', { body })).status, 200);
  assert.is((await reset(world, token)).status, 400);
});

recovery('is not offered where the setting is off, to nobody', async () => {
  const world = await startWorld(treeWith([]));
  await put(world.store, 'bea');
  for (const email of ['bea@people.example', 'nobody@people.example']) {
    const { status, body } = await forgot(world, email);
    assert.equal([status, body.code], [403, 'forbidden']);
  }
  assert.is((await reset(world, 'x'.repeat(40))).status, 403);
  await world.close();
});

recovery('leaves its traces, and no secret', async ({ world }) => {
  await forgot(world);
  await forgot(world, 'nobody@people.example');
  const token = tokenIn(world, 'bea@people.example');
  await reset(world, token);
  const log = await auditOf(world.store);
  assert.equal(log.slice(-4), [
    'action-token.created - bea',
    'password-reset.ignored - -',
    'user.updated - bea',
    'action-token.deleted - bea',
  ]);
  assert.not.match(JSON.stringify(await world.store.records({ stream: 'audit', limit: 100 })), token);
});

recovery.run();
