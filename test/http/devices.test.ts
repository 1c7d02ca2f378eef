// Devices over HTTP: made by people or by a provisioning token, in groups, with tokens that open one thing each.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditOf } from './people.ts';
import { type Asked, type Credential, type ServerWorld, start, startWorld, tree } from './world.ts';

/** Teams of the type may have three devices, and groups where `groups` says so. */
export const devicesTree = (groups = true) => ({
  ...tree,
  'types.yaml': `kind: TeamType\nmetadata: {name: starter}\nspec:\n  features: {deviceGroups: ${groups}}\n  limits: {devices: 3}\n`,
});

interface Context {
  world: ServerWorld;
}

const devices = suite<Context>('devices');
devices.before.each(async (context) => {
  context.world = await startWorld(devicesTree());
});
devices.after.each(({ world }) => world.close());

const ofTeam = '/api/v1/teams/core/devices';
const make = (world: ServerWorld, body: object = { name: 'Gateway' }, as: Credential = 'member') =>
  world.ask('POST', ofTeam, { as, body });
/** Asks by a token that is none of the world's. */
const by = (world: ServerWorld, token: string, method: 'GET' | 'POST', path: string, body?: object): Promise<Asked> =>
  world.ask(method, `/api/v1${path}`, {
    as: 'none',
    headers: { authorization: `Bearer ${token}` },
    ...(body ? { body } : {}),
  });
const rulesIn = ({ body }: Asked) => (body.violations ?? []).map(({ rule }: { rule: string }) => rule);

devices('with variables that no process is started with are refused by the rule', async ({ world }) => {
  const { id } = (await make(world)).body;
  const environment = Array.from({ length: 40 }, (_, at) => ({ name: `LARGE_${at}`, value: 'x'.repeat(32_000) }));
  const asked = await world.ask('PUT', `/api/v1/devices/${id}`, { as: 'member', body: { environment } });
  assert.equal(rulesIn(asked), ['environment-size'], asked.text.slice(0, 300));
});

devices('are made by members, with a token that is shown once', async ({ world }) => {
  const made = await make(world, { name: 'Gateway', mode: 'developer' });
  const { token, id, can, ...rest } = made.body;
  assert.is(made.status, 201, made.text);
  assert.equal(rest, {
    name: 'Gateway',
    team: { id: 'core', slug: 'core', name: 'The core team' },
    mode: 'developer',
    status: 'unknown',
    lastSeenAt: null,
    conditions: [],
    environment: [],
    createdAt: start,
    updatedAt: start,
  });
  assert.match(token, /^weirdev_[0-9A-Za-z]{46}$/);
  assert.equal(can, ['read-device', 'update-device', 'renew-device-token']);
  assert.is(made.headers['location'], `/api/v1/devices/${id}`);
  const read = await world.ask('GET', `/api/v1/devices/${id}`, { as: 'viewer' });
  assert.equal(read.body, { ...rest, id, can: ['read-device'] });
  const listed = await world.ask('GET', ofTeam);
  assert.equal([listed.body.count, listed.body.devices[0].id], [1, id]);
  const kept = JSON.stringify([...world.store.read().all('Device')]);
  assert.not.ok(kept.includes(token) || read.text.includes('ecret') || listed.text.includes('hash'));
  const team = await world.ask('GET', '/api/v1/teams/core');
  assert.equal([team.body.deviceCount, team.body.limits.devices], [1, { used: 1, limit: 3 }]);
  assert.is((await world.ask('GET', '/api/v1/admin/stats')).body.deviceCount, 1);
});

devices('are refused over the limit of the type, and planned by a dry run', async ({ world }) => {
  const plan = await world.ask('POST', `${ofTeam}?dryRun=true`, { as: 'member', body: { name: 'Gateway' } });
  assert.equal([plan.status, plan.body.summary.create, world.store.read().count('Device')], [200, 1, 0]);
  for (let count = 0; count < 3; count += 1) assert.is((await make(world)).status, 201);
  const refused = await make(world);
  assert.equal([refused.status, rulesIn(refused)], [409, ['limit-reached']]);
});

devices('take changes, and hold what nobody mentions', async ({ world }) => {
  const { id } = (await make(world)).body;
  const url = `/api/v1/devices/${id}`;
  const put = (body: object) => world.ask('PUT', url, { as: 'member', body });
  const environment = [
    { name: 'HALL', value: '7' },
    { name: 'SITE', value: 'main' },
  ];
  assert.equal((await put({ environment })).body.environment, environment);
  const changed = await put({ name: 'Gate', mode: 'developer', environment: [{ name: 'HALL', value: null }] });
  assert.equal(
    [changed.body.name, changed.body.mode, changed.body.environment],
    ['Gate', 'developer', [{ name: 'SITE', value: 'main' }]],
  );
  assert.equal((await put({ environment: null })).body.environment, []);
  const before = world.store.read().position;
  assert.is((await put({ name: 'Gate', mode: 'developer' })).status, 200);
  assert.is(world.store.read().position, before, 'what changes nothing writes nothing');
  for (const body of [{ name: '' }, { mode: 'wild' }, { colour: 1 }, { environment: [{ name: '1', value: '' }] }])
    assert.is((await put(body)).status, 400, JSON.stringify(body));
});

devices('get another token, and are known by that alone', async ({ world }) => {
  const { id, token } = (await make(world)).body;
  assert.is((await by(world, token, 'GET', '/device')).status, 200);
  const renewed = await world.ask('POST', `/api/v1/devices/${id}/token`, { as: 'member' });
  assert.equal([renewed.status, renewed.body.id], [201, id]);
  assert.is((await by(world, token, 'GET', '/device')).status, 401);
  assert.is((await by(world, renewed.body.token, 'GET', '/device')).status, 200);
});

devices('are deleted by owners, and open nothing then', async ({ world }) => {
  const { id, token } = (await make(world)).body;
  assert.is((await world.ask('DELETE', '/api/v1/teams/core', { as: 'owner' })).status, 409, 'it has a device');
  assert.is((await world.ask('DELETE', `/api/v1/devices/${id}`, { as: 'member' })).status, 403);
  assert.is((await world.ask('DELETE', `/api/v1/devices/${id}`, { as: 'owner' })).status, 204);
  assert.is((await by(world, token, 'GET', '/device')).status, 401);
  assert.is((await world.ask('GET', `/api/v1/devices/${id}`)).status, 404);
  assert.equal((await auditOf(world.store)).slice(-2), ['device.created max Gateway', 'device.deleted olga Gateway']);
});

devices('register themselves by a provisioning token, which is good once', async ({ world }) => {
  const url = '/api/v1/teams/core/provisioning-tokens';
  const made = await world.ask('POST', url, { as: 'member', body: { name: 'hall 7' } });
  assert.equal([made.status, made.body.expiresAt], [201, '2026-11-22T10:00:00.000Z'], made.text);
  const { token } = made.body;
  assert.match(token, /^weirprov_/);
  assert.is((await world.ask('GET', url, { as: 'member' })).body.count, 1);
  const tried = await by(world, token, 'POST', '/device/register?dryRun=true', { name: 'Gateway' });
  assert.equal([tried.status, tried.body.summary.create], [200, 1], tried.text);
  const register = () => by(world, token, 'POST', '/device/register', { name: 'Gateway' });
  const answers = await Promise.all([register(), register(), register()]);
  assert.equal(answers.map(({ status }) => status).sort(), [201, 401, 401]);
  const { body } = answers.find(({ status }) => status === 201) ?? {};
  assert.equal([body.name, body.team.id, body.status], ['Gateway', 'core', 'unknown']);
  assert.is((await by(world, body.token, 'GET', '/device')).body.id, body.id);
  assert.is((await register()).status, 401);
  assert.is((await world.ask('GET', url, { as: 'member' })).body.count, 0);
  assert.equal((await auditOf(world.store)).slice(-2), [
    'provisioning-token.deleted hall 7 hall 7',
    'device.created hall 7 Gateway',
  ]);
});

devices('are not registered by what has ended, was revoked, or is no such token', async ({ world }) => {
  const url = '/api/v1/teams/core/provisioning-tokens';
  const mint = async (body: object) => (await world.ask('POST', url, { as: 'member', body })).body;
  const register = (token: string) => by(world, token, 'POST', '/device/register', { name: 'Gateway' });
  const short = await mint({ name: 'short', expiresAt: '2026-11-21T10:00:01Z' });
  const revoked = await mint({ name: 'revoked' });
  const right = await mint({ name: 'right' });
  assert.is((await world.ask('DELETE', `${url}/${revoked.id}`, { as: 'member' })).status, 204);
  world.setNow('2026-11-21T10:00:01.000Z');
  const { token } = (await make(world)).body;
  for (const wrong of [short.token, revoked.token, right.token.replace(/.$/, '_'), right.token.replace('prov', 'dev')])
    assert.is((await register(wrong)).status, 401, wrong);
  assert.is((await register(token)).status, 403, 'a device is none that may become one');
  assert.is((await world.ask('POST', '/api/v1/device/register', { body: { name: 'x' } })).status, 403);
  assert.is((await register(right.token)).status, 201);
  const elsewhere = `/api/v1/teams/other/provisioning-tokens/${(await mint({ name: 'x' })).id}`;
  assert.is((await world.ask('DELETE', elsewhere, { as: 'otherOwner' })).status, 404);
  for (const expiresAt of ['2026-11-21T10:00:00Z', '2028-01-01T00:00:00Z', 'soon'])
    assert.is((await world.ask('POST', url, { as: 'member', body: { name: 'x', expiresAt } })).status, 400, expiresAt);
});

devices('that a limit keeps out leave their provisioning token for another time', async ({ world }) => {
  for (let count = 0; count < 3; count += 1) await make(world);
  const minted = await world.ask('POST', '/api/v1/teams/core/provisioning-tokens', { body: { name: 'x' } });
  const register = () => by(world, minted.body.token, 'POST', '/device/register', { name: 'Gateway' });
  const refused = await register();
  assert.equal([refused.status, rulesIn(refused)], [409, ['limit-reached']]);
  const [one] = (await world.ask('GET', ofTeam)).body.devices;
  await world.ask('DELETE', `/api/v1/devices/${one.id}`);
  assert.is((await register()).status, 201);
});

devices('stand in groups of their own team', async ({ world }) => {
  const groups = '/api/v1/teams/core/device-groups';
  const made = await world.ask('POST', groups, { as: 'member', body: { name: 'Hall', description: 'North.' } });
  assert.equal([made.status, made.body.deviceCount], [201, 0], made.text);
  const url = `/api/v1/device-groups/${made.body.id}`;
  const { id } = (await make(world, { name: 'Gateway', group: made.body.id })).body;
  const minted = await world.ask('POST', '/api/v1/teams/core/provisioning-tokens', {
    body: { name: 'x', group: made.body.id },
  });
  const other = (await by(world, minted.body.token, 'POST', '/device/register', { name: 'Two' })).body;
  assert.is(other.group, made.body.id);
  assert.is((await world.ask('GET', url, { as: 'viewer' })).body.deviceCount, 2);
  assert.is((await world.ask('GET', `${ofTeam}?group=${made.body.id}`)).body.count, 2);
  assert.is((await world.ask('PUT', url, { as: 'member', body: { name: 'Yard' } })).body.name, 'Yard');
  assert.is((await world.ask('PUT', url, { as: 'otherOwner', body: { name: 'Ours' } })).status, 404);
  const full = await world.ask('DELETE', url, { as: 'member' });
  assert.equal([full.status, full.body.code], [409, 'conflict']);
  assert.match(full.body.detail, /2 devices are in it/);
  for (const device of [id, other.id])
    assert.is((await world.ask('PUT', `/api/v1/devices/${device}`, { body: { group: null } })).body.group, undefined);
  assert.is((await world.ask('DELETE', url, { as: 'member' })).status, 204);
  const foreign = await world.ask('POST', '/api/v1/teams/other/device-groups', {
    as: 'admin',
    body: { name: 'Theirs' },
  });
  for (const group of [foreign.body.id, 'nothing']) {
    const refused = await world.ask('PUT', `/api/v1/devices/${id}`, { body: { group } });
    assert.equal([refused.status, refused.body.violations[0].path], [400, '/group']);
  }
});

devices('have groups only with the feature; what is in one may stay and leave', async ({ world }) => {
  const group = (await world.ask('POST', '/api/v1/teams/core/device-groups', { body: { name: 'Hall' } })).body.id;
  const { id } = (await make(world, { name: 'Gateway', group })).body;
  const store = world.store.read();
  const type = store.named('TeamType', 'starter');
  if (!type) throw new Error('no type');
  const after = { ...type, spec: { ...type.spec, features: { ...type.spec.features, deviceGroups: false } } };
  await world.store.commit(() => ({ changes: [{ kind: 'TeamType', id: type.id, before: type, after }] }), {
    id: 'off',
  });
  for (const [method, url, body] of [
    ['POST', '/api/v1/teams/core/device-groups', { name: 'Yard' }],
    ['PUT', `/api/v1/device-groups/${group}`, { name: 'Yard' }],
    ['POST', ofTeam, { name: 'Two', group }],
    ['POST', '/api/v1/teams/core/provisioning-tokens', { name: 'x', group }],
  ] as const) {
    const refused = await world.ask(method, url, { body });
    assert.equal([refused.status, rulesIn(refused)], [409, ['feature-required']], `${method} ${url}: ${refused.text}`);
  }
  assert.is((await world.ask('PUT', `/api/v1/devices/${id}`, { body: { name: 'Gate' } })).body.group, group);
  assert.is((await world.ask('PUT', `/api/v1/devices/${id}`, { body: { group: null } })).status, 200);
  assert.is((await world.ask('DELETE', `/api/v1/device-groups/${group}`)).status, 204);
});

devices('go with nothing: their groups and provisioning tokens go with the team', async ({ world }) => {
  await world.ask('POST', '/api/v1/teams/core/device-groups', { body: { name: 'Hall' } });
  await world.ask('POST', '/api/v1/teams/core/provisioning-tokens', { body: { name: 'x' } });
  assert.is((await world.ask('DELETE', '/api/v1/teams/core', { as: 'owner' })).status, 204);
  const view = world.store.read();
  assert.equal([view.count('DeviceGroup'), view.count('ProvisioningToken')], [0, 0]);
});

devices.run();
