// The channel of a device: what its agent is told, when, and what it says.
import { setImmediate as turn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { updated } from '../../src/core/model/change.ts';
import { type Asked, type ServerWorld, start, startWorld, tree } from './world.ts';

interface Context {
  world: ServerWorld;
}

const channel = suite<Context>('the channel of a device');
channel.before.each(async (context) => {
  context.world = await startWorld({ ...tree, 'weir.yaml': `${tree['weir.yaml']}  email: {from: weir@example.com}\n` });
  await context.world.putDevices();
});
channel.after.each(({ world }) => world.close());

const asDevice = (world: ServerWorld, query = '', headers = {}): Promise<Asked> =>
  world.ask('GET', `/api/v1/device${query}`, { as: 'device', headers });
const put = (world: ServerWorld, body: object) => world.ask('PUT', '/api/v1/devices/gateway', { body });

/** A request that waits for the device to become something else than it is; and whether it was answered. */
async function waiting(world: ServerWorld, headers = {}) {
  const etag = String((await asDevice(world)).headers.etag);
  let ended = false;
  const answer = asDevice(world, '?wait=60', { 'if-none-match': etag, ...headers }).finally(() => {
    ended = true;
  });
  // Requests that were sent before others of its kind are under way.
  for (let turns = 0; turns < 20; turns += 1) await turn();
  await asDevice(world);
  return { answer, isEnded: () => ended, etag };
}

channel('tells what the device should be', async ({ world }) => {
  const { status, body } = await asDevice(world);
  assert.is(status, 200);
  assert.match(body.settings, /^[\w-]{22}$/);
  const nothing = { targetSnapshot: null, autoSnapshot: false, snapshotRequest: null };
  assert.equal(
    { ...body, settings: '' },
    { id: 'gateway', name: 'Gateway', mode: 'autonomous', settings: '', ...nothing },
  );
});

channel('answers at once what has changed, and 304 what has not', async ({ world }) => {
  const etag = String((await asDevice(world)).headers.etag);
  assert.is((await asDevice(world, '', { 'if-none-match': etag })).status, 304);
  await put(world, { mode: 'developer' });
  const changed = await asDevice(world, '?wait=60', { 'if-none-match': etag });
  assert.equal([changed.status, changed.body.mode], [200, 'developer']);
  assert.is((await asDevice(world, '?wait=60')).status, 200, 'who knows nothing does not wait');
  assert.is((await asDevice(world, '?wait=60', { 'if-none-match': '*' })).status, 304, 'a star is nothing to wait for');
});

channel('keeps whoever knows it waiting, until something about this device changes', async ({ world }) => {
  const { answer, isEnded } = await waiting(world);
  await world.ask('PUT', '/api/v1/teams/core', { body: { name: 'Core team' } });
  await world.ask('POST', '/api/v1/teams/core/devices', { body: { name: 'Another' } });
  await world.ask('POST', '/api/v1/device/check-in', { as: 'device', body: { state: 'running' } });
  await asDevice(world);
  assert.not(isEnded(), 'what is not about it, or only what it said itself, is no news');
  await put(world, { environment: [{ name: 'HALL', value: '7' }] });
  const { status, body } = await answer;
  assert.equal([status, body.mode], [200, 'autonomous']);
  const settings = await world.ask('GET', '/api/v1/device/settings', { as: 'device' });
  assert.equal(settings.body, { environment: [{ name: 'HALL', value: '7' }], credentialSecret: 'quiet' });
});

channel('leaves out variables that steer the process, which were set before there was a rule', async ({ world }) => {
  const given = (name: string) => ({ name, value: 'x' });
  const old = [given('NODE_OPTIONS'), given('HALL'), given('LD_PRELOAD'), given('TZ')];
  await world.store.commit(
    (view) => {
      const device = view.get('Device', 'gateway');
      return { changes: device ? [updated(device, { ...device, spec: { ...device.spec, environment: old } })] : [] };
    },
    { id: 'before-the-rule' },
  );
  const { body } = await world.ask('GET', '/api/v1/device/settings', { as: 'device' });
  assert.equal(body.environment, [given('HALL'), given('TZ')]);
  assert.is((await put(world, { name: 'Gate' })).status, 200, 'nothing else is held up by them');
  const refused = await put(world, { environment: [given('PATH')] });
  assert.equal([refused.status, refused.body.violations[0].rule], [409, 'reserved-variable']);
});

channel('knows a tag that a proxy made weak', async ({ world }) => {
  const etag = String((await asDevice(world)).headers.etag);
  const { answer, isEnded } = await waiting(world, { 'if-none-match': `W/${etag}` });
  assert.not(isEnded());
  await put(world, { name: 'Gate' });
  assert.is((await answer).status, 200);
});

channel('answers 304 when the time is over', async ({ world }) => {
  const etag = String((await asDevice(world)).headers.etag);
  const { status, headers } = await asDevice(world, '?wait=1', { 'if-none-match': etag });
  assert.equal([status, headers.etag], [304, etag]);
});

channel('turns away who waits when the device is deleted, or gets another token', async ({ world }) => {
  const first = await waiting(world);
  await world.ask('POST', '/api/v1/devices/gateway/token');
  assert.is((await first.answer).status, 401);
  const made = await world.ask('POST', '/api/v1/teams/core/devices', { body: { name: 'Two' } });
  const headers = { authorization: `Bearer ${made.body.token}` };
  const ask = (more = {}, query = '') =>
    world.ask('GET', `/api/v1/device${query}`, { as: 'none', headers: { ...headers, ...more } });
  const etag = String((await ask()).headers.etag);
  const second = ask({ 'if-none-match': etag }, '?wait=60');
  await ask();
  await world.ask('DELETE', `/api/v1/devices/${made.body.id}`);
  assert.is((await second).status, 401);
});

channel('lets the one go that came first when more wait for a device than may', async ({ world }) => {
  const first = await waiting(world);
  const others = [await waiting(world), await waiting(world), await waiting(world)];
  assert.not(first.isEnded());
  const last = await waiting(world);
  assert.is((await first.answer).status, 304);
  assert.not([...others, last].some(({ isEnded }) => isEnded()));
  await put(world, { mode: 'developer' });
  for (const { answer } of [...others, last]) assert.is((await answer).status, 200);
});

channel('takes a tag that is none of its own for nothing known', async ({ world }) => {
  for (const tag of ['"nonsense"', 'W/"x"', '""', '"a", "b"', 'x'.repeat(2000), '"x'])
    assert.is((await asDevice(world, '?wait=60', { 'if-none-match': tag })).status, 200, tag);
});

channel('lets all go when the server closes', async ({ world }) => {
  const many = await Promise.all(Array.from({ length: 4 }, () => waiting(world)));
  assert.ok(many.every(({ isEnded }) => !isEnded()));
  const began = performance.now();
  await world.app.close();
  for (const { answer } of many) assert.is((await answer).status, 304);
  assert.ok(performance.now() - began < 20_000, 'nobody waits for the minute to be over');
});

channel('lets all go over real connections, too, so that a stop takes no longer for them', async ({ world }) => {
  const url = `${await world.app.listen({ port: 0, host: '127.0.0.1' })}/api/v1/device`;
  const authorization = `Bearer ${world.tokens.device}`;
  const etag = String((await fetch(url, { headers: { authorization } })).headers.get('etag'));
  const answers = Array.from({ length: 4 }, () =>
    fetch(`${url}?wait=60`, { headers: { authorization, 'if-none-match': etag } }),
  );
  await fetch(url, { headers: { authorization } });
  const began = performance.now();
  await world.app.close();
  // One that came when the server was closing already is told so, or that nobody listens any more.
  for (const answer of await Promise.allSettled(answers))
    if (answer.status === 'fulfilled') assert.ok([304, 503].includes(answer.value.status), String(answer.value.status));
  assert.ok(performance.now() - began < 30_000);
});

channel('shows what the agent said, and that it is not heard of any more', async ({ world }) => {
  const look = async () => (await world.ask('GET', '/api/v1/devices/gateway')).body;
  assert.equal([(await look()).status, (await look()).lastSeenAt], ['unknown', null]);
  const said = { state: 'running', activeSnapshot: 'gone', agentVersion: '1.0.0', runtimeVersion: '4.1.15' };
  const say = () => world.ask('POST', '/api/v1/device/check-in', { as: 'device', body: said });
  assert.equal([(await say()).status, (await say()).body.id], [200, 'gateway']);
  const { status, lastSeenAt, agentVersion, runtimeVersion } = await look();
  assert.equal([status, lastSeenAt, agentVersion, runtimeVersion], ['running', start, '1.0.0', '4.1.15']);
  const before = world.store.read().position;
  await say();
  assert.is(world.store.read().position, before, 'saying the same again writes nothing');
  world.setNow('2026-11-21T10:03:00.000Z');
  assert.is((await look()).status, 'running');
  world.setNow('2026-11-21T10:03:00.001Z');
  assert.equal([(await look()).status, (await look()).agentVersion], ['offline', '1.0.0']);
  const entries = await world.store.records({ stream: 'audit', limit: 50 });
  assert.not.ok(
    entries.some(({ body }) => body['event'] === 'device.updated'),
    'what it says is nothing that somebody did',
  );
});

channel('says that an update failed as long as its agent says so, and audits it once', async ({ world }) => {
  const say = (body: object) => world.ask('POST', '/api/v1/device/check-in', { as: 'device', body });
  const failing = { state: 'running', activeSnapshot: 'old', error: 'npm install failed (1):\nE404' };
  assert.is((await say(failing)).status, 200);
  await say({ ...failing, error: 'npm install failed (1):\nE503' });
  const look = async () => (await world.ask('GET', '/api/v1/devices/gateway')).body;
  assert.equal(
    [(await look()).status, (await look()).activeSnapshot, (await look()).conditions],
    [
      'running',
      'old',
      [
        {
          type: 'UpdateFailed',
          status: 'True',
          reason: 'AgentFailed',
          message: 'npm install failed (1):\nE503',
          lastTransitionTime: start,
        },
      ],
    ],
  );
  const listed = async (condition: string) =>
    (await world.ask('GET', `/api/v1/teams/core/devices?condition=${condition}`)).body.count;
  assert.equal([await listed('UpdateFailed'), await listed('Cloned')], [1, 0]);
  const figures = async () => (await world.ask('GET', '/api/v1/admin/stats')).body.devicesByCondition;
  assert.equal(await figures(), { UpdateFailed: 1, Cloned: 0 });
  const position = world.store.read().position;
  await say({ ...failing, error: 'npm install failed (1):\nE503' });
  assert.is(world.store.read().position, position, 'saying the same again writes nothing');
  await say({ state: 'running', activeSnapshot: 'new' });
  assert.equal([(await look()).conditions, await figures()], [[], { UpdateFailed: 0, Cloned: 0 }]);
  const entries = await world.store.records({ stream: 'audit', limit: 50 });
  const events = entries.filter(({ body }) => String(body['event']).startsWith('device.'));
  assert.equal(
    events.map(({ body }) => [body['event'], body['reason']]),
    [['device.update-failed', 'npm install failed (1):\nE404']],
  );
  assert.is((await say({ ...failing, error: 'x'.repeat(2001) })).status, 400);
});

/** An agent with a number of its own, which counts. */
function agentOf(world: ServerWorld, run: string, from = 0) {
  let count = from;
  return async (token?: string) => {
    count += 1;
    const body = { state: 'running', agent: { run: run.repeat(16), count } };
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const said = await world.ask('POST', '/api/v1/device/check-in', { as: token ? 'none' : 'device', body, headers });
    return said.status;
  };
}

channel(
  'finds two agents that use one token, tells the owners once, and serves both until it is renewed',
  async ({ world }) => {
    const conditions = async () => (await world.ask('GET', '/api/v1/devices/gateway')).body.conditions;
    const [one, two] = [agentOf(world, 'a'), agentOf(world, 'b')];
    for (const say of [one, one, two, one, two]) assert.is(await say(), 200);
    assert.equal(await conditions(), [], 'one that was held up on its way is no second agent');
    for (const say of [one, two, one, two]) assert.is(await say(), 200, 'both are served');
    const [condition] = await conditions();
    assert.equal([condition.type, condition.reason], ['Cloned', 'TwoAgents']);
    assert.match(
      condition.message,
      /^two agents use its token at the same time: one was heard from 127\.0\.0\.1 at 2026\S+, another one from 127\.0\.0\.1 at 2026\S+$/,
    );
    const mails = world.mails.filter(({ subject }) => /Two agents use the token of the device "Gateway"/.test(subject));
    assert.is(mails.length, 1, 'the one owner is told once');
    const entries = await world.store.records({ stream: 'audit', limit: 50 });
    assert.is(entries.filter(({ body }) => body['event'] === 'device.cloned').length, 1);
    const { token } = (await world.ask('POST', '/api/v1/devices/gateway/token')).body;
    assert.equal(await conditions(), []);
    assert.is(await one(), 401);
    for (let times = 0; times < 5; times += 1) assert.is(await two(token), 200);
    assert.equal(await conditions(), []);
  },
);

channel(
  'tells a copy of a machine by what it counts, and an agent that starts anew from a second one',
  async ({ world }) => {
    const conditions = async () => (await world.ask('GET', '/api/v1/devices/gateway')).body.conditions.length;
    for (const run of 'abcdefghij') for (let times = 0; times < 2; times += 1) await agentOf(world, run, times)();
    assert.is(await conditions(), 0);
    const [one, copy] = [agentOf(world, 'z', 7), agentOf(world, 'z', 7)];
    for (const say of [one, copy, one, copy, one, copy]) await say();
    assert.is(await conditions(), 1);
  },
);

channel('keeps when it was seen when the server closes, with many others in one go', async ({ world }) => {
  await asDevice(world);
  assert.is(world.store.read().get('Device', 'gateway')?.spec.lastSeenAt, null);
  await world.app.close();
  assert.is(world.store.read().get('Device', 'gateway')?.spec.lastSeenAt, start);
});

channel('takes no nonsense', async ({ world }) => {
  const say = (body: unknown) => world.ask('POST', '/api/v1/device/check-in', { as: 'device', body });
  for (const body of [
    {},
    { state: 'dancing' },
    { state: 'running', more: 1 },
    { state: 'running', agentVersion: 'x'.repeat(65) },
    [],
  ])
    assert.is((await say(body)).status, 400, JSON.stringify(body));
  assert.is((await say({ state: 'running', agentVersion: 'x'.repeat(20_000) })).status, 413);
  for (const query of ['?wait=61', '?wait=-1', '?wait=x', '?wait=', '?until=1'])
    assert.is((await asDevice(world, query)).status, 400, query);
});

channel.run();
