// timeout: 400
// What stands in a file stays there while it cannot be written anew: on a full disk, over a limit, in a folder of others, as a mount of its own.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandResult, runCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { launcher, plainEnvironment } from '../support/weir.ts';

/** A stack in a form that fmt would change, of so many bytes at least. */
const untidy = (bytes: number) =>
  `kind:   Stack\nmetadata:   {name: big}\nspec:   {runtime: "4"}\n${`# ${'a note '.repeat(10)}\n`.repeat(bytes / 70)}`;

function treeIn(folder: string, bytes: number): string {
  mkdirSync(join(folder, 'config'), { recursive: true });
  writeFileSync(join(folder, 'config/weir.yaml'), 'kind: Platform\nmetadata: {name: platform}\nspec: {}\n');
  const file = join(folder, 'config/stack.yaml');
  writeFileSync(file, untidy(bytes));
  return file;
}

/** A command whose files may have so many KiB. */
const weirLimited = (cwd: string, kib: number, args: readonly string[]): Promise<CommandResult> =>
  runCommand('bash', ['-c', `trap '' XFSZ; ulimit -f ${kib}; exec "$0" "$@"`, process.execPath, launcher, ...args], {
    cwd,
    env: plainEnvironment(),
  });

const weirIn = (cwd: string, args: readonly string[]) =>
  runCommand(process.execPath, [launcher, ...args], { cwd, env: plainEnvironment() });

const full = suite('a file that cannot be written whole');

full('over the size that files may have is as it was, whoever writes it', async () => {
  const folder = temporaryFolder();
  const file = treeIn(folder.path, 9000);
  const out = join(folder.path, 'out.json');
  writeFileSync(out, untidy(9000));
  for (const [written, args] of [
    [file, ['fmt', 'config']],
    [out, ['validate', 'config', '--output', `json=${out}`]],
    [out, ['plan', 'config', '--out', out]],
    [out, ['plan', 'config', '--output', `json=${out}`]],
  ] as const) {
    const before = readFileSync(written, 'utf8');
    const { code, stderr } = await weirLimited(folder.path, args[0] === 'fmt' ? 4 : 0, args);
    assert.is.not(code, 0, args.join(' '));
    assert.match(stderr, /cannot be written, because the file would be larger than allowed/);
    assert.is(readFileSync(written, 'utf8'), before, args.join(' '));
  }
  assert.equal(
    readdirSync(join(folder.path, 'config')).filter((name) => name.startsWith('.')),
    [],
    'nothing is left beside',
  );
  await folder.remove();
});

const isRoot = process.getuid?.() === 0 && process.platform === 'linux';

/** Mounts a small file system for a while; nothing where this process may not. */
async function mounted(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder.path]);
  try {
    if (status === 0) await work(folder.path);
  } finally {
    if (status === 0) spawnSync('umount', [folder.path]);
    await folder.remove();
  }
}

if (isRoot)
  full('on a full disk is as it was', () =>
    mounted(async (folder) => {
      const file = treeIn(folder, 30_000);
      writeFileSync(join(folder, 'rest'), Buffer.alloc(20_000));
      const before = readFileSync(file, 'utf8');
      const { code, stderr } = await weirIn(folder, ['fmt', 'config']);
      assert.is.not(code, 0);
      assert.match(stderr, /stack\.yaml cannot be written, because the disk is full/);
      assert.is(readFileSync(file, 'utf8'), before);
    }),
  );

if (isRoot)
  full('where it is mounted by itself is written in place, and put back where that fails', async () => {
    const folder = temporaryFolder();
    const file = treeIn(folder.path, 9000);
    const outside = join(folder.path, 'outside.yaml');
    writeFileSync(outside, untidy(9000));
    const { status } = spawnSync('mount', ['--bind', outside, file]);
    try {
      if (status !== 0) return;
      const before = readFileSync(file, 'utf8');
      const limited = await weirLimited(folder.path, 4, ['fmt', 'config']);
      assert.is.not(limited.code, 0);
      assert.is(readFileSync(file, 'utf8'), before);
      assert.is((await weirIn(folder.path, ['fmt', 'config'])).code, 0);
      assert.match(readFileSync(outside, 'utf8'), /^kind: Stack\n/);
    } finally {
      if (status === 0) spawnSync('umount', [file]);
      await folder.remove();
    }
  });

full('is a new file that takes the place of the old, with its permissions', async () => {
  const folder = temporaryFolder();
  const file = treeIn(folder.path, 100);
  chmodSync(file, 0o640);
  const before = statSync(file).ino;
  assert.is((await weirIn(folder.path, ['fmt', 'config'])).code, 0);
  const { ino, mode } = statSync(file);
  assert.is.not(ino, before, 'nobody who reads sees half of it');
  assert.is(mode & 0o777, 0o640);
  await folder.remove();
});

full('takes nothing from the plan that is kept', async () => {
  if (!existsSync('/dev/full')) return;
  const folder = temporaryFolder();
  treeIn(folder.path, 100);
  const { code, stderr } = await weirIn(folder.path, [
    'plan',
    'config',
    '--out',
    'plan.json',
    '--output',
    'json=/dev/full',
  ]);
  assert.is.not(code, 0);
  assert.match(stderr, /\/dev\/full cannot be written/);
  assert.is(JSON.parse(readFileSync(join(folder.path, 'plan.json'), 'utf8')).changes.length > 0, true);
  await folder.remove();
});

full.run();
