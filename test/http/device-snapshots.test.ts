// Snapshots and devices over HTTP: what a device is given to run, by itself or with its group, and what it sends.
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { keepContent } from '../support/keep-content.ts';
import { type Asked, type ServerWorld, start, startWorld, tree } from './world.ts';

interface Context {
  world: ServerWorld;
}

const devicesTree = (features: string) => ({
  ...tree,
  'types.yaml': (tree['types.yaml'] ?? '').replace('features: {', `features: {${features}`),
});

const snapshots = suite<Context>('snapshots and devices');
snapshots.before.each(async (context) => {
  context.world = await startWorld(devicesTree('deviceGroups: true, deviceAutoSnapshot: true, '));
  await context.world.putDevices();
  await putInstance(context.world);
});
snapshots.after.each(({ world }) => world.close());

const gateway = '/api/v1/devices/gateway';
const put = (world: ServerWorld, url: string, body: object) => world.ask('PUT', url, { as: 'member', body });
const asDevice = (world: ServerWorld, path = '') => world.ask('GET', `/api/v1/device${path}`, { as: 'device' });
const send = (world: ServerWorld, body: object, query = '') =>
  world.ask('POST', `/api/v1/device/snapshots${query}`, { as: 'device', body });
const flows = (text: string) => [{ id: 'a', type: 'tab', label: text }];
const sent = (text: string) => ({ flows: flows(text), modules: { 'node-red-node-random': '0.4.1' } });
const rulesIn = ({ body }: Asked) => (body.violations ?? []).map(({ rule }: { rule: string }) => rule);

snapshots('of an instance run on a device, with credentials that it can read', async ({ world }) => {
  const none = await asDevice(world, '/snapshot');
  assert.is(none.status, 404, none.text);
  const chosen = await put(world, gateway, { targetSnapshot: 'picture' });
  assert.equal([chosen.status, chosen.body.targetSnapshot], [200, 'picture'], chosen.text);
  assert.is((await asDevice(world)).body.targetSnapshot, 'picture');
  const { credentialSecret } = (await asDevice(world, '/settings')).body;
  const { status, body } = await asDevice(world, '/snapshot');
  assert.is(status, 200);
  const { credentials, ...rest } = body;
  assert.equal(rest, {
    id: 'picture',
    name: 'Picture',
    flows: flows('line'),
    modules: { 'node-red-node-random': '0.4.1' },
    settings: { runtime: '4.1.15', options: { theme: 'dark' }, environment: [{ name: 'SITE', value: 'main' }] },
  });
  assert.equal(JSON.parse(decrypted(credentials.$, credentialSecret)), { node: { password: 'of the pump' } });
  assert.is((await put(world, gateway, { targetSnapshot: null })).body.targetSnapshot, undefined);
  assert.is((await asDevice(world, '/snapshot')).status, 404);
});

snapshots('of a group run on its devices, but for those with a target of their own', async ({ world }) => {
  const group = '/api/v1/device-groups/gateways';
  await put(world, gateway, { group: 'gateways' });
  const etag = String((await asDevice(world)).headers.etag);
  const waiting = world.ask('GET', '/api/v1/device?wait=60', { as: 'device', headers: { 'if-none-match': etag } });
  const rolled = await put(world, group, { targetSnapshot: 'picture' });
  assert.equal([rolled.status, rolled.body.targetSnapshot], [200, 'picture']);
  assert.is((await waiting).body.targetSnapshot, 'picture', 'who waits hears of it');
  assert.is((await world.ask('GET', gateway)).body.targetSnapshot, 'picture');
  await put(world, gateway, { targetSnapshot: 'other-picture' });
  assert.is((await asDevice(world)).body.targetSnapshot, 'other-picture');
  assert.is((await put(world, gateway, { targetSnapshot: null })).body.targetSnapshot, 'picture');
});

snapshots('of others cannot be chosen, nor what is going', async ({ world }) => {
  for (const targetSnapshot of ['foreign', 'nothing'])
    for (const url of [gateway, '/api/v1/device-groups/gateways']) {
      const { status, body } = await put(world, url, { targetSnapshot });
      assert.equal([status, body.violations?.[0].path], [400, '/targetSnapshot'], url);
    }
  const view = world.store.read();
  const line = view.get('Instance', 'line');
  if (!line) throw new Error('no line');
  const after: Resource<'Instance'> = { ...line, spec: { ...line.spec, state: 'deleting' } };
  await world.store.commit(() => ({ changes: [{ kind: 'Instance', id: 'line', before: line, after }] }), {
    id: 'going',
  });
  assert.is((await put(world, gateway, { targetSnapshot: 'picture' })).status, 400);
});

snapshots('that devices should run stay, and so does what they were taken of', async ({ world }) => {
  await put(world, '/api/v1/device-groups/gateways', { targetSnapshot: 'picture' });
  for (const url of ['/api/v1/snapshots/picture', '/api/v1/instances/line']) {
    const { status, body } = await world.ask('DELETE', url);
    assert.equal([status, body.code], [409, 'conflict'], url);
    assert.match(body.detail, /DeviceGroup\/Gateways has .* as the target/);
  }
  await put(world, '/api/v1/device-groups/gateways', { targetSnapshot: null });
  assert.is((await world.ask('DELETE', '/api/v1/snapshots/picture')).status, 204);
});

snapshots('are sent at each deploy in developer mode, and the last ten stay', async ({ world }) => {
  const early = await send(world, sent('one'));
  assert.equal([early.status, early.body.code], [409, 'conflict'], 'it is autonomous');
  await put(world, gateway, { mode: 'developer', environment: [{ name: 'HALL', value: '7' }] });
  assert.is((await asDevice(world)).body.autoSnapshot, true);
  assert.equal((await send(world, sent('0'), '?dryRun=true')).body.summary.create, 1);
  for (let count = 1; count <= 12; count += 1) {
    world.setNow(new Date(Date.parse(start) + count * 1000).toISOString());
    const made = await send(world, sent(String(count)));
    assert.equal([made.status, made.body.kind, made.body.device.id], [201, 'auto', 'gateway'], made.text);
    assert.is((await send(world, sent(String(count)))).body.id, made.body.id, 'the same again is the same');
  }
  const { body } = await world.ask('GET', `${gateway}/snapshots`, { as: 'viewer' });
  assert.equal([body.count, body.snapshots[0].name], [10, 'Deploy at 2026-11-21T10:00:12.000Z']);
  assert.equal(body.snapshots[0].modules, { 'node-red-node-random': '0.4.1' });
  const [newest] = body.snapshots;
  await put(world, gateway, { mode: 'autonomous', targetSnapshot: newest.id });
  const { flows: runs, settings } = (await asDevice(world, '/snapshot')).body;
  assert.equal([runs, settings.environment], [flows('12'), [{ name: 'HALL', value: '7' }]]);
  assert.is((await world.ask('DELETE', gateway)).status, 204);
  assert.is(world.store.read().count('Snapshot'), 3, 'its own go with it');
});

snapshots('are sent at a deploy only with the feature, of which its agent hears at once', async ({ world }) => {
  await put(world, gateway, { mode: 'developer' });
  const etag = String((await asDevice(world)).headers.etag);
  const waiting = world.ask('GET', '/api/v1/device?wait=60', { as: 'device', headers: { 'if-none-match': etag } });
  const type = world.store.read().named('TeamType', 'starter');
  if (!type) throw new Error('no type');
  const after = { ...type, spec: { ...type.spec, features: { ...type.spec.features, deviceAutoSnapshot: false } } };
  await world.store.commit(() => ({ changes: [{ kind: 'TeamType', id: type.id, before: type, after }] }), {
    id: 'off',
  });
  assert.is((await waiting).body.autoSnapshot, false);
  const refused = await send(world, sent('one'));
  assert.equal([refused.status, rulesIn(refused)], [409, ['feature-required']]);
  assert.is((await world.ask('POST', `${gateway}/snapshots`, { body: { name: 'Asked' } })).status, 202);
});

snapshots('are asked for in developer mode, and come once', async ({ world }) => {
  const ask = (name = 'Before the press') =>
    world.ask('POST', `${gateway}/snapshots`, { as: 'member', body: { name } });
  const early = await ask();
  assert.equal([early.status, early.body.code], [409, 'conflict']);
  await put(world, gateway, { mode: 'developer' });
  assert.is((await ask()).status, 202);
  const first = (await asDevice(world)).body.snapshotRequest;
  assert.is((await ask('Another')).status, 202);
  const request = (await asDevice(world)).body.snapshotRequest;
  assert.equal([(await send(world, { ...sent('x'), request: first })).status, first === request], [409, false]);
  const answered = await send(world, { ...sent('x'), request });
  assert.equal([answered.status, answered.body.kind, answered.body.name], [201, 'manual', 'Another'], answered.text);
  assert.is((await asDevice(world)).body.snapshotRequest, null);
  assert.is((await send(world, { ...sent('x'), request })).status, 409);
  await ask();
  await put(world, gateway, { mode: 'autonomous' });
  assert.is((await asDevice(world)).body.snapshotRequest, null, 'it lapses with the mode');
});

snapshots('of a device are bounded, and of the form of flows', async ({ world }) => {
  await put(world, gateway, { mode: 'developer' });
  for (const body of [
    {},
    { flows: 'none', modules: {} },
    { flows: [1], modules: {} },
    { ...sent('x'), modules: { a: 1 } },
  ])
    assert.is((await send(world, body)).status, 400, JSON.stringify(body));
  const huge = await send(world, sent('x'.repeat(8 * 1024 * 1024)));
  assert.equal([huge.status, huge.body.code], [413, 'payload_too_large']);
});

snapshots('whose content is lost are refused with the reason', async ({ world }) => {
  const picture = world.store.read().get('Snapshot', 'picture');
  if (!picture) throw new Error('no picture');
  const after = { ...picture, spec: { ...picture.spec, content: '0'.repeat(64) } };
  const change = { kind: 'Snapshot', id: 'picture', before: picture, after } as const;
  await world.store.commit(() => ({ changes: [change] }), { id: 'lost' });
  await put(world, gateway, { targetSnapshot: 'picture' });
  const { status, body } = await asDevice(world, '/snapshot');
  assert.equal([status, body.code], [409, 'conflict']);
  assert.match(body.detail, /of the store is missing/);
});

snapshots('whose credentials nobody can read are refused with the reason', async ({ world }) => {
  const line = world.store.read().get('Instance', 'line');
  if (!line) throw new Error('no line');
  const after = { ...line, spec: { ...line.spec, credentialSecret: 'another' } };
  await world.store.commit(() => ({ changes: [{ kind: 'Instance', id: 'line', before: line, after }] }), {
    id: 'lost',
  });
  await put(world, gateway, { targetSnapshot: 'picture' });
  const { status, body } = await asDevice(world, '/snapshot');
  assert.equal([status, body.code], [409, 'conflict']);
  assert.match(body.detail, /cannot be given the snapshot Picture, because its credentials cannot be decrypted/);
});

snapshots.run();

/** The instance `line` of the team `core` with the snapshots `picture` and `other-picture`, and `foreign` of another team's. */
async function putInstance(world: ServerWorld): Promise<void> {
  const view = world.store.read();
  const id = (kind: 'InstanceType' | 'Stack', name: string) => view.named(kind, name)?.id;
  const made = { instanceType: id('InstanceType', 'small'), template: 'standard', stack: id('Stack', 'nr-4') };
  const state = { state: 'stopped', desired: 'stopped', credentialSecret: 'of the line' };
  const times = { generation: 1, createdAt: start, updatedAt: start };
  const instance = (name: string, team: string): Resource => {
    const spec = kinds.Instance.spec.parse({ ...made, ...state, team });
    return { kind: 'Instance', id: name, name, spec, ...times };
  };
  const content = await keepContent(world, {
    format: 1,
    flows: flows('line'),
    credentials: { $: encrypted('{"node":{"password":"of the pump"}}', 'of the line') },
    modules: { 'node-red-node-random': '0.4.1' },
    settings: { runtime: '4.1.15', options: { theme: 'dark' }, environment: [{ name: 'SITE', value: 'main' }] },
    // A device has context of its own, which no snapshot overwrites.
    context: [{ path: 'tab/flow.json', text: '{"count":7}' }],
  });
  const snapshot = (name: string, called: string, team: string, of: string): Resource => {
    const taken = { kind: 'manual', createdBy: { kind: 'user' }, modules: {}, content: content.name } as const;
    const held = { ...taken, includesContext: true };
    const spec = kinds.Snapshot.spec.parse({ team, instance: of, ...held });
    return { kind: 'Snapshot', id: name, name: called, spec, ...times };
  };
  const resources = [
    instance('line', 'core'),
    instance('theirs', 'other'),
    snapshot('picture', 'Picture', 'core', 'line'),
    snapshot('other-picture', 'Other', 'core', 'line'),
    snapshot('foreign', 'Foreign', 'other', 'theirs'),
  ];
  await world.store.commit(() => ({ changes: resources.map(created) }), { id: 'put-instance' });
}

/** As the runtime does it: AES-256-CTR under the SHA-256 of the secret, after the start in hexadecimal. */
function encrypted(json: string, secret: string): string {
  const iv = Buffer.alloc(16, 7);
  const cipher = createCipheriv('aes-256-ctr', createHash('sha256').update(secret).digest(), iv);
  return iv.toString('hex') + cipher.update(json, 'utf8', 'base64') + cipher.final('base64');
}

function decrypted(text: string, secret: string): string {
  const key = createHash('sha256').update(secret).digest();
  const decipher = createDecipheriv('aes-256-ctr', key, Buffer.from(text.slice(0, 32), 'hex'));
  return decipher.update(text.slice(32), 'base64', 'utf8') + decipher.final('utf8');
}
