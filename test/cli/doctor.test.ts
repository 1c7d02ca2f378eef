// weir doctor: what a machine has and lacks, in words and as JSON, and what of it is an error.
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Workspace, workspace } from './world.ts';

const doctor = suite<{ here: Workspace }>('weir doctor');

doctor.before.each(async (context) => {
  context.here = await workspace();
});
doctor.after.each(({ here }) => here.remove());

interface Told {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly state: string; readonly detail: string }[];
}

async function told(here: Workspace, line: string): Promise<Told & { readonly code: number | null }> {
  const { code, stdout, stderr } = await here.weir(`doctor ${line} --output json`);
  assert.is(stderr, '');
  return { code, ...JSON.parse(stdout) };
}

doctor('says what it looked at, without a tree or a store, and leaves nothing behind', async ({ here }) => {
  const { code, ok, checks } = await told(here, '--store nowhere/store');
  assert.equal([code, ok], [0, true]);
  const names = checks.map(({ name }) => name);
  for (const name of ['node', 'npm', 'git', 'isolation', 'store', 'disk', 'clock'])
    assert.ok(names.includes(name), name);
  assert.not(names.includes('mail'));
  assert.is(existsSync('nowhere'), false);
});

doctor('says in words what each thing is for, and what to do', async ({ here }) => {
  const { code, stdout } = await here.weir('doctor', { env: { PATH: '/nowhere' } });
  assert.is(code, 0, stdout);
  assert.match(
    stdout,
    /warning +git +there is none on the PATH \(says which commit a tree is\)\n +→ install the package git\n/,
  );
  assert.match(stdout, /\nWeir can run here, with \d+ warnings?\.\n$/);
});

doctor('looks whether the mail server of a tree can be reached', async ({ here }) => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const tree = (to: number) =>
    here.write(
      'config/weir.yaml',
      `apiVersion: weir/v1\nkind: Platform\nmetadata: {name: platform}\nspec:\n  email: {smtp: {host: 127.0.0.1, port: ${to}}}\n`,
    );
  const mail = async () => (await told(here, 'config')).checks.find(({ name }) => name === 'mail')?.state;
  tree(port);
  assert.is(await mail(), 'fine');
  await new Promise((resolve) => server.close(resolve));
  assert.is(await mail(), 'lacking');
});

doctor('exits 1 where there can be no store, or the isolation that a tree asks for cannot be had', async ({ here }) => {
  here.write('file', '');
  const there = await told(here, '--store file/store');
  assert.is(there.code, 1);
  assert.is(there.checks.find(({ name }) => name === 'store')?.state, 'missing');
  here.write(
    'config/weir.yaml',
    'apiVersion: weir/v1\nkind: Platform\nmetadata: {name: platform}\nspec:\n  driver: {isolation: user}\n',
  );
  const { code, checks } = await told(here, 'config');
  const state = checks.find(({ name }) => name === 'isolation')?.state;
  assert.equal([code, state], process.getuid?.() === 0 ? [0, 'fine'] : [1, 'missing']);
  assert.is((await here.weir('doctor nowhere')).code, 5);
});

doctor.run();
