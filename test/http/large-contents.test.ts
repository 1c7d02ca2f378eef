// timeout: 400
// Contents of snapshots that are large: what reads, compares, checks and encrypts them is a thread, and not the one that answers everybody else.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { keepContent } from '../support/keep-content.ts';
import { type ServerWorld, start, startWorld, tree } from './world.ts';

const large = suite<{ world: ServerWorld }>('large contents');

large.before(async (context) => {
  const types = (tree['types.yaml'] ?? '').replace('features: {', 'features: {deviceAutoSnapshot: true, ');
  context.world = await startWorld({ ...tree, 'types.yaml': types });
  await context.world.putDevices();
  for (const text of ['one', 'two']) await putSnapshot(context.world, text, flowsOf(24_000, text));
});
large.after(({ world }) => world.close());

const flowsOf = (count: number, text: string) =>
  Array.from({ length: count }, (_, at) => ({ id: `n${at}`, type: 'function', func: `${text}${'x'.repeat(400)}` }));

async function putSnapshot(world: ServerWorld, id: string, flows: Record<string, unknown>[]): Promise<void> {
  const content = (await keepContent(world, { format: 1, flows, modules: {} })).name;
  const team = world.store.read().named('Team', 'core')?.id ?? '';
  const taken = { kind: 'manual', createdBy: { kind: 'user' }, modules: {}, device: 'gateway', content } as const;
  const spec = kinds.Snapshot.spec.parse({ team, ...taken });
  const snapshot: Resource = {
    kind: 'Snapshot',
    id,
    name: id,
    spec,
    generation: 1,
    createdAt: start,
    updatedAt: start,
  };
  await world.store.commit(() => ({ changes: [created(snapshot)] }), { id: `put-${id}` });
}

/** Does a request whose answer is not read, and holds what this thread spends on it against what all do. */
async function isElsewhere(
  { app, tokens }: ServerWorld,
  { as, ...asked }: { as: 'admin' | 'device'; method: 'GET' | 'POST'; url: string; payload?: string },
) {
  const headers = { authorization: `Bearer ${tokens[as]}`, 'content-type': 'application/json' };
  const [before, all] = [process.threadCpuUsage(), process.cpuUsage()];
  const answer = await app.inject({ ...asked, headers });
  const [own, whole] = [process.threadCpuUsage(before), process.cpuUsage(all)];
  const [mine, total] = [own.user + own.system, whole.user + whole.system];
  assert.ok(answer.statusCode < 300, answer.payload.slice(0, 500));
  assert.ok(mine < total / 3, `${asked.url}: ${mine} of ${total} µs`);
  return answer;
}

large('are compared elsewhere', async ({ world }) => {
  const url = '/api/v1/snapshots/one/compare?with=two';
  const { flows, same } = (await isElsewhere(world, { as: 'admin', method: 'GET', url })).json();
  assert.equal([same, flows.changed.length, flows.changed[7].fields], [false, 24_000, ['func']]);
});

large('are made ready for devices elsewhere, and are answered again only where they are others', async ({ world }) => {
  const gateway = '/api/v1/devices/gateway';
  assert.is((await world.ask('PUT', gateway, { as: 'member', body: { targetSnapshot: 'one' } })).status, 200);
  const url = '/api/v1/device/snapshot';
  const answer = await isElsewhere(world, { as: 'device', method: 'GET', url });
  assert.equal(answer.json().flows, flowsOf(24_000, 'one'));
  const headers = { 'if-none-match': String(answer.headers.etag) };
  assert.is((await world.ask('GET', url, { as: 'device', headers })).status, 304);
  const back = { targetSnapshot: null, mode: 'developer' };
  assert.is((await world.ask('PUT', gateway, { as: 'member', body: back })).status, 200);
});

large('are taken from devices elsewhere, and refused in the same words as small ones', async ({ world }) => {
  const url = '/api/v1/device/snapshots';
  const send = (flows: unknown, more = {}) => JSON.stringify({ flows, modules: {}, ...more });
  const flows = flowsOf(17_000, 'three');
  const made = (await isElsewhere(world, { as: 'device', method: 'POST', url, payload: send(flows) })).json();
  assert.is((await isElsewhere(world, { as: 'device', method: 'POST', url, payload: send(flows) })).json().id, made.id);
  const nested = JSON.parse(`${'[{"a":'.repeat(40)}1${'}]'.repeat(40)}`);
  const refused = (few: unknown[], many: unknown[]) => [send([...few, nested[0]]), send([...many, nested[0]])];
  const bodies = [
    ['', `[${' '.repeat(300_000)}]`],
    refused([], flows),
    [send([], { more: 1 }), send(flows, { more: 1 })],
    [send(['a']), send(['a', ...flows])],
    [`{"__proto__": 1}`, `{"__proto__": ${JSON.stringify(flows)}}`],
    [send([{ a: '\0' }]), send([{ a: '\0' }, ...flows])],
  ];
  for (const [few = '', many = ''] of bodies) {
    const answers = await Promise.all(
      [few, many].map((payload) =>
        world.app.inject({
          method: 'POST',
          url,
          payload,
          headers: { authorization: `Bearer ${world.tokens['device']}`, 'content-type': 'application/json' },
        }),
      ),
    );
    const [short, long] = answers.map((answer) => ({ status: answer.statusCode, ...answer.json() }));
    assert.is(short.status, 400, few.slice(0, 100));
    if (few !== '') assert.equal([long.status, long.detail], [400, short.detail], few.slice(0, 100));
  }
});

large('that are no content say so', async ({ world }) => {
  const bytes = new TextEncoder().encode(`{"format": 2, "flows": [], "text": "${'x'.repeat(300_000)}"}`);
  const { name } = await world.store.blobs.put(bytes);
  const before = world.store.read().get('Snapshot', 'two');
  if (!before) throw new Error('no snapshot');
  const after = { ...before, spec: { ...before.spec, content: name } };
  await world.store.commit(() => ({ changes: [{ kind: 'Snapshot', id: 'two', before, after }] }), { id: 'newer' });
  const { status, body } = await world.ask('GET', '/api/v1/snapshots/one/compare?with=two');
  assert.equal([status, body.code], [409, 'conflict']);
  assert.match(
    body.detail,
    /^the snapshot one cannot be compared, because the file blobs\/.* was written by another version/i,
  );
});

large.run();
