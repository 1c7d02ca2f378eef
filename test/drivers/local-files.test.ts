// timeout: 120
// The files that an instance serves: confined to their folder, whatever flows have planted in it.
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DriverFailed } from '../../src/drivers/driver.ts';
import { keptFiles } from '../../src/drivers/local/kept-files.ts';
import { makeDeep } from '../support/deep-folders.ts';
import { type LocalWorld, localWorld } from './local-world.ts';

const confined = suite('the files of an instance');
const fine = () => {};
const inWorld = (what: string, test: (world: LocalWorld, at: (path: string) => string) => Promise<void>) =>
  confined(what, async () => {
    const world = await localWorld();
    try {
      await world.driver.files.put('a', 'own.txt', Buffer.from('own'), fine);
      writeFileSync(join(world.instances, 'secret.txt'), 'secret');
      await test(world, (path) => world.at('a', join('home/files', path)));
    } finally {
      await world.close();
    }
  });
const secret = '../../../secret.txt';

inWorld(
  'are not read through what leads elsewhere, is hidden or is no file',
  async ({ driver: { files }, instances }, at) => {
    symlinkSync(secret, at('link.txt'));
    symlinkSync('../../..', at('up'));
    symlinkSync('nowhere', at('dangling'));
    symlinkSync('own.txt', at('inner.txt'));
    linkSync(join(instances, 'secret.txt'), at('hard.txt'));
    execFileSync('mkfifo', [at('pipe')]);
    mkdirSync(at('folder'));
    writeFileSync(at('.hidden'), 'hidden');
    mkdirSync(at('.git'));
    writeFileSync(at('.git/config'), 'hidden');
    for (const path of [
      'link.txt',
      'up/secret.txt',
      'dangling',
      'inner.txt',
      'hard.txt',
      'pipe',
      'folder',
      'own.txt/x',
    ])
      assert.is(await files.open('a', path), undefined, path);
    for (const path of ['.hidden', '.git/config', '../files/own.txt', '/etc/passwd', 'a//b', 'x\0', ''])
      assert.instance(await files.open('a', path).catch((error: unknown) => error), TypeError, path);
    assert.equal(
      (await files.list('a')).map(({ path }) => path),
      ['own.txt'],
    );
  },
);

inWorld('are not looked for where their own folder has become a link', async ({ driver: { files }, instances, at }) => {
  mkdirSync(join(instances, 'elsewhere'));
  writeFileSync(join(instances, 'elsewhere/x.txt'), 'secret');
  mkdirSync(at('b', 'home'), { recursive: true });
  symlinkSync('../../elsewhere', at('b', 'home/files'));
  assert.equal([await files.list('b'), await files.open('b', 'x.txt')], [[], undefined]);
  const error = await files.put('b', 'y.txt', Buffer.from('y'), fine).catch((thrown: unknown) => thrown);
  assert.instance(error, DriverFailed);
  await files.remove('b', 'x.txt', fine);
  assert.equal(readdirSync(join(instances, 'elsewhere')), ['x.txt']);
});

inWorld('are written through no link, and take the place of one', async ({ driver: { files }, instances }, at) => {
  symlinkSync(secret, at('link.txt'));
  symlinkSync('../../..', at('up'));
  symlinkSync(secret, at('.incoming'));
  mkdirSync(at('folder'));
  await files.put('a', 'link.txt', Buffer.from('mine'), fine);
  for (const path of ['up/secret.txt', 'up/new.txt', 'own.txt/x', 'folder']) {
    const error = await files.put('a', path, Buffer.from('mine'), fine).catch((thrown: unknown) => thrown);
    assert.instance(error, DriverFailed, path);
    await files.remove('a', path, fine).catch(fine);
  }
  assert.is(readFileSync(join(instances, 'secret.txt'), 'utf8'), 'secret');
  assert.is(readFileSync(at('link.txt'), 'utf8'), 'mine');
  assert.equal(readdirSync(at('')).sort(), ['folder', 'link.txt', 'own.txt', 'up']);
});

inWorld(
  'are for Weir alone, leave no empty folders behind, and are in a backup',
  async ({ driver: { files }, instances }, at) => {
    await files.put('a', 'img/icons/x.svg', Buffer.from('<svg/>'), fine);
    assert.equal(
      [at(''), at('img'), at('img/icons/x.svg')].map((path) => statSync(path).mode & 0o777),
      [0o700, 0o700, 0o600],
    );
    const kept: string[] = [];
    for await (const { path } of keptFiles(instances, ['a'])) kept.push(path);
    assert.equal(kept.sort(), ['a/home/files/img/icons/x.svg', 'a/home/files/own.txt']);
    await files.remove('a', 'img/icons/x.svg', fine);
    assert.equal(readdirSync(at('')), ['own.txt']);
  },
);

inWorld('are written whatever a flow has put where Weir writes them first', async ({ driver: { files } }, at) => {
  mkdirSync(at('.incoming'));
  makeDeep(at('.incoming'), 1);
  await files.put('a', 'x.txt', Buffer.from('mine'), fine);
  assert.equal(readdirSync(at('')).sort(), ['own.txt', 'x.txt']);
});

inWorld('are in a backup once, and what has a name that is no text is told', async ({ instances }, at) => {
  for (const byte of [0xfe, 0xff]) {
    writeFileSync(Buffer.concat([Buffer.from(at('x')), Buffer.from([byte])]), String(byte));
    mkdirSync(Buffer.concat([Buffer.from(at('d')), Buffer.from([byte])]));
  }
  writeFileSync(at('x\ufffd'), 'one that really has this name');
  const kept: Record<string, unknown> = {};
  for await (const { path, from } of keptFiles(instances, ['a'])) {
    assert.is(kept[path], undefined, path);
    kept[path] = 'leftOut' in from ? from.leftOut : 'file' in from ? readFileSync(from.file, 'utf8') : from.text;
  }
  assert.equal(kept, {
    'a/home/files/': '4 names in it are not UTF-8',
    'a/home/files/own.txt': 'own',
    'a/home/files/x\ufffd': 'one that really has this name',
  });
});

inWorld('are read as they were when they were opened', async ({ driver: { files } }) => {
  const file = await files.open('a', 'own.txt');
  await files.put('a', 'own.txt', Buffer.from('another'), fine);
  assert.is(await text(file?.read() ?? Readable.from([])), 'own');
});

confined.run();
