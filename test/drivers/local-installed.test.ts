// What the local driver says is installed, whatever flows have put where it looks.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type LocalWorld, localWorld } from './local-world.ts';

const installed = suite('what is installed');
const inWorld = (what: string, test: (world: LocalWorld) => Promise<void>) =>
  installed(what, async () => {
    const world = await localWorld();
    try {
      await test(world);
    } finally {
      await world.close();
    }
  });

/** Puts a manifest into the user directory of the instance a, as JSON or as it is. */
async function put({ at }: LocalWorld, folder: string, content: unknown): Promise<void> {
  await mkdir(at('a', join('home', folder)), { recursive: true });
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  await writeFile(at('a', join('home', folder, 'package.json')), text);
}

inWorld('is read from the manifests of an instance that does not run', async (world) => {
  const { inventory } = world.driver;
  assert.equal(await inventory.read('a', 'good'), { runtime: { name: 'node-red', version: '0.0.0' }, modules: [] });
  await put(world, '', { dependencies: { zeta: '~1.0', '@acme/alpha': '2', gone: '^3', local: 'file:../x' } });
  await put(world, 'node_modules/zeta', { name: 'zeta', version: '1.0.7' });
  await put(world, 'node_modules/@acme/alpha', { version: '2.1.0' });
  await put(world, 'node_modules/local', { version: 7 });
  await put(world, 'node_modules/unasked', { version: '1.0.0' });
  assert.equal((await inventory.read('a', 'good')).modules, [
    { name: '@acme/alpha', wanted: '2', version: '2.1.0' },
    { name: 'gone', wanted: '^3' },
    { name: 'local', wanted: 'file:../x' },
    { name: 'zeta', wanted: '~1.0', version: '1.0.7' },
  ]);
});

inWorld('has no runtime where the stack is not there, or leads elsewhere', async ({ driver: { inventory } }) => {
  for (const runtime of ['nope', '', '..', '../stacks/good', '/etc', 'good/../good'])
    assert.equal(await inventory.read('a', runtime), { modules: [] }, runtime);
});

inWorld('is never read through a link', async (world) => {
  const { at, driver, instances } = world;
  await put(world, '', { dependencies: { one: '1', '@a/two': '2' } });
  for (const name of ['one', '@a/two']) {
    await mkdir(join(instances, '../outside', name), { recursive: true });
    await writeFile(join(instances, '../outside', name, 'package.json'), '{"version":"6.6.6"}');
  }
  const unread = [
    { name: '@a/two', wanted: '2' },
    { name: 'one', wanted: '1' },
  ];
  await symlink(join(instances, '../outside'), at('a', 'home/node_modules'));
  assert.equal((await driver.inventory.read('a', 'good')).modules, unread);
  await rm(at('a', 'home/node_modules'));
  await mkdir(at('a', 'home/node_modules'));
  for (const name of ['one', '@a'])
    await symlink(join(instances, '../outside', name), at('a', join('home/node_modules', name)));
  assert.equal((await driver.inventory.read('a', 'good')).modules, unread);
});

inWorld('is never read through a link that takes the place of a folder meanwhile', async (world) => {
  const { at, driver, instances } = world;
  await put(world, '', { dependencies: { '@a/two': '2' } });
  await put(world, 'node_modules/@a/two', { version: '2.0.0' });
  const outside = join(instances, '../outside');
  await mkdir(join(outside, 'two'), { recursive: true });
  await writeFile(join(outside, 'two/package.json'), '{"version":"6.6.6"}');
  const swap = `const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
    const [at, away, outside] = process.argv.slice(1);
    for (;;) { renameSync(at, away); symlinkSync(outside, at); unlinkSync(at); renameSync(away, at); }`;
  const place = at('a', 'home/node_modules/@a');
  const flow = spawn(process.execPath, ['-e', swap, place, `${place}-away`, outside], { stdio: 'ignore' });
  try {
    const seen = new Set<string | undefined>();
    const isSeen = () => seen.has('2.0.0') && seen.has(undefined);
    for (let round = 0; round < 1000 || !isSeen(); round++)
      seen.add((await driver.inventory.read('a', 'good')).modules[0]?.version);
    assert.equal([...seen].sort(), ['2.0.0', undefined]);
  } finally {
    flow.kill('SIGKILL');
    await once(flow, 'close');
  }
});

inWorld('is nothing where there is no manifest that can be read', async (world) => {
  const { inventory } = world.driver;
  for (const content of [
    '',
    '{',
    '[]',
    'null',
    '7',
    '{"dependencies":[1]}',
    '{"dependencies":"x"}',
    ' '.repeat(2 ** 21),
  ]) {
    await put(world, '', content);
    assert.equal((await inventory.read('a', 'good')).modules, [], content.slice(0, 20));
  }
  const manifest = world.at('a', 'home/package.json');
  await rm(manifest);
  await mkdir(manifest);
  assert.equal((await inventory.read('a', 'good')).modules, []);
  await rm(manifest, { recursive: true });
  // Whoever opens a pipe waits for somebody who writes into it.
  await promisify(execFile)('mkfifo', [manifest]);
  assert.equal((await inventory.read('a', 'good')).modules, []);
});

inWorld('leads nowhere out of the folder, and never gets long', async (world) => {
  const outside = { '../../../x': '1', '/etc': '1', 'a/b': '1', '.': '1', '..': '1', '': '1', '@a/../b': '1' };
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, nth) => [`m${nth}`, 'v'.repeat(1000)]));
  await put(world, '', { dependencies: { ...outside, __proto__: { x: '1' } } });
  assert.equal((await world.driver.inventory.read('a', 'good')).modules, []);
  await put(world, '', { dependencies: many });
  const { modules } = await world.driver.inventory.read('a', 'good');
  // More than a MiB is not looked at at all.
  assert.equal(modules, []);
  await put(world, '', { dependencies: Object.fromEntries(Object.keys(many).map((name) => [name, 'v'.repeat(300)])) });
  const short = (await world.driver.inventory.read('a', 'good')).modules;
  assert.equal([short.length, short[0]?.wanted.length], [500, 200]);
});

inWorld('is asked of no folder but that of an instance', async ({ driver: { inventory } }) => {
  for (const id of ['../x', '', '.', 'a/b'])
    await (async () => inventory.read(id, 'good'))().then(
      () => assert.unreachable(id),
      ({ message }) => assert.match(message, 'is no id of an instance'),
    );
});

installed.run();
