// timeout: 300
// weir serve on a disk that fails while it runs: what it answers, what it says, and with what it ends.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { askWith } from '../support/ask.ts';
import { type Serving, serve } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { type Workspace, workspace } from './world.ts';

/** Loaded into the server before anything of its own: while a file stands there, calls on open files fail, as those of a sick disk do. */
const sick = (marks: string) => `
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
const handle = await open('/dev/null');
const files = Object.getPrototypeOf(handle);
await handle.close();
for (const name of ['datasync', 'write']) {
  const real = files[name];
  files[name] = function (...args) {
    if (!existsSync(${JSON.stringify(marks)} + '/' + name)) return real.apply(this, args);
    return Promise.reject(Object.assign(new Error('EIO: i/o error, ' + name), { code: 'EIO' }));
  };
}
`;

interface Context {
  here: Workspace;
  token: string;
  /** Has a call fail from now on, or no more. */
  fails: (call: 'datasync' | 'write', does: boolean) => void;
  start: (...args: string[]) => Promise<Serving>;
}

const failing = suite<Context>('a server whose disk fails');

failing.before.each(async (context) => {
  const here = await workspace({
    'config/types.yaml': 'kind: TeamType\nmetadata: {name: starter}\n',
  });
  context.here = here;
  assert.is((await here.weir('apply')).code, 0);
  context.token = JSON.parse((await here.weir('bootstrap')).stdout).token;
  const module = join(here.path, 'sick.mjs');
  writeFileSync(module, sick(here.path));
  context.fails = (call, does) => (does ? writeFileSync(join(here.path, call), '') : rmSync(join(here.path, call)));
  context.start = (...args) => serve(here, args, { NODE_OPTIONS: `--import=${pathToFileURL(module)}` });
});
failing.after.each(({ here }) => here.remove());

const [first, second] = [
  { name: 'first', type: 'starter' },
  { name: 'second', type: 'starter' },
];

failing('ends with 5 when a sync fails, and has all that it acknowledged at the next start', async (context) => {
  const { token, start, fails } = context;
  const server = await start();
  const make = (body: object) => askWith(token, 'POST', `${server.url}/api/v1/teams`, body);
  assert.is((await make(first)).status, 201);
  fails('datasync', true);
  assert.is((await make(second)).status, 503);
  const { code, stderr } = await server.ended;
  assert.is(code, 5, stderr);
  assert.match(stderr, /the store is read-only from now on: writing to the disk failed \(EIO/);
  assert.match(
    stderr,
    /ending with 5, because nothing is kept before the next start \(with --on-store-failure read-only it would go on answering what is there\)/,
  );
  fails('datasync', false);
  const again = await start();
  const { body } = await askWith(token, 'GET', `${again.url}/api/v1/teams`);
  assert.match(JSON.stringify(body), '"name":"first"');
  await stop(again);
});

failing('goes on answering what is there with --on-store-failure read-only, and is not ready', async (context) => {
  const { token, start, fails } = context;
  const server = await start('--on-store-failure', 'read-only');
  fails('datasync', true);
  assert.is((await askWith(token, 'POST', `${server.url}/api/v1/teams`, first)).status, 503);
  await until(async () => (await fetch(`${server.url}/readyz`)).status === 503);
  assert.match(await (await fetch(`${server.url}/readyz`)).text(), /read-only: nothing can be changed until/);
  assert.is((await askWith(token, 'GET', `${server.url}/api/v1/teams`)).status, 200);
  const { body: status } = await askWith(token, 'GET', `${server.url}/api/v1/admin/config`);
  const condition = status.conditions.find(({ type }: { readonly type: string }) => type === 'StoreWritable');
  assert.equal([condition.status, condition.reason], ['False', 'ReadOnly']);
  await stop(server);
});

failing('goes on by itself after writes that failed', async (context) => {
  const { token, start, fails } = context;
  const server = await start();
  const make = (body: object) => askWith(token, 'POST', `${server.url}/api/v1/teams`, body);
  fails('write', true);
  const refused = await make(first);
  assert.is(refused.status, 503);
  assert.match(server.output().stderr, /nothing is kept for now: the disk of the store takes no writes \(EIO/);
  assert.match(await (await fetch(`${server.url}/readyz`)).text(), /takes no changes for now: it goes on by itself/);
  fails('write', false);
  await until(async () => (await fetch(`${server.url}/readyz`)).status === 200);
  assert.is((await make(first)).status, 201);
  await stop(server);
});

failing.run();

async function stop(server: Serving): Promise<void> {
  server.child.kill('SIGTERM');
  const { code, stderr } = await server.ended;
  assert.is(code, 0, stderr);
}
