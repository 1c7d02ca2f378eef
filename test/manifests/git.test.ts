// The commit that a tree stands at, asked of a real git.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commitOf } from '../../src/manifests/git.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

const commits = suite('commitOf');
const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
const git = (folder: string, ...args: string[]) =>
  execFileSync('git', [...identity, ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

commits('is the commit, clean until something below the tree differs from it', async () => {
  const { folder, tree, commit } = await repository();
  assert.equal(await commitOf(tree), { commit, dirty: false });
  writeFileSync(join(folder, 'README'), 'beside the tree\n');
  assert.equal(await commitOf(tree), { commit, dirty: false });
  writeFileSync(join(tree, 'new.yaml'), '');
  assert.equal(await commitOf(tree), { commit, dirty: true });
  git(folder, 'add', '.');
  assert.equal((await commitOf(tree))?.dirty, true);
  git(folder, 'commit', '-qm', 'more');
  assert.equal(await commitOf(tree), { commit: git(folder, 'rev-parse', 'HEAD'), dirty: false });
});

commits('is the same in a linked work tree and behind variables of a hook', async () => {
  const { folder, commit } = await repository();
  const linked = join(temporaryFolder().path, 'linked');
  git(folder, 'worktree', 'add', '-q', '--detach', linked);
  process.env['GIT_DIR'] = '/nowhere';
  process.env['GIT_INDEX_FILE'] = '/nowhere/index';
  const found = await commitOf(join(linked, 'config'));
  delete process.env['GIT_DIR'];
  delete process.env['GIT_INDEX_FILE'];
  assert.equal(found, { commit, dirty: false });
});

commits(
  'is nothing outside a repository, before the first commit, where there is no folder, and without git',
  async () => {
    const { path } = temporaryFolder();
    assert.is(await commitOf(path), undefined);
    git(path, 'init', '-q');
    assert.is(await commitOf(path), undefined);
    assert.is(await commitOf(join(path, 'none')), undefined);
    const { tree } = await repository();
    const before = process.env['PATH'];
    process.env['PATH'] = path;
    const found = await commitOf(tree);
    process.env['PATH'] = before;
    assert.is(found, undefined);
  },
);

commits('does not wait longer than two seconds', async () => {
  const { tree } = await repository();
  const { path } = temporaryFolder();
  writeFileSync(join(path, 'git'), '#!/bin/sh\nexec sleep 250\n');
  chmodSync(join(path, 'git'), 0o755);
  const before = process.env['PATH'];
  process.env['PATH'] = `${path}:${before}`;
  const begun = performance.now();
  const found = await commitOf(tree);
  process.env['PATH'] = before;
  assert.is(found, undefined);
  assert.ok(performance.now() - begun < 60_000, 'it must not wait for the minutes that this git takes');
});

commits('runs no hook and no monitor of the repository, and trusts one of another user', async () => {
  const { folder, tree, commit } = await repository();
  const ran = join(folder, 'ran');
  const hook = join(folder, '.git/hooks/fsmonitor');
  writeFileSync(hook, `#!/bin/sh\ntouch ${ran}\n`);
  chmodSync(hook, 0o755);
  git(folder, 'config', 'core.fsmonitor', hook);
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', '65534', folder]);
  assert.equal(await commitOf(tree), { commit, dirty: false });
  assert.is(existsSync(ran), false);
});

commits.run();

async function repository(): Promise<{ readonly folder: string; readonly tree: string; readonly commit: string }> {
  const folder = temporaryFolder().path;
  await writeFiles(folder, { 'config/weir.yaml': 'kind: Platform\n', README: 'x\n' });
  git(folder, 'init', '-q');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
  return { folder, tree: join(folder, 'config'), commit: git(folder, 'rev-parse', 'HEAD') };
}
