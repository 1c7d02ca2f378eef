// timeout: 600
// Files that commands cannot write: each ends with exit code 5, says which and why, does nothing that it could not tell of, and leaves what was there.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../support/run-command.ts';
import { launcher, plainEnvironment } from '../support/weir.ts';
import { weirBound } from '../support/weir-bound.ts';
import { type Workspace, workspace } from './world.ts';

const untidy = 'kind:   Stack\nmetadata:   {name: untidy}\nspec: {runtime: "4"}\n';

const unwritable = suite<{ here: Workspace }>('a file that cannot be written');

unwritable.before.each(async (context) => {
  const here = await workspace();
  context.here = here;
  mkdirSync(join(here.path, 'folder'));
  mkdirSync(join(here.path, 'closed'));
  writeFileSync(join(here.path, 'readonly'), 'mine\n', { mode: 0o444 });
  chmodSync(join(here.path, 'closed'), 0o555);
});
unwritable.after.each(({ here }) => here.remove());

/** Where nothing can be written, and what is said of it. */
const targets: Readonly<Record<string, RegExp>> = {
  'nowhere/file': /nowhere\/file cannot be written, because there is no folder .*nowhere: make it first/,
  'readonly/file': /readonly\/file cannot be written, because a part of its path is not a folder/,
  folder: /folder cannot be written, because it is a folder/,
  readonly: /readonly cannot be written, because permission is denied/,
  'closed/file': /closed\/file cannot be written, because permission is denied/,
  ...(existsSync('/dev/full') ? { '/dev/full': /\/dev\/full cannot be written, because the disk is full/ } : {}),
};

for (const [target, message] of Object.entries(targets))
  unwritable(`makes each command exit 5 and say so: ${target}`, async ({ here }) => {
    const before = readdirSync(here.path, { recursive: true }).toSorted();
    for (const line of [`validate --output json=${target}`, `plan --out ${target}`, `plan --output json=${target}`]) {
      const { code, stderr } = await weirBound(here, line);
      assert.is(code, 5, `${line}: ${stderr}`);
      assert.match(stderr, message, line);
      assert.not.match(stderr, /a bug in Weir|\n {4}at /, line);
    }
    assert.equal(readdirSync(here.path, { recursive: true }).toSorted(), before, 'nothing is left beside');
    const applied = await weirBound(here, `apply --output json=${target}`);
    assert.is(applied.code, 5, applied.stderr);
    assert.match(applied.stderr, message);
    if (target !== '/dev/full')
      assert.is((await here.weir('status')).code, 5, 'nothing was applied that nobody could be told of');
    assert.is(readFileSync(join(here.path, 'readonly'), 'utf8'), 'mine\n');
  });

unwritable('is not formatted or exported over where it is read-only', async ({ here }) => {
  here.write('config/untidy.yaml', untidy);
  chmodSync(join(here.path, 'config/untidy.yaml'), 0o444);
  const { code, stderr } = await weirBound(here, 'fmt config');
  assert.is(code, 5, stderr);
  assert.match(stderr, /untidy\.yaml cannot be written, because permission is denied/);
  assert.is(readFileSync(join(here.path, 'config/untidy.yaml'), 'utf8'), untidy);
  await here.weir('apply');
  for (const line of ['export --out readonly', 'export --out closed', 'backup --out closed', 'init closed/new']) {
    const ended = await weirBound(here, line);
    assert.is(ended.code, 5, `${line}: ${ended.stderr}`);
    assert.match(ended.stderr, /cannot be written, because /, line);
  }
  for (const line of ['backup --out readonly', 'export --out config']) {
    const ended = await weirBound(here, line);
    assert.ok([5, 64].includes(ended.code ?? 0), `${line}: ${ended.stderr}`);
  }
  assert.is(readFileSync(join(here.path, 'readonly'), 'utf8'), 'mine\n');
  assert.is(readFileSync(join(here.path, 'config/untidy.yaml'), 'utf8'), untidy);
});

unwritable('behind a reader that takes one line and leaves is no failure', async ({ here }) => {
  here.write(
    'config/many.yaml',
    Array.from({ length: 2000 }, (_, at) => untidy.replace('untidy', `s${at}`)).join('---\n'),
  );
  await here.weir('apply');
  const script = '"$@" | head -1 >/dev/null; echo "code ${PIPESTATUS[0]}"';
  const ended = await runCommand('bash', ['-c', script, 'sh', process.execPath, launcher, 'export'], {
    cwd: here.path,
    env: plainEnvironment(),
  });
  assert.equal([ended.stdout, ended.stderr], ['code 0\n', '']);
});

unwritable.run();
