// What is installed in the instances of a team, over the API.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import { newId } from '../../src/lib/id.ts';
import { type ServerWorld, start, startWorld, tree } from './world.ts';

const url = '/api/v1/teams/core/bill-of-materials';
const asked: string[] = [];
let atOnce = 0;
let most = 0;
const installed: NonNullable<ServerOptions['installed']> = async (id, runtime) => {
  asked.push(`${id} ${runtime}`);
  most = Math.max(most, ++atOnce);
  await new Promise((done) => setImmediate(done));
  atOnce -= 1;
  const modbus = { name: 'node-red-contrib-modbus', wanted: '^5.0.0', version: '5.43.0' };
  const modules = id.endsWith('1') ? [modbus, { name: 'node-red-node-x', wanted: '*' }] : [];
  return { ...(id === 'line-2' ? {} : { runtime: { name: 'node-red', version: '4.1.15' } }), modules };
};

async function worldWith(count = 3, feature = 'billOfMaterials'): Promise<ServerWorld> {
  const types = (tree['types.yaml'] ?? '').replace('teamLibrary: true', `${feature}: true`);
  const drivers = new Map([['local', { provides: new Set(['billOfMaterials'] as const) }]]);
  const world = await startWorld({ ...tree, 'types.yaml': types }, { drivers, installed });
  const stack = world.store.read().named('Stack', 'nr-4')?.id;
  const made = { instanceType: 'small', template: 'standard', stack, desired: 'stopped' };
  const started = { at: start, runtime: 'of old', resources: {}, options: {}, environment: [] };
  const changes = Array.from({ length: count }, (_, nth) => {
    const state = nth === 0 ? ('running' as const) : ('stopped' as const);
    const spec = kinds.Instance.spec.parse({ ...made, team: 'core', state, started });
    const times = { generation: 1, createdAt: start, updatedAt: start };
    return created({ kind: 'Instance', id: `line-${nth}`, name: `Line ${nth}`, spec, ...times });
  });
  await world.store.commit(() => ({ changes }), { id: newId() });
  asked.length = 0;
  return world;
}

const materials = suite('the bill of materials of a team');

materials('tells the runtime and the modules of each instance, running or not', async () => {
  const world = await worldWith();
  const { status, body } = await world.ask('GET', url, { as: 'viewer' });
  assert.is(status, 200);
  const about = (nth: number, state: string) => ({ id: `line-${nth}`, name: `Line ${nth}`, state, stack: 'nr-4' });
  const runtime = { name: 'node-red', version: '4.1.15' };
  assert.equal(body, {
    meta: {},
    count: 3,
    billOfMaterials: [
      { instance: about(0, 'running'), runtime, modules: [] },
      {
        instance: about(1, 'stopped'),
        runtime,
        modules: [
          { name: 'node-red-contrib-modbus', version: '5.43.0', wanted: '^5.0.0' },
          { name: 'node-red-node-x', wanted: '*' },
        ],
      },
      { instance: about(2, 'stopped'), modules: [] },
    ],
  });
  assert.equal(asked.sort(), ['line-0 of old', 'line-1 4.1', 'line-2 4.1'], 'what runs is asked for what it runs');
  await world.close();
});

materials('is filtered, sorted and paged, and looks into no more than a page', async () => {
  const world = await worldWith(25);
  const namesAt = async (query: string) => {
    const { status, body } = await world.ask('GET', `${url}?${query}`);
    assert.is(status, 200, query);
    return body.billOfMaterials.map(({ instance }: { instance: { id: string } }) => instance.id.slice(5));
  };
  assert.equal(await namesAt('limit=2&sort=-name'), ['9', '8']);
  assert.is(asked.length, 2);
  assert.equal(await namesAt('q=LINE%2024'), ['24']);
  assert.equal(await namesAt('module=node-red-contrib-modbus'), ['1', '11', '21']);
  assert.equal(await namesAt('module=node-red-contrib-modbus&limit=1&q=2'), ['21']);
  assert.is((await namesAt('module=node-red')).length, 24);
  assert.equal(await namesAt('module=node-red-contrib-nothing'), []);
  assert.ok(most <= 8, `${most} at a time`);
  for (const query of ['module=', 'sort=state', 'type=small'])
    assert.is((await world.ask('GET', `${url}?${query}`)).status, 400, query);
  await world.close();
});

materials('needs the feature of the team, and is shown to nobody else', async () => {
  const world = await worldWith(1, 'teamLibrary');
  const refused = await world.ask('GET', url, { as: 'owner' });
  assert.equal([refused.status, refused.body.violations[0].rule], [409, 'feature-required']);
  assert.match(refused.body.detail, /^Team\/core: what is installed in its instances cannot be read, because TeamType/);
  assert.is((await world.ask('GET', url, { as: 'dashboard' })).status, 403);
  assert.is((await world.ask('GET', url, { as: 'otherOwner' })).status, 404);
  assert.equal(asked, []);
  await world.close();
});

materials.run();
