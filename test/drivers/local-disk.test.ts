// What the folders of instances take up of the disk: all of it, nothing twice, no more than a bounded piece at a time, and never what links lead to.
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { removeTree } from '../../src/drivers/local/deep.ts';
import { createDiskUse } from '../../src/drivers/local/disk-use.ts';
import { folderOf } from '../../src/drivers/local/folder.ts';
import { makeDeep } from '../support/deep-folders.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const disk = suite('the disk of instances');

const mib = 1024 * 1024;

function made(files: Readonly<Record<string, number>>) {
  const { path } = temporaryFolder();
  const folder = folderOf(path, 'a');
  for (const [name, size] of Object.entries(files)) {
    mkdirSync(join(folder.path, name, '..'), { recursive: true });
    writeFileSync(join(folder.path, name), Buffer.alloc(size, 7));
  }
  return { path, folder, folders: new Map([['a', folder]]) };
}

/** In MiB; folders take up a little themselves. */
const about = (bytes: number | undefined) => Math.round((bytes ?? -mib) / mib);

disk('is what files take up, each once, and not what links lead to', async () => {
  const { folder, folders, path } = made({
    'home/a': mib,
    'home/b/c': 2 * mib,
    'home/node_modules/x/y': mib,
    log: mib,
  });
  writeFileSync(join(path, 'outside'), Buffer.alloc(8 * mib, 7));
  linkSync(join(folder.home, 'a'), join(folder.home, 'again'));
  symlinkSync(path, join(folder.home, 'link'));
  symlinkSync(join(path, 'outside'), join(folder.home, 'other'));
  const use = createDiskUse();
  assert.is(about((await use.look(folders)).get('a')), 5);
  assert.is(about((await use.look(folders)).get('a')), 5);
  rmSync(join(folder.home, 'b'), { recursive: true });
  assert.is(about((await use.look(folders)).get('a')), 3, 'less, once it is looked through again');
  assert.equal([...(await use.look(new Map()))], []);
  await use.close();
});

disk('is counted below paths that are longer than the system takes', async () => {
  const { folder, folders } = made({ 'home/a': mib });
  const use = createDiskUse();
  makeDeep(folder.home, 8 * mib);
  assert.is(about((await use.look(folders)).get('a')), 9);
  assert.is(about((await use.look(folders)).get('a')), 9);
  await removeTree(folder.home);
  assert.is(about((await use.look(folders)).get('a')), 0);
  mkdirSync(folder.home);
  makeDeep(folder.home, 0, 400);
  assert.ok(((await use.look(folders)).get('a') ?? 0) >= 2 ** 50, 'what nobody can look at is more than any limit');
  await removeTree(folder.home);
  await use.close();
});

disk('counts what has a name that is no UTF-8', async () => {
  const { folder, folders } = made({ 'home/a': mib });
  const odd = (...names: string[]) =>
    Buffer.concat([Buffer.from(`${folder.home}/`), Buffer.from(names.join('/'), 'latin1')]);
  writeFileSync(odd('caf\xe9'), Buffer.alloc(2 * mib, 7));
  mkdirSync(odd('\xff'));
  writeFileSync(odd('\xff', '\xfe'), Buffer.alloc(4 * mib, 7));
  const use = createDiskUse();
  assert.is(about((await use.look(folders)).get('a')), 7);
  await use.close();
});

disk('is looked through a piece at a time, and what grows is seen before a pass is over', async () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`home/many/${index}`, 1]));
  const { folder, folders } = made(many);
  const use = createDiskUse({ aWalk: 100, all: 100 });
  let looks = 0;
  for (let known = -1, now = 0; now !== known; looks += 1) {
    known = now;
    now = (await use.look(folders)).get('a') ?? 0;
  }
  assert.ok(looks >= 5, `${looks} looks`);
  writeFileSync(join(folder.home, 'big'), Buffer.alloc(16 * mib, 7));
  let seen = 0;
  for (let look = 0; look < 12 && seen < 16; look += 1) seen = about((await use.look(folders)).get('a'));
  assert.ok(seen >= 16, `${seen}`);
  await use.close();
});

disk('of one instance with a large tree keeps nobody else from being looked at', async () => {
  const { path, folder } = made(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`home/${index}`, 1])));
  const other = folderOf(path, 'b');
  mkdirSync(other.home, { recursive: true });
  writeFileSync(join(other.home, 'x'), Buffer.alloc(4 * mib, 7));
  const use = createDiskUse({ aWalk: 50, all: 60 });
  const folders = new Map([
    ['a', folder],
    ['b', other],
  ]);
  await use.look(folders);
  assert.is(about((await use.look(folders)).get('b')), 4);
  await use.close();
});

disk('of an instance whose folder is gone is none', async () => {
  const { path } = temporaryFolder();
  const use = createDiskUse();
  assert.is((await use.look(new Map([['a', folderOf(path, 'a')]]))).get('a'), 0);
});

disk.run();
