// What an instance used, over the API.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import { newId } from '../../src/lib/id.ts';
import { type ServerWorld, start, startWorld, tree } from './world.ts';

const url = '/api/v1/instances/line/resources';
const asked: unknown[] = [];
const instancePast: ServerOptions['instancePast'] = async (id, { from, to }) => {
  asked.push([id, from, to]);
  const first = { at: from, memoryBytes: 1000.4, memoryPeakBytes: 1200.6 };
  return { seconds: 60, stretches: [first, { ...first, at: from + 60, cpuPercent: 1.2345, cpuPeakPercent: 40 }] };
};

async function worldWith(feature = 'instanceResources', past = instancePast): Promise<ServerWorld> {
  const types = (tree['types.yaml'] ?? '').replace('teamLibrary: true', `${feature}: true`);
  const stacks = `${tree['stacks.yaml']}  resources: {memoryMb: 256}\n`;
  const drivers = new Map([['local', { provides: new Set(['instanceResources'] as const) }]]);
  const world = await startWorld(
    { ...tree, 'types.yaml': types, 'stacks.yaml': stacks },
    { drivers, ...(past ? { instancePast: past } : {}) },
  );
  const made = { team: 'core', instanceType: 'small', template: 'standard' };
  const stack = world.store.read().named('Stack', 'nr-4')?.id;
  const spec = kinds.Instance.spec.parse({ ...made, stack, state: 'stopped', desired: 'stopped' });
  const times = { generation: 1, createdAt: start, updatedAt: start };
  const line = { kind: 'Instance', id: 'line', name: 'Line', spec, ...times } as const;
  await world.store.commit(() => ({ changes: [created(line)] }), { id: newId() });
  return world;
}

const resources = suite('what an instance used over the API');

resources('is told with what its stack allows, to the team', async () => {
  const world = await worldWith();
  const query = '?from=2026-11-21T08:00:00Z&to=2026-11-21T10:30:00%2B01:00';
  const { status, body, headers } = await world.ask('GET', `${url}${query}`, { as: 'viewer' });
  assert.is(status, 200);
  assert.equal(body, {
    meta: { interval_seconds: 60, from: '2026-11-21T08:00:00.000Z', to: '2026-11-21T09:30:00.000Z' },
    limits: { memoryMb: 256 },
    samples: [
      { at: '2026-11-21T08:00:00.000Z', memoryBytes: 1000, memoryPeakBytes: 1201 },
      {
        at: '2026-11-21T08:01:00.000Z',
        memoryBytes: 1000,
        memoryPeakBytes: 1201,
        cpuPercent: 1.23,
        cpuPeakPercent: 40,
      },
    ],
  });
  const again = await world.ask('GET', `${url}${query}`, { headers: { 'if-none-match': String(headers.etag) } });
  assert.is(again.status, 304);
  await world.close();
});

resources('is that of the last hour where nothing else is asked for', async () => {
  const world = await worldWith();
  const { meta } = (await world.ask('GET', url)).body;
  assert.equal([meta.from, meta.to], ['2026-11-21T09:00:00.000Z', start]);
  const before = (await world.ask('GET', `${url}?to=2026-11-20T00:00:00Z`)).body.meta;
  assert.is(before.from, '2026-11-19T23:00:00.000Z');
  await world.close();
});

resources('refuses times that are none, all at once, and a span that ends before it begins', async () => {
  const world = await worldWith();
  const count = asked.length;
  const problemsOf = async (query: string) => {
    const { status, body } = await world.ask('GET', `${url}?${query}`);
    assert.equal([status, body.code], [400, 'invalid_request'], query);
    return body.violations.map(({ path }: { path: string }) => path).sort();
  };
  assert.equal(await problemsOf('from=yesterday&to=2026-11-21&step=1'), ['/from', '/step', '/to']);
  assert.equal(await problemsOf('from=2026-11-21T10:00:00'), ['/from']);
  for (const query of [
    'from=2026-11-21T09:00:00Z&to=2026-11-21T09:00:00Z',
    'from=2026-11-21T09:00:00Z&to=2026-11-20T09:00:00Z',
    'from=2027-01-01T00:00:00Z',
  ])
    assert.equal(await problemsOf(query), ['/from']);
  assert.is(asked.length, count);
  await world.close();
});

resources('takes the longest of spans', async () => {
  const world = await worldWith();
  const { status, body } = await world.ask('GET', `${url}?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z`);
  assert.equal([status, body.meta.to], [200, '9999-12-31T23:59:59.000Z']);
  await world.close();
});

resources('needs the feature of the team, and is shown to nobody else', async () => {
  const world = await worldWith('teamLibrary');
  const count = asked.length;
  const refused = await world.ask('GET', url, { as: 'owner' });
  assert.equal([refused.status, refused.body.code], [409, 'rule_violated']);
  const [violation] = refused.body.violations;
  assert.equal([violation.rule, violation.kind, violation.name], ['feature-required', 'Instance', 'Line']);
  assert.match(violation.message, /^Instance\/Line: what it used cannot be read, because TeamType\/starter/);
  assert.is((await world.ask('GET', url, { as: 'dashboard' })).status, 403);
  assert.is((await world.ask('GET', url, { as: 'otherOwner' })).status, 404);
  assert.is((await world.ask('GET', '/api/v1/instances/nothing/resources')).status, 404);
  assert.is(asked.length, count);
  await world.close();
});

resources.run();
