// How long sessions last: their end, unused time, in the units that they say, and whom they stop to serve.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { browser, login, platform, put, treeWith } from './people.ts';
import { type ServerWorld, start, startWorld } from './world.ts';

interface Context {
  world: ServerWorld;
}

const sessions = suite<Context>('a session');
sessions.before.each(async (context) => {
  const short = platform('  sessions: {expiryHours: 5, idleHours: 2}\n');
  context.world = await startWorld({ ...treeWith([]), 'weir.yaml': short });
  await put(context.world.store, 'bea');
});
sessions.after.each(({ world }) => world.close());

const hours = (count: number) => new Date(Date.parse(start) + count * 3_600_000).toISOString();
const opens = async ({ ask }: ServerWorld, headers: Readonly<Record<string, string>>) =>
  (await ask('GET', '/api/v1/stacks', { as: 'none', headers })).status === 200;

sessions('ends after so many hours, however much it is used', async ({ world }) => {
  const here = browser(await login(world, 'bea'));
  for (const hour of [1.5, 3, 4.5, 4.9999]) {
    world.setNow(hours(hour));
    assert.ok(await opens(world, here), String(hour));
  }
  world.setNow(hours(5));
  assert.not(await opens(world, here));
  assert.is(world.store.read().count('Session'), 0, 'it is gone');
});

sessions('ends when it was not used for so many hours', async ({ world }) => {
  const here = browser(await login(world, 'bea'));
  world.setNow(hours(0.9));
  assert.ok(await opens(world, here));
  world.setNow(hours(2.8999));
  assert.ok(await opens(world, here), 'the use before is what counts, before it is kept');
  // Its five hours are not over: that it was not used is all that ends it.
  world.setNow(hours(4.8999));
  assert.not(await opens(world, here));
});

sessions('is as long as it was promised, when the Platform says something else later', async ({ world }) => {
  const here = browser(await login(world, 'bea'));
  const { expiresAt, idleHours } = [...world.store.read().all('Session')][0]?.spec ?? {};
  assert.equal([expiresAt, idleHours], [hours(5), 2]);
  assert.ok(await opens(world, here));
});

sessions('outlives a clock that is set back, and gains nothing by it', async ({ world }) => {
  const here = browser(await login(world, 'bea'));
  world.setNow(hours(-24));
  assert.ok(await opens(world, here));
  world.setNow(hours(1));
  assert.ok(await opens(world, here));
  world.setNow(hours(5));
  assert.not(await opens(world, here));
});

sessions('serves nobody who is suspended, from that moment on', async ({ world }) => {
  const here = browser(await login(world, 'bea'));
  assert.is((await world.ask('PUT', '/api/v1/users/bea', { body: { suspended: true } })).status, 200);
  assert.not(await opens(world, here));
  assert.is(world.store.read().count('Session'), 0);
  assert.is((await login(world, 'bea')).status, 401);
});

sessions('opens nothing by a value that has not its form, or is another’s', async ({ world }) => {
  await login(world, 'bea');
  for (const value of ['', 'x', 'x'.repeat(40), '%00', `${'x'.repeat(39)}-`])
    assert.not(await opens(world, { cookie: `weir_session=${value}` }), value);
});

sessions('is one of at most a hundred: the oldest ends', async ({ world }) => {
  const first = browser(await login(world, 'bea'));
  const template = [...world.store.read().all('Session')][0];
  assert.ok(template);
  if (template) {
    const more = Array.from({ length: 99 }, (_, index) => ({
      ...template,
      id: `more-${index}`,
      name: `more-${index}`,
      createdAt: hours(1),
      spec: { ...template.spec, hash: String(index).padStart(64, '0') },
    }));
    const changes = more.map((session) => ({
      kind: 'Session' as const,
      id: session.id,
      before: undefined,
      after: session,
    }));
    await world.store.commit(() => ({ changes }), { id: 'more' });
  }
  assert.ok(await opens(world, first));
  await login(world, 'bea');
  assert.not(await opens(world, first));
  assert.is(world.store.read().count('Session'), 100);
});

sessions.run();
