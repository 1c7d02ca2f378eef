// timeout: 300
// A disk that a flow fills to the last byte: people still sign in, what can wait is refused in words, the instance is deleted, and all goes on by itself.
import { existsSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Context, suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { cannotMount, mountSmall } from './endure/faults/mounts.ts';
import { type Answer, askWith } from './support/ask.ts';
import { fakeStacks } from './support/fake-runtime.ts';
import { type Serving, serve } from './support/serving.ts';
import { temporaryFolder, writeFiles } from './support/temporary-folder.ts';
import { until } from './support/until.ts';
import { weir } from './support/weir.ts';

const why = await cannotMount();
if (why !== undefined) process.stderr.write(`\nSKIPPED: no small disk can be made, because ${why}\n\n`);
const full = (why === undefined ? suite('a full disk') : suite('a full disk').skip) as Test<Context>;

const folder = temporaryFolder();
const store = join(folder.path, '.weir');
const password = 'the very first admin';
let server: Serving;
let token = '';
let unmount = () => {};

async function begin(): Promise<void> {
  unmount = mountSmall(store, 96 << 20);
  const stacks = await fakeStacks(folder.path);
  const of = (name: string) =>
    `---\nkind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: ${name}${name === 'swells' ? ', resources: {diskMb: 6}' : ''}}\n---\nkind: InstanceType\nmetadata: {name: ${name}}\nspec: {stacks: [${name}], defaultStack: ${name}}\n`;
  await writeFiles(join(folder.path, 'config'), {
    'weir.yaml': `kind: Platform\nmetadata: {name: platform}\nspec:\n  driver: {stacksDirectory: ${JSON.stringify(stacks)}}\n${of('fills')}${of('good')}${of('swells')}---\nkind: TeamType\nmetadata: {name: starter}\nspec:\n  features: {staticAssets: true}\n  instanceTypes: [{name: fills}, {name: good}, {name: swells}]\n---\nkind: Template\nmetadata: {name: plain}\nspec: {}\n`,
  });
  const applied = await weir(folder.path, ['apply', 'config']);
  assert.is(applied.code, 0, applied.stderr + applied.stdout);
  writeFileSync(join(folder.path, 'password'), password);
  const made = await weir(folder.path, ['bootstrap', '--password-file', 'password']);
  assert.is(made.code, 0, made.stderr);
  token = JSON.parse(made.stdout).token;
  server = await serve(folder, ['config'], { WEIR_RESERVE: '64' });
}

function ask(method: string, path: string, body?: object): Promise<Answer> {
  return askWith(token, method, `${server.url}/api/v1${path}`, body);
}

async function signIn(): Promise<number> {
  const headers = { 'content-type': 'application/json', origin: server.url };
  const body = JSON.stringify({ username: 'admin', password });
  return (await fetch(`${server.url}/account/login`, { method: 'POST', headers, body })).status;
}

const rename = (name: string) => ask('PUT', `/teams/${team}`, { name, type: 'starter' });

function freeBytes(): number {
  const { bavail, bsize } = statfsSync(store);
  return bavail * bsize;
}

const reserveBytes = () => readFileSync(join(store, 'reserve')).length;
let team = '';
let guilty = '';

if (why === undefined) await begin();

full('is what a flow makes, after which people sign in and write as before', async () => {
  await until('the reserve is there', () => existsSync(join(store, 'reserve')) && reserveBytes() > 9e6);
  assert.ok(reserveBytes() < 11e6, 'a tenth of a small disk');
  const made = await ask('POST', '/teams', { name: 'Plant One', type: 'starter' });
  assert.is(made.status, 201, JSON.stringify(made.body));
  team = made.body.id;
  const instance = await ask('POST', `/teams/${team}/instances`, {
    name: 'Line 1',
    instanceType: 'fills',
    template: 'plain',
  });
  assert.is(instance.status, 201, JSON.stringify(instance.body));
  guilty = instance.body.id;
  await until('the disk is full', () => freeBytes() === 0);
  for (let count = 0; count < 10; count += 1) {
    assert.is(await signIn(), 200, `sign-in ${count}`);
    const renamed = await rename(`Plant ${count}`);
    assert.is(renamed.status, 200, JSON.stringify(renamed.body));
  }
  assert.is(freeBytes(), 0, 'the flow takes whatever is given back');
  assert.ok(reserveBytes() < 9e6, 'the reserve was given');
});

full('refuses what can wait, in words', async () => {
  const file = await ask('PUT', `/instances/${guilty}/files/a.txt`, { content: 'YQ==' });
  const snapshot = await ask('POST', `/instances/${guilty}/snapshots`, { name: 'Now' });
  for (const { status, body } of [file, snapshot]) {
    assert.equal([status, body.code], [507, 'insufficient_storage'], JSON.stringify(body));
    assert.match(body.detail, /cannot|can have no .*because the disk/);
  }
  const other = await ask('POST', `/teams/${team}/instances`, {
    name: 'Line 2',
    instanceType: 'good',
    template: 'plain',
  });
  assert.is(other.status, 201, JSON.stringify(other.body));
  const state = async () => (await ask('GET', `/instances/${other.body.id}`)).body;
  await until('it cannot start', async () => (await state()).state === 'crashed');
  assert.is((await state()).conditions[0].reason, 'DiskFull');
});

full('is freed by the deletion of the instance, and then all goes on by itself', async () => {
  const { status, body } = await ask('DELETE', `/instances/${guilty}`);
  assert.is(status, 204, JSON.stringify(body));
  await until('it is gone', async () => (await ask('GET', `/instances/${guilty}`)).status === 404);
  await until('there is room', () => freeBytes() > 50e6);
  await until('the reserve is taken back', () => reserveBytes() > 9e6);
  const { body: listed } = await ask('GET', `/teams/${team}/instances`);
  const [other] = listed.instances;
  await until(
    'what could not start does',
    async () => (await ask('GET', `/instances/${other.id}`)).body.state === 'running',
  );
  assert.is((await ask('PUT', `/instances/${other.id}/files/a.txt`, { content: 'YQ==' })).status, 200);
  assert.is((await fetch(`${server.url}/readyz`)).status, 200);
});

full('is not made by an instance that may take up less: it is told of, and stopped while it goes on', async () => {
  const wanted = { name: 'Line 3', instanceType: 'swells', template: 'plain' };
  const { id } = (await ask('POST', `/teams/${team}/instances`, wanted)).body;
  const standing = async () => (await ask('GET', `/instances/${id}`)).body;
  await until('it is stopped', async () => (await standing()).state === 'stopped');
  const { conditions } = await standing();
  const found = conditions.find(({ type }: { readonly type: string }) => type === 'DiskExceeded');
  assert.match(
    found.message,
    /^it cannot run on, because it takes up \d+ MiB of the disk and its stack allows 6 MiB, and went on growing: it was stopped; move it to a stack that allows more, or start it and delete files/,
  );
  const home = join(store, 'instances', id, 'home');
  assert.is(statSync(join(home, 'big')).size, 6 << 20, 'no file of it grew past that');
  assert.ok(existsSync(join(home, 'EFBIG0')));
  // By hand it starts, so that somebody can clear up.
  assert.is((await ask('POST', `/instances/${id}/actions/start`)).status, 202);
  await until('it runs', async () => (await standing()).state === 'running');
  assert.is((await ask('DELETE', `/instances/${id}`)).status, 204);
  await until('it is gone', async () => (await ask('GET', `/instances/${id}`)).status === 404);
});

full(
  'without any reserve left refuses writes, and takes them again as soon as there is room, without a restart',
  async () => {
    const ballast = join(store, 'ballast');
    const written: number[] = [];
    const fill = () => {
      try {
        writeFileSync(ballast, Buffer.alloc(freeBytes()), { flag: 'a' });
      } catch {
        // It is full.
      }
    };
    for (let count = 0; count < 2000 && written.at(-1) !== 503; count += 1) {
      fill();
      written.push((await rename(`Plant ${count}`)).status);
    }
    assert.is(written.at(-1), 503);
    assert.ok(written.length > 30, `${written.length} writes on a full disk`);
    assert.is((await fetch(`${server.url}/readyz`)).status, 503);
    assert.is((await ask('GET', `/teams/${team}`)).status, 200, 'reads go on');
    rmSync(ballast);
    assert.is((await rename('Plant Again')).status, 200);
    await until('it is ready', async () => (await fetch(`${server.url}/readyz`)).status === 200);
    assert.is((await ask('GET', `/teams/${team}`)).body.name, 'Plant Again');
    server.child.kill('SIGTERM');
    assert.is((await server.ended).code, 0);
    server = await serve(folder, ['config']);
    assert.is((await ask('GET', `/teams/${team}`)).body.name, 'Plant Again', 'after a restart');
  },
);

full.after(async () => {
  const { body } = await ask('GET', `/teams/${team}/instances`);
  for (const { id } of body.instances ?? []) await ask('DELETE', `/instances/${id}`);
  await until('nothing runs', async () => (await ask('GET', `/teams/${team}/instances`)).body.instances.length === 0);
  server.child.kill('SIGTERM');
  await server.ended;
  unmount();
});

full.run();
