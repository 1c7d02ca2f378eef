// A file that flows may swap for something else between two looks is read only as the plain file that it was.
import { execFileSync } from 'node:child_process';
import { linkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changingFile } from '../../../src/store/backup/source.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const sources = suite('a file of a backup');

sources('is a plain file with one name, and nothing else', async () => {
  const { path } = temporaryFolder();
  const at = (name: string) => join(path, name);
  for (const name of ['plain', 'outside']) writeFileSync(at(name), name);
  symlinkSync(at('outside'), at('link'));
  linkSync(at('outside'), at('second'));
  execFileSync('mkfifo', [at('pipe')]);
  const left: string[] = [];
  const sizes: (number | undefined)[] = [];
  for (const name of ['plain', 'gone', 'link', 'second', 'pipe']) {
    const opened = await changingFile(at(name), name, () => left.push(name)).open();
    sizes.push(opened?.size);
    await opened?.close();
  }
  assert.equal(
    [sizes, left],
    [
      [5, undefined, undefined, undefined, undefined],
      ['link', 'second', 'pipe'],
    ],
  );
});

sources.run();
