// The folder of the instances: elsewhere than the store, and of one server only.
import { cpSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serve } from '../support/serving.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { weir } from '../support/weir.ts';

const instances = suite('the folder of the instances');

instances('may be elsewhere, is of one server only, and is free again when that ends', async () => {
  const folder = temporaryFolder();
  await writeFiles(folder.path, { 'config/weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {}\n' });
  const where = ['--instances', 'elsewhere'];
  const server = await serve(folder, ['config', ...where]);
  const second = ['serve', 'config', '--port', '0', '--store', 'other', ...where];
  const refused = await weir(folder.path, second);
  assert.is(refused.code, 5, refused.stderr);
  assert.match(
    refused.stderr,
    /the instances in .*elsewhere are looked after by another Weir, process \d+ \(started 2\d{3}-.*serve.*\): stop it first/,
  );
  server.child.kill('SIGTERM');
  assert.is((await server.ended).code, 0);
  assert.ok(existsSync(join(folder.path, 'elsewhere')));
  assert.not(existsSync(join(folder.path, '.weir/instances')));
  const next = await serve(folder, ['config', '--store', 'other'], { WEIR_INSTANCES: 'elsewhere' });
  next.child.kill('SIGTERM');
  assert.is((await next.ended).code, 0);
});

instances('are not lost sight of by a server or a backup that is told of another folder', async () => {
  const folder = temporaryFolder();
  await writeFiles(folder.path, {
    'config/weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {}\n',
    'elsewhere/7Kc/home/flows.json': '[]',
  });
  const server = await serve(folder, ['config', '--instances', 'elsewhere']);
  server.child.kill('SIGTERM');
  await server.ended;
  for (const line of [
    ['serve', 'config', '--port', '0'],
    ['serve', 'config', '--port', '0', '--instances', 'third'],
    ['backup', '--out', 'backup.tar.gz'],
  ]) {
    const { code, stderr } = await weir(folder.path, line);
    assert.equal([code, line], [5, line], stderr);
    assert.match(stderr, /the instances of this store are in \S+elsewhere: add --instances \S+elsewhere/);
  }
  assert.is((await weir(folder.path, ['backup', '--out', 'backup.tar.gz', '--instances', 'elsewhere'])).code, 0);
  renameSync(join(folder.path, 'elsewhere'), join(folder.path, 'third'));
  const moved = await serve(folder, ['config', '--instances', 'third']);
  moved.child.kill('SIGTERM');
  assert.is((await moved.ended).code, 0);
});

instances('are those of a copy, where the store is copied with them', async () => {
  const folder = temporaryFolder();
  await writeFiles(folder.path, {
    'config/weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {}\n',
    '.weir/instances/7Kc/home/flows.json': '[]',
  });
  const server = await serve(folder, ['config']);
  server.child.kill('SIGTERM');
  await server.ended;
  cpSync(join(folder.path, '.weir'), join(folder.path, 'copy'), { recursive: true });
  const copy = await serve(folder, ['config', '--store', 'copy']);
  copy.child.kill('SIGTERM');
  assert.is((await copy.ended).code, 0);
});

instances.run();
