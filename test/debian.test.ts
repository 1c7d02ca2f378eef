// Tests that need commands from Debian: they run where the commands are, and elsewhere count as skipped.
import { basename, join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { debian, suiteWith } from './support/debian.ts';
import { runCommand } from './support/run-command.ts';
import { temporaryFolder, writeFiles } from './support/temporary-folder.ts';

const support = resolve(import.meta.dirname, 'support/debian.ts');
const commands = suite('commands from Debian');

commands('are found on the PATH, each with its place', () => {
  const found = debian(['coreutils'], ['ls', 'cat']);
  assert.is(basename(found?.ls ?? ''), 'ls');
  assert.is(basename(found?.cat ?? ''), 'cat');
});

commands('that are missing are told, with what to install, and their tests count as skipped', async () => {
  const folder = temporaryFolder();
  await writeFiles(folder.path, { 'needy.test.ts': needing('weir-no-such-package', 'weir-no-such-command') });
  const { CI: _, ...env } = process.env;
  const result = await runCommand(process.execPath, [join(folder.path, 'needy.test.ts')], { env });
  assert.is(result.code, 0, result.stderr);
  assert.match(
    result.stderr,
    /^SKIPPED: weir-no-such-command is missing \(CI is not set, so nothing is installed\)\. Run: apt-get install -y --no-install-recommends weir-no-such-package$/m,
  );
  assert.match(result.stdout, /Total: {5}0\n {2}Passed: {4}0\n {2}Skipped: {3}3\n/);
  assert.not.match(result.stdout, /the hook ran/);
});

commands('that are there let the tests and their hooks run', async () => {
  const folder = temporaryFolder();
  await writeFiles(folder.path, { 'lucky.test.ts': needing('coreutils', 'ls') });
  const result = await runCommand(process.execPath, [join(folder.path, 'lucky.test.ts')]);
  assert.is(result.code, 0, result.stderr);
  assert.is(result.stderr, '');
  assert.match(result.stdout, /the hook ran(.|\n)*Total: {5}2\n {2}Passed: {4}2\n {2}Skipped: {3}1\n/);
});

commands.run();

const here = suiteWith(debian(['coreutils'], ['ls']), 'a suite with its commands');
here('runs', () => assert.ok(true));
here.run();

function needing(name: string, command: string): string {
  return `import { debian, suiteWith } from '${support}';
const t = suiteWith(debian(['${name}'], ['${command}']), 't');
t.before(() => console.log('the hook ran'));
t.after.each(() => console.log('the hook ran'));
t('a', () => {});
t('b', () => {});
t.skip('c', () => {});
t.run();
`;
}
