// The logs of instances over the API, page by page, and what their runtimes use as metrics.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import { newId } from '../../src/lib/id.ts';
import { type ServerWorld, start, startWorld } from './world.ts';

const all = Array.from({ length: 25 }, (_, index) => ({ message: `line ${index}` }));
const asked: unknown[] = [];
const instanceLogs: ServerOptions['instanceLogs'] = async (id, { limit, before = all.length }) => {
  asked.push([id, limit, before]);
  const from = Math.max(0, before - limit);
  return { lines: all.slice(from, before), count: all.length, ...(from > 0 ? { next: from } : {}) };
};
const usage = new Map([
  ['line', { memoryBytes: 100, cpuSeconds: 1.5 }],
  ['other', { memoryBytes: 50, cpuSeconds: 0.25 }],
]);

async function worldWith(options: Parameters<typeof startWorld>[1]): Promise<ServerWorld> {
  const world = await startWorld(undefined, options);
  const made = { team: 'core', instanceType: 'small', template: 'standard', stack: 'nr-4' };
  const spec = kinds.Instance.spec.parse({ ...made, state: 'stopped', desired: 'stopped' });
  const line = {
    kind: 'Instance',
    id: 'line',
    name: 'Line',
    spec,
    generation: 1,
    createdAt: start,
    updatedAt: start,
  } as const;
  await world.store.commit(() => ({ changes: [created(line)] }), { id: newId() });
  return world;
}

const logs = suite('the log of an instance over the API');

logs('comes in pages from its end, with what the driver says of each line', async () => {
  const world = await worldWith({ instanceLogs });
  const url = '/api/v1/instances/line/logs';
  const first = await world.ask('GET', `${url}?limit=10`, { as: 'viewer' });
  assert.equal([first.status, first.body.count, first.body.lines.at(-1)], [200, 25, { message: 'line 24' }]);
  const seen = [...first.body.lines];
  for (let cursor = first.body.meta.next_cursor; cursor !== undefined; ) {
    const { body } = await world.ask('GET', `${url}?limit=10&cursor=${cursor}`);
    seen.unshift(...body.lines);
    cursor = body.meta.next_cursor;
  }
  assert.equal(seen, all);
  assert.equal((await world.ask('GET', url)).body.lines.length, 25);
  await world.close();
});

logs('takes no cursor that is none of its own, and shows nothing to whoever may not see it', async () => {
  const world = await worldWith({ instanceLogs });
  const before = asked.length;
  const other = Buffer.from(JSON.stringify(['other', 5])).toString('base64url');
  const negative = Buffer.from(JSON.stringify(['line', -5])).toString('base64url');
  for (const query of ['cursor=x', `cursor=${other}`, `cursor=${negative}`, 'limit=0', 'limit=1001', 'tail=1'])
    assert.is((await world.ask('GET', `/api/v1/instances/line/logs?${query}`)).status, 400, query);
  assert.is((await world.ask('GET', '/api/v1/instances/line/logs', { as: 'dashboard' })).status, 403);
  assert.is((await world.ask('GET', '/api/v1/instances/line/logs', { as: 'otherOwner' })).status, 404);
  assert.is((await world.ask('GET', '/api/v1/instances/nothing/logs')).status, 404);
  assert.is(asked.length, before);
  await world.close();
});

logs('is empty where nothing runs instances', async () => {
  const world = await worldWith({});
  assert.equal((await world.ask('GET', '/api/v1/instances/line/logs')).body, { meta: {}, count: 0, lines: [] });
  await world.close();
});

logs('stands beside what the runtimes use, which the metrics tell', async () => {
  const world = await worldWith({ instanceUsage: async () => usage });
  const headers = { accept: 'application/openmetrics-text' };
  const { text } = await world.ask('GET', '/api/v1/admin/stats', { headers });
  for (const line of ['weir_runtimes 2', 'weir_runtimes_memory_bytes 150', 'weir_runtimes_cpu_seconds 1.75'])
    assert.ok(text.split('\n').includes(line), line);
  await world.close();
});

logs.run();
