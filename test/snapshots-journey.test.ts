// timeout: 1200
// Snapshots with real runtimes: taken at each deploy, restored into the same and another instance, also while Weir is killed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, askWith } from './support/ask.ts';
import { runtimeAdmin } from './support/runtime-flows.ts';
import { type Serving, serve } from './support/serving.ts';
import { runtimes, stacksWith } from './support/stacks.ts';
import { temporaryFolder, writeFiles } from './support/temporary-folder.ts';
import { until } from './support/until.ts';
import { weir } from './support/weir.ts';

const stacks = await stacksWith(runtimes.four);
const folder = temporaryFolder();
const store = join(folder.path, '.weir');
await writeFiles(join(folder.path, 'config'), {
  'weir.yaml': `kind: Platform\nmetadata: {name: platform}\nspec:\n  driver: {stacksDirectory: ${JSON.stringify(stacks)}}\n`,
  'types.yaml': `kind: Stack
metadata: {name: nr-4}
spec: {runtime: "${runtimes.four}", resources: {memoryMb: 256}}
---
kind: InstanceType
metadata: {name: small}
spec: {stacks: [nr-4]}
---
kind: TeamType
metadata: {name: starter}
spec: {instanceTypes: [{name: small}], features: {instanceAutoSnapshot: true, versionHistoryTimeline: true}}
---
kind: Template
metadata: {name: plain}
spec: {}
`,
});
const applied = await weir(folder.path, ['apply', 'config']);
assert.is(applied.code, 0, applied.stderr);
const { token } = JSON.parse((await weir(folder.path, ['bootstrap'])).stdout);
let server: Serving = await serve(folder, ['config']);
process.once('exit', killAll);

const journey = suite('snapshots of real runtimes');
let team = '';
let one = '';
let other = '';
let first = '';

/** A flow that answers a text, and asks for a password that only credentials hold. */
const flow = (text: string) => [
  { id: 'tab', type: 'tab', label: 'hello' },
  { id: 'in', type: 'http in', z: 'tab', url: '/hello', method: 'get', wires: [['make']] },
  {
    id: 'make',
    type: 'function',
    z: 'tab',
    func: `msg.payload = '${text}'; return msg;`,
    outputs: 1,
    wires: [['out']],
  },
  { id: 'out', type: 'http response', z: 'tab', wires: [] },
  {
    id: 'ask',
    type: 'http request',
    z: 'tab',
    url: 'http://127.0.0.1:1/',
    authType: 'basic',
    credentials: { user: 'ann', password: `secret of ${text}` },
    wires: [[]],
  },
];

/** A flow that answers how often it was asked, and remembers that. */
const counting = flow('')
  .filter(({ id }) => id !== 'ask')
  .map((node) =>
    'func' in node
      ? { ...node, func: "flow.set('n', (flow.get('n') ?? 0) + 1); msg.payload = String(flow.get('n')); return msg;" }
      : node,
  );

journey('take one at each deploy, once', async () => {
  team = (await ask('POST', '/teams', { name: 'Plant', type: 'starter' })).body.id;
  one = await make('Line 1');
  await deploy(one, 'first');
  const [snapshot] = await until('the first deploy has a snapshot', async () => only(await autos(one), 1));
  first = snapshot.id;
  assert.match(snapshot.name, /^Deploy of \d{4}-/);
  await act(one, 'restart');
  await standing(one, 'running');
  await deploy(one, 'second');
  await until('the second deploy has one, and the restart has none', async () => only(await autos(one), 2));
  const compared = await ask('GET', `/snapshots/${first}/compare`);
  assert.is(compared.status, 200, JSON.stringify(compared.body));
  assert.equal(
    compared.body.flows.changed.map(({ id, fields }: { id: string; fields: string[] }) => [id, fields]),
    [['make', ['func']]],
  );
  assert.not(JSON.stringify(compared.body).includes('secret of'));
});

journey('bring flows and credentials back, and the flow answers', async () => {
  assert.is(await hello(one), 'second');
  const done = await ask('POST', `/instances/${one}/snapshots/${first}/restore`);
  assert.equal([done.status, done.body.state], [200, 'running'], JSON.stringify(done.body));
  await until('the flow of the snapshot answers', async () => (await hello(one)) === 'first');
  assert.is(await userIn(one), 'ann');
  assert.is((await autos(one)).length, 2, 'a restore is no deploy');
});

journey('go into another instance, whose secret is another', async () => {
  other = await make('Line 2');
  const done = await ask('POST', `/instances/${other}/snapshots/${first}/restore`);
  assert.is(done.status, 200, JSON.stringify(done.body));
  await until('the flow answers there', async () => (await hello(other)) === 'first');
  assert.is(await userIn(other), 'ann');
  const encrypted = (id: string) => readFileSync(join(store, 'instances', id, 'home/flows_cred.json'), 'utf8');
  assert.is.not(encrypted(other), encrypted(one));
  assert.not(encrypted(other).includes('secret of'));
});

journey('bring context back where they hold it, also into another instance, and else leave it alone', async () => {
  const [counter, twin] = [
    await make('Counter', { contextStorage: 'file' }),
    await make('Twin', { contextStorage: 'file' }),
  ];
  const admin = runtimeAdmin(join(store, 'instances'), counter, urlOf(counter));
  await admin.deploy(counting);
  const count = (id: string) => until('it counts', async () => Number(await hello(id)) || undefined);
  const restart = async () => {
    await act(counter, 'restart');
    await standing(counter, 'running');
  };
  const take = (more: object) => ask('POST', `/instances/${counter}/snapshots`, { name: 'Counted', ...more });
  const restored = async (id: string, snapshot: string) => {
    const done = await ask('POST', `/instances/${id}/snapshots/${snapshot}/restore`);
    assert.is(done.status, 200, JSON.stringify(done.body));
  };
  assert.equal([await count(counter), await count(counter)], [1, 2]);
  // A runtime that ends in order writes its context.
  await restart();
  const [whole, plain] = [await take({ includeContext: true }), await take({})];
  assert.equal([whole.status, whole.body.includesContext], [201, true], JSON.stringify(whole.body));
  assert.equal([await count(counter), await count(counter)], [3, 4]);
  await restored(counter, plain.body.id);
  assert.is(await count(counter), 5);
  await restored(counter, whole.body.id);
  assert.is(await count(counter), 3);
  await restored(twin, whole.body.id);
  assert.is(await count(twin), 3);
  const forgetful = await make('Forgetful');
  const refused = await ask('POST', `/instances/${forgetful}/snapshots/${whole.body.id}/restore`);
  assert.is(refused.status, 409, JSON.stringify(refused.body));
  assert.match(refused.body.detail, 'this instance keeps its own in memory');
});

journey('are found of what was deployed while Weir was down', async () => {
  const before = (await autos(one)).length;
  server.child.kill('SIGKILL');
  await server.ended;
  await deploy(one, 'meanwhile');
  server = await serve(folder, ['config']);
  await until('there is one more', async () => only(await autos(one), before + 1));
});

journey('are restored whole or not at all, whenever Weir is killed on the way', async () => {
  for (const [round, text] of ['first', 'meanwhile', 'first', 'meanwhile'].entries()) {
    const [latest] = (await autos(one)).filter(({ id }: { id: string }) => id !== first);
    const wanted = text === 'first' ? first : latest.id;
    const asked = ask('POST', `/instances/${one}/snapshots/${wanted}/restore`).catch(() => undefined);
    await sleep(round * 150 + Math.random() * 150);
    server.child.kill('SIGKILL');
    await server.ended;
    await asked;
    server = await serve(folder, ['config']);
    const said = await until('a flow answers', async () => {
      await standing(one, 'running');
      const now = await hello(one);
      return ['first', 'meanwhile'].includes(now) ? now : undefined;
    });
    // Where nothing had been written down yet, nothing is done.
    if (said !== text) assert.is((await ask('POST', `/instances/${one}/snapshots/${wanted}/restore`)).status, 200);
    await until('the flow of the snapshot answers', async () => (await hello(one)) === text);
    await standing(one, 'running');
    assert.is(await until('it tells its user', () => userIn(one).catch(() => undefined)), 'ann');
  }
});

journey('stay ten of deploys, and stand in the timeline', async () => {
  const taken = async () => (await timeline()).filter(({ event }) => event === 'snapshot.created').length;
  await standing(one, 'running');
  for (let count = 1; count <= 10; count += 1) {
    const before = await taken();
    await deploy(one, `deploy ${count}`);
    await until(`deploy ${count} has a snapshot`, async () => (await taken()) > before);
  }
  assert.is((await autos(one)).length, 10);
  assert.is((await ask('GET', `/snapshots/${first}`)).status, 404);
  assert.ok((await timeline()).some(({ event }) => event === 'instance.restored'));
});

journey.after(async () => {
  server.child.kill('SIGTERM');
  await server.ended;
  killAll();
  await rm(folder.path, { recursive: true, force: true, maxRetries: 5 });
});

journey.run();

function ask(method: string, path: string, body?: object): Promise<Answer> {
  return askWith(token, method, `${server.url}/api/v1${path}`, body);
}

async function make(name: string, options: object = {}): Promise<string> {
  const wanted = { name, instanceType: 'small', template: 'plain', options };
  const made = await ask('POST', `/teams/${team}/instances`, wanted);
  assert.is(made.status, 201, JSON.stringify(made.body));
  await standing(made.body.id, 'running');
  return made.body.id;
}

async function standing(id: string, state: string): Promise<void> {
  await until(`the instance is ${state}`, async () => (await ask('GET', `/instances/${id}`)).body.state === state, {
    now: () => server.output().stderr.slice(-2000),
  });
}

async function act(id: string, action: string): Promise<void> {
  assert.is((await ask('POST', `/instances/${id}/actions/${action}`)).status, 202);
}

/** The answer to a deployment comes before its flows have started. */
async function deploy(id: string, text: string): Promise<void> {
  // It may just be coming back.
  const deployed = async () => runtimeAdmin(join(store, 'instances'), id, urlOf(id)).deploy(flow(text));
  await until('it takes the deploy', () =>
    deployed().then(
      () => true,
      () => false,
    ),
  );
  await until('the deployed flow answers', async () => (await hello(id)) === text);
}

async function hello(id: string): Promise<string> {
  const asked = async () => (await fetch(new URL('hello', urlOf(id)))).text();
  return asked().catch(() => '');
}

/** The user that the runtime has decrypted; the password it never tells. */
async function userIn(id: string): Promise<string> {
  const answer = await runtimeAdmin(join(store, 'instances'), id, urlOf(id)).admin('credentials/http-request/ask');
  return JSON.parse(await answer.text()).user;
}

function urlOf(id: string): string {
  return `http://127.0.0.1:${JSON.parse(readFileSync(join(store, 'instances', id, 'run.json'), 'utf8')).port}/i/${id}/`;
}

async function autos(id: string): Promise<Answer['body'][]> {
  const { body } = await ask('GET', `/instances/${id}/snapshots`);
  return body.snapshots.filter(({ kind }: { kind: string }) => kind === 'auto');
}

function only<T>(found: readonly T[], count: number): readonly T[] | undefined {
  assert.ok(found.length <= count, `there are ${found.length} instead of ${count}`);
  return found.length === count ? found : undefined;
}

async function timeline(): Promise<{ readonly event: string }[]> {
  return (await ask('GET', `/instances/${one}/timeline?limit=1000`)).body.timeline;
}

/** Whatever a test that failed left running. */
function killAll(): void {
  for (const name of existsSync(join(store, 'instances')) ? readdirSync(join(store, 'instances')) : []) {
    try {
      process.kill(JSON.parse(readFileSync(join(store, 'instances', name, 'run.json'), 'utf8')).pid, 'SIGKILL');
    } catch {
      // It does not run.
    }
  }
}
