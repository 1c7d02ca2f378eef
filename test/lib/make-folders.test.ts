// Folders that are made with those above them.
import { symlinkSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeFolders } from '../../src/lib/make-folders.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';

const making = suite<{ here: TemporaryFolder }>('making folders');

making.before.each((context) => {
  context.here = temporaryFolder();
});
making.after.each(({ here }) => here.remove());

const codeOf = (path: string): Promise<string> =>
  makeFolders(path).then(
    () => 'made',
    (error) => error.code,
  );

making('makes the missing ones above it, and leaves one that is there', async ({ here }) => {
  const path = join(here.path, 'a', 'b', 'c');
  await makeFolders(path, 0o700);
  assert.is((await stat(join(here.path, 'a'))).mode & 0o777, 0o700);
  await makeFolders(path, 0o755);
  assert.is((await stat(path)).mode & 0o777, 0o700);
  await makeFolders('/');
});

making('says that a file, or a link that leads nowhere, is no folder', async ({ here }) => {
  writeFileSync(join(here.path, 'file'), '');
  symlinkSync('nowhere', join(here.path, 'dangling'));
  for (const name of ['file', 'file/below', 'dangling'])
    assert.is(await codeOf(join(here.path, name)), 'ENOTDIR', name);
});

making('goes through a link', async ({ here }) => {
  await makeFolders(join(here.path, 'real'));
  symlinkSync('real', join(here.path, 'link'));
  await makeFolders(join(here.path, 'link', 'below'));
  assert.ok((await stat(join(here.path, 'real', 'below'))).isDirectory());
});

if (process.platform === 'linux')
  making('ends where a file system takes no folders', async () => {
    assert.is(await codeOf('/proc/x/y'), 'ENOENT');
  });

making.run();
