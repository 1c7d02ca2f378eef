// Persistent context in the files of an instance: read for a snapshot where that is asked for, replaced as a whole, and never by a link.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contentIn } from '../../src/core/instances/content.ts';
import { type Folder, folderOf } from '../../src/drivers/local/folder.ts';
import { packStored } from '../../src/drivers/local/pack.ts';
import { finishWriting, readStored, writeStored } from '../../src/drivers/local/stored.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { reasonOf } from './local-world.ts';

const context = suite('the context of an instance');

const asked = { context: true };
const newFolder = (): Folder => folderOf(temporaryFolder().path, 'a');
const put = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const set = (folder: Folder, path: string, value: unknown) =>
  put(join(folder.home, 'context', path), JSON.stringify(value, null, 4));
const written = (folder: Folder, kept: readonly { readonly path: string; readonly text: string }[] | undefined) =>
  writeStored(folder, {
    stored: { flows: [], modules: {}, ...(kept ? { context: kept } : {}) },
    credentialSecret: 's',
  });
const contextIn = async (folder: Folder) => (await readStored(folder, asked)).context;

context('is read where it is asked for, as far as the runtime would read it', async () => {
  const folder = newFolder();
  assert.equal(await readStored(folder), { flows: [], modules: {} });
  assert.equal(await contextIn(folder), []);
  const odd = '{"__proto__": {"a": 1}, "n": -1.5e300, "text": "\\u0000 ü"}';
  put(join(folder.home, 'context/tab/node.json'), odd);
  set(folder, 'global/global.json', { count: 7 });
  put(join(folder.home, 'context/tab/flow.json'), '');
  // What is being written, what it does not look at, and what is no context.
  put(join(folder.home, 'context/tab/flow.json.1700000000000.tmp'), '{"half');
  put(join(folder.home, 'context/.hidden/flow.json'), '{}');
  put(join(folder.home, 'context/loose.json'), '{}');
  assert.equal(await readStored(folder), { flows: [], modules: {} });
  const kept = [
    { path: 'global/global.json', text: '{"count":7}' },
    { path: 'tab/flow.json', text: '{}' },
    { path: 'tab/node.json', text: JSON.stringify(JSON.parse(odd)) },
  ];
  assert.equal(await contextIn(folder), kept);
  const packed = await packStored(folder, undefined, asked);
  assert.equal(contentIn(new TextDecoder().decode(packed.bytes))?.context, kept);
  const plain = await packStored(folder, undefined);
  assert.not(new TextDecoder().decode(plain.bytes).includes('context'));
  assert.is(packed.deploy, plain.deploy, 'context is no deploy');
});

context('is read as a whole, also while the runtime writes it', async () => {
  const folder = newFolder();
  set(folder, 'global/global.json', { round: 1 });
  set(folder, 'tab/flow.json', { round: 1 });
  const reading = contextIn(folder);
  for (let round = 2; round < 12; round += 1) {
    for (const path of ['global/global.json', 'tab/flow.json']) {
      const at = join(folder.home, 'context', path);
      writeFileSync(`${at}.tmp`, JSON.stringify({ round }));
      await rename(`${at}.tmp`, at);
      await sleep(15);
    }
  }
  const rounds = (await reading)?.map(({ text }) => JSON.parse(text).round);
  assert.is(rounds?.[0], rounds?.[1], JSON.stringify(rounds));
});

context('takes the place of what there is, and is left alone by what has none', async () => {
  const folder = newFolder();
  set(folder, 'tab/flow.json', { old: true });
  set(folder, 'gone/flow.json', { old: true });
  await written(folder, undefined);
  assert.is((await contextIn(folder))?.length, 2);
  const kept = [{ path: 'tab/flow.json', text: '{"new":true}' }];
  await written(folder, kept);
  assert.equal(await contextIn(folder), kept);
  assert.equal(readdirSync(join(folder.home, 'context')), ['tab']);
  await written(folder, []);
  assert.equal(await contextIn(folder), []);
  assert.equal(readdirSync(folder.path).sort(), ['home']);
});

context('that was taken over comes into its place wherever Weir was killed', async () => {
  const kept = [{ path: 'tab/flow.json', text: '{"new":true}' }];
  for (const killedAt of ['before it', 'between', 'behind it']) {
    const folder = newFolder();
    mkdirSync(folder.home, { recursive: true });
    if (killedAt === 'before it') set(folder, 'tab/flow.json', { old: true });
    if (killedAt === 'behind it') set(folder, 'tab/flow.json', { new: true });
    else put(join(folder.arrived, 'context/tab/flow.json'), '{"new":true}');
    if (killedAt !== 'before it') put(join(folder.outgoing, 'tab/flow.json'), '{"old": true}');
    put(join(folder.arrived, 'flows.json'), '[]');
    assert.equal(await contextIn(folder), kept, killedAt);
    await finishWriting(folder);
    assert.equal(await contextIn(folder), kept, killedAt);
    assert.equal(readdirSync(folder.path), ['home'], killedAt);
  }
});

context('is never read by a link, and a link never leads what is written elsewhere', async () => {
  for (const link of ['', 'tab', 'tab/flow.json'] as const) {
    const folder = newFolder();
    const { path: outside } = temporaryFolder();
    const secret = join(outside, link === '' ? 'tab/flow.json' : 'flow.json');
    put(secret, '{"of": "another"}');
    const at = join(folder.home, 'context', link);
    mkdirSync(dirname(at), { recursive: true });
    symlinkSync(link === 'tab/flow.json' ? secret : outside, at);
    const { reason, message } = await reasonOf(readStored(folder, asked));
    assert.is(reason, 'FileInTheWay', link);
    assert.match(message, `context${link === '' ? '' : `/${link}`} is a link`);
    assert.equal(await readStored(folder), { flows: [], modules: {} });
    const kept = [{ path: 'tab/flow.json', text: '{"new":true}' }];
    await written(folder, kept);
    assert.equal(await contextIn(folder), kept);
    assert.is(readFileSync(secret, 'utf8'), '{"of": "another"}');
    assert.not(existsSync(folder.outgoing));
  }
});

context('is told where it is broken or too large, and then nothing is changed', async () => {
  const folder = newFolder();
  for (const broken of ['{"a":', '[1]', 'null']) {
    put(join(folder.home, 'context/tab/flow.json'), broken);
    assert.equal(await reasonOf(readStored(folder, asked)), {
      reason: 'ContextBroken',
      message: 'its file context/tab/flow.json is not what a runtime writes',
    });
  }
  set(folder, 'tab/flow.json', { a: 1 });
  put(join(folder.home, 'context/tab/a\\b.json'), '{}');
  assert.match((await reasonOf(readStored(folder, asked))).message, 'has a name that a snapshot cannot hold');
  const large = newFolder();
  put(join(large.home, 'flows.json'), '[]');
  put(join(large.home, 'context/tab/flow.json'), '{}');
  truncateSync(join(large.home, 'context/tab/flow.json'), 65 * 1024 * 1024);
  assert.equal(await reasonOf(readStored(large, asked)), {
    reason: 'TooLarge',
    message: 'it holds 66 MiB of flows and context, and a snapshot holds at most 32 MiB',
  });
  assert.equal(await readStored(large), { flows: [], modules: {} });
});

context('in a snapshot has no path that leads elsewhere', () => {
  const content = (path: string) =>
    contentIn(JSON.stringify({ format: 1, flows: [], modules: {}, context: [{ path, text: '{}' }] }));
  assert.ok(content('tab/flow.json'));
  for (const path of [
    '../flow.json',
    '/flow.json',
    'a/../b.json',
    'a/b/c.json',
    'flow.json',
    'a\\b/c.json',
    'a/b',
    'a/.json',
  ])
    assert.is(content(path), undefined, path);
});

context.run();
