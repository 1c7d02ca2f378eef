// The test runner, on folders of small test files that pass, fail, hang, and forget things.
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cannotMount } from './endure/faults/mounts.ts';
import { type CommandResult, runCommand, startCommand } from './support/run-command.ts';
import { type TemporaryFolder, temporaryFolder, writeFiles } from './support/temporary-folder.ts';
import { until } from './support/until.ts';

const repository = resolve(import.meta.dirname, '..');
const opening = "import { suite } from 'uvu';\nimport * as assert from 'uvu/assert';\nconst t = suite('t');\n";
const passing = `${opening}t('a', () => assert.ok(1));\nt('b', () => assert.ok(1));\nt.run();\n`;

const runner = suite('the test runner');

runner('exits 0 and closes with the counts of all files when every test passed', async () => {
  const result = await run({ 'one.test.ts': passing, 'deep/two.test.ts': passing });
  assert.is(result.code, 0, result.stdout);
  assert.is(lastLine(result), '4 passed, 0 failed, 0 skipped');
  assert.match(result.stdout, /^ok {3}test\/deep\/two\.test\.ts {2}2 passed/m);
});

runner('exits 1 on a failed test, and shows the whole output of its file only', async () => {
  const failing = `${opening}console.log('seen');\nt('a', () => assert.is(1, 2));\nt('b', () => {});\nt.run();\n`;
  const result = await run({ 'bad.test.ts': failing, 'good.test.ts': `console.log('unseen');\n${passing}` });
  assert.is(result.code, 1);
  assert.is(lastLine(result), '3 passed, 1 failed, 0 skipped');
  assert.match(result.stdout, /^FAIL test\/bad\.test\.ts {2}1 passed, 1 failed/m);
  assert.match(result.stdout, / \| seen$/m);
  assert.not.match(result.stdout, /unseen/);
});

runner('sums several suites and summaries of one file', async () => {
  const later =
    "import { suite as again } from 'uvu';\nsetTimeout(() => { const u = again('u'); u('c', () => {}); u.run(); }, 50);\n";
  const result = await run({ 'two.test.ts': `${passing}${later}` });
  assert.is(lastLine(result), '3 passed, 0 failed, 0 skipped', result.stdout);
});

runner('fails a file that hangs, after the seconds that it names itself, and ends what it started', async () => {
  const hanging = `// timeout: 1\nimport { spawn } from 'node:child_process';
${opening}t('a', async () => { console.log('pid', spawn('sleep', ['77']).pid); await new Promise((done) => setTimeout(done, 60_000)); });\nt.run();\n`;
  const result = await run({ 'hanging.test.ts': hanging, 'fine.test.ts': passing });
  assert.is(result.code, 1);
  assert.is(lastLine(result), '2 passed, 1 failed, 0 skipped');
  assert.match(result.stdout, /hanging\.test\.ts took longer than 1 s and was stopped/);
  const pid = Number(/pid (\d+)/.exec(result.stdout)?.[1]);
  assert.ok(pid > 0, result.stdout);
  await until('the grandchild is gone', async () => !(await isSleeping(pid)));
});

runner('fails a file that ran no test', async () => {
  const result = await run({ 'empty.test.ts': 'export const nothing = 1;\n' });
  assert.is(result.code, 1);
  assert.match(result.stdout, /empty\.test\.ts ran no test/);
  assert.is(lastLine(result), '0 passed, 1 failed, 0 skipped');
});

runner('knows suites that are run one after another in a loop', async () => {
  const loop = `${opening}const u = suite('u');\nconst v = suite('v');\nfor (const x of [t, u, v]) x('a', () => {});\n`;
  const result = await run({
    'all.test.ts': `${loop}for (const tests of [t, u, v]) tests.run();\n`,
    'some.test.ts': `${loop}for (const tests of [t, u]) tests.run();\n`,
  });
  assert.match(result.stdout, /some\.test\.ts the suite "v" is never run/);
  assert.is(lastLine(result), '5 passed, 1 failed, 0 skipped', result.stdout);
});

runner('fails a file that forgot to run a suite, also when another suite of it ran', async () => {
  const forgot = `${opening}t('a', () => {});\n// t.run();\n`;
  const half = `${passing}const other = suite<{ x: number }>('other');\nother('c', () => {});\n`;
  const plain = "import { test } from 'uvu';\ntest('a', () => {});\n";
  const result = await run({ 'forgot.test.ts': forgot, 'half.test.ts': half, 'plain.test.ts': plain });
  assert.is(result.code, 1);
  assert.match(result.stdout, /forgot\.test\.ts the suite "t" is never run/);
  assert.match(result.stdout, /half\.test\.ts the suite "other" is never run/);
  assert.match(result.stdout, /plain\.test\.ts the suite "test" is never run/);
  assert.is(lastLine(result), '2 passed, 3 failed, 0 skipped');
});

runner('fails a file whose hook throws, though uvu exits 0', async () => {
  const before = `${opening}t.before(() => { throw new Error('no'); });\nt('a', () => {});\nt('b', () => {});\nt.run();\n`;
  const each = `${opening}t.after.each(() => { throw new Error('no'); });\nt('a', () => {});\nt.run();\n`;
  const after = `${opening}t.after(() => { throw new Error('no'); });\nt('a', () => {});\nt.run();\n`;
  const result = await run({ 'before.test.ts': before, 'each.test.ts': each, 'after.test.ts': after });
  assert.is(result.code, 1);
  assert.match(result.stdout, /before\.test\.ts a before or after hook threw/);
  assert.match(result.stdout, /each\.test\.ts a before or after hook threw/);
  assert.match(result.stdout, /after\.test\.ts ended with exit code 1/);
  assert.is(lastLine(result), '0 passed, 4 failed, 0 skipped');
});

runner('fails a file that does not load, leaves early, or is killed', async () => {
  const result = await run({
    'broken.test.ts': "import './missing.ts';\n",
    'early.test.ts': `${opening}t('a', () => process.exit(0));\nt.run();\n`,
    'killed.test.ts': `${opening}t('a', () => process.kill(process.pid, 'SIGKILL'));\nt.run();\n`,
  });
  assert.is(result.code, 1);
  assert.match(result.stdout, /broken\.test\.ts ended with exit code 1/);
  assert.match(result.stdout, /early\.test\.ts ended with exit code 1/);
  assert.match(result.stdout, /killed\.test\.ts was ended by SIGKILL/);
  assert.is(lastLine(result), '0 passed, 3 failed, 0 skipped');
});

runner('counts skipped tests, and fails on them only where CI is set', async () => {
  const skipping = { 'skipping.test.ts': `${opening}t('a', () => {});\nt.skip('b', () => {});\nt.run();\n` };
  const outside = await run(skipping);
  assert.is(outside.code, 0, outside.stdout);
  assert.is(lastLine(outside), '1 passed, 0 failed, 1 skipped');
  const inside = await run(skipping, [], { CI: 'true' });
  assert.is(inside.code, 1);
  assert.is(lastLine(inside), '1 passed, 0 failed, 1 skipped');
  const whole = { 'whole.test.ts': `${opening}t.skip('a', () => {});\nt.skip('b', () => {});\nt.run();\n` };
  const allSkipped = await run(whole);
  assert.is(allSkipped.code, 0, allSkipped.stdout);
  assert.is(lastLine(allSkipped), '0 passed, 0 failed, 2 skipped');
});

runner('shows why a file skipped its tests when that file says so', async () => {
  const saying = `console.error('SKIPPED: a thing is missing');\n${opening}t.skip('a', () => {});\nt.run();\n`;
  const result = await run({ 'saying.test.ts': saying, 'passing.test.ts': passing });
  assert.is(result.code, 0, result.stdout);
  assert.match(result.stdout, /^ok {3}test\/saying\.test\.ts .* 1 skipped .*\n {5}\| SKIPPED: a thing is missing$/m);
});

/** A file that fails as often as it says, and counts its runs in a file beside the others. */
const failsOften = (times: number) => `import { appendFileSync, readFileSync } from 'node:fs';
${opening}appendFileSync('runs', 'x');
const run = readFileSync('runs', 'utf8').length;
console.log('this is run', run);
t('a', () => assert.ok(run > ${times}));
t.run();\n`;

runner(
  'has a file that failed pass three times in a row, alone, and tells at the very end what failed first',
  async () => {
    const result = await run({ 'lucky.test.ts': failsOften(1), 'fine.test.ts': passing });
    assert.is(result.code, 0, result.stdout);
    const lines = result.stdout.trimEnd().split('\n');
    const at = (start: string) => lines.findIndex((line) => line.startsWith(start));
    const again = at('ok after 3 more runs: test/lucky.test.ts  1 passed  (');
    assert.ok(again > at('ok   test/fine.test.ts'), result.stdout);
    const told = at('FLAKY test/lucky.test.ts first failed so:');
    assert.ok(told > again && lines.indexOf('     | this is run 1', told) > told, result.stdout);
    assert.match(
      result.stdout,
      /^NOT LISTED: add to test\/flakes\.md\n\| \d{4}-\d\d-\d\d \| test\/lucky\.test\.ts \| 1 of its tests failed \|/m,
    );
    assert.equal(lines.slice(-2), [
      '1 file failed first, and passed 3 times then: find out why',
      '3 passed, 0 failed, 0 skipped',
    ]);
  },
);

runner('fails a file that fails again within its three runs', async () => {
  const seldom = failsOften(0).replace('run > 0', 'run === 2 || run === 3');
  const result = await run({ 'seldom.test.ts': seldom });
  assert.is(result.code, 1, result.stdout);
  assert.match(result.stdout, / \| this is run 4$/m);
});

runner('finds suites that are made, and whose run is never reached', async () => {
  const result = await run({
    'branch.test.ts': `${opening}t('a', () => {});\nif (process.argv.length > 50) t.run();\nconst u = suite('u');\nu('b', () => {});\nu.run();\n`,
    'function.test.ts': `${opening}t('a', () => {});\nexport function never() { t.run(); }\n`,
  });
  assert.is(result.code, 1, result.stdout);
  assert.match(result.stdout, /branch\.test\.ts the suite "t" is never run/);
  assert.match(result.stdout, /function\.test\.ts the suite "t" is never run/);
});

runner(
  'fails a file that leaves something running in a session of its own, ends that, and is not held up',
  async () => {
    const leaving = `import { spawn } from 'node:child_process';
${opening}t('a', () => { const child = spawn('sleep', ['77'], { detached: true, stdio: 'inherit' }); child.unref(); console.log('pid', child.pid); });\nt.run();\n`;
    const begin = performance.now();
    const result = await run({ 'leaving.test.ts': leaving, 'fine.test.ts': passing }, ['--once']);
    assert.ok(performance.now() - begin < 45_000);
    if (process.platform !== 'linux') return;
    assert.is(result.code, 1, result.stdout);
    assert.match(result.stdout, /^FAIL test\/leaving\.test\.ts {2}1 passed, 1 failed/m);
    assert.match(result.stdout, /leaving\.test\.ts left behind, and the runner ended it: sleep: sleep 77$/m);
    assert.is(lastLine(result), '3 passed, 1 failed, 0 skipped');
    const pid = Number(/pid (\d+)/.exec(result.stdout)?.[1]);
    await until('it is gone', async () => !(await isSleeping(pid)));
  },
);

runner('finds what was left also by its command, by its folder and by what it holds open', async () => {
  if (process.platform !== 'linux') return;
  const leaving = (end: string) => `import { spawn } from 'node:child_process';
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
${opening}t('a', () => {
  const file = join(process.env.TMPDIR, 'file');
  writeFileSync(file, '');
  const leave = (args, options = {}) => spawn('/bin/sleep', args, { env: {}, cwd: '/', detached: true, stdio: 'ignore', ...options }).unref();
  ${end}
});\nt.run();\n`;
  const result = await run(
    {
      'command.test.ts': leaving(
        "spawn('/bin/sh', ['-c', 'sleep 78; :', file], { env: {}, cwd: '/', detached: true, stdio: 'ignore' }).unref();",
      ),
      'folder.test.ts': leaving("leave(['79'], { cwd: process.env.TMPDIR });"),
      'held.test.ts': leaving("leave(['80'], { stdio: ['ignore', openSync(file, 'w'), 'ignore'] });"),
      'momentary.test.ts': leaving("leave(['0.3'], { cwd: process.env.TMPDIR });"),
    },
    ['--once'],
  );
  assert.match(result.stdout, /^ {5}test\/command\.test\.ts left behind, .*: sh: \/bin\/sh -c sleep 78; : \//m);
  assert.match(result.stdout, /^ {5}test\/folder\.test\.ts left behind, .*: sleep: \/bin\/sleep 79$/m);
  assert.match(result.stdout, /^ {5}test\/held\.test\.ts left behind, .*: sleep: \/bin\/sleep 80$/m);
  assert.match(result.stdout, /^ok {3}test\/momentary\.test\.ts /m, 'what ends at once is not left');
  assert.is(lastLine(result), '4 passed, 3 failed, 0 skipped');
});

runner('leaves nothing itself where it is told to end', async () => {
  if (process.platform !== 'linux') return;
  // Nobody else's, and it does not end while it is waited for.
  const seconds = 1_000_000 + process.pid;
  const folder = await folderWith({
    'long.test.ts': `import { spawn } from 'node:child_process';
${opening}t('a', async () => { spawn('sleep', ['${seconds}'], { detached: true, stdio: 'ignore' }); console.log('x'); await new Promise((done) => setTimeout(done, 60_000)); });\nt.run();\n`,
  });
  const running = startCommand(process.execPath, [join(repository, 'test/run.ts'), '--root', folder.path], {
    env: { ...process.env, TMPDIR: folder.path },
  });
  const sleeping = async () => (await runCommand('pgrep', ['-fx', `sleep ${seconds}`])).stdout.trim() !== '';
  await until('it sleeps', sleeping, { program: running });
  running.child.kill('SIGTERM');
  await running.ended;
  await until('it is gone', async () => !(await sleeping()));
  await folder.remove();
});

runner('fails a file that leaves a mount, and takes that away', async () => {
  if ((await cannotMount()) !== undefined) return;
  const mounted = `import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
${opening}t('a', () => {
  const at = join(process.env.TMPDIR, 'at');
  mkdirSync(at);
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', at]);
});\nt.run();\n`;
  const result = await run({ 'mounted.test.ts': mounted }, ['--once']);
  assert.match(result.stdout, /^ {5}test\/mounted\.test\.ts left behind, .*: mount: \/.*\/at$/m);
  assert.is(lastLine(result), '1 passed, 1 failed, 0 skipped');
  assert.not.match(await readFile('/proc/self/mountinfo', 'utf8'), /weir-[^ ]*\/at /);
});

runner('fails a file that fails twice, and counts its second run', async () => {
  const result = await run({ 'bad.test.ts': failsOften(2), 'lucky.test.ts': passing });
  assert.is(result.code, 1);
  assert.match(result.stdout, /^FAIL test\/bad\.test\.ts {2}0 passed, 1 failed/m);
  assert.match(result.stdout, / \| this is run 2$/m);
  assert.not.match(result.stdout, /this is run 3|more runs/);
  assert.is(lastLine(result), '2 passed, 1 failed, 0 skipped');
});

runner('gives no second run to what would fail again, nor with --once', async () => {
  const empty = "import { appendFileSync } from 'node:fs';\nappendFileSync('runs', 'x');\nconsole.log('ran');\n";
  const forgot = `${opening}console.log('ran');\nt('a', () => {});\n`;
  const certain = await run({ 'empty.test.ts': empty, 'forgot.test.ts': forgot });
  assert.is(certain.stdout.match(/\| ran$/gm)?.length, 2, certain.stdout);
  assert.not.match(certain.stdout, /again/);
  const once = await run({ 'lucky.test.ts': failsOften(1) }, ['--once']);
  assert.is(once.code, 1);
  assert.match(once.stdout, /^FAIL test\/lucky\.test\.ts {2}0 passed, 1 failed/m);
  assert.not.match(once.stdout, /this is run 2/);
});

runner('runs only the files whose path holds one of the names given, and fails when none does', async () => {
  const files = { 'store/a.test.ts': passing, 'store/b.test.ts': passing, 'cli/c.test.ts': passing };
  assert.is(lastLine(await run(files, ['store/'])), '4 passed, 0 failed, 0 skipped');
  const none = await run(files, ['nowhere']);
  assert.is(none.code, 1);
  assert.match(none.stdout, /no test file below test\/ matches: nowhere/);
});

runner('gives each file a temporary folder of its own, no colours and nothing of its caller', async () => {
  const source = `import { statSync } from 'node:fs';
import { dirname } from 'node:path';
${opening}t('a', () => {
  assert.is(process.env.NO_COLOR, '1');
  assert.is(process.env.WEIR_STORE, undefined);
  assert.is(process.env.GITHUB_ACTIONS, undefined);
  assert.is.not(process.env.TMPDIR, process.env.OUTER);
  assert.ok(process.env.TMPDIR.startsWith(process.env.OUTER));
  for (const folder of [process.env.TMPDIR, dirname(process.env.TMPDIR)])
    assert.is(statSync(folder).mode & 0o777, 0o711, 'a test that gives root up can still pass');
});\nt.run();\n`;
  const outer = temporaryFolder();
  const env = { WEIR_STORE: 'x', GITHUB_ACTIONS: 'true', FORCE_COLOR: '1', TMPDIR: outer.path, OUTER: outer.path };
  const result = await run({ 'environment.test.ts': source }, [], env);
  assert.is(result.code, 0, result.stdout);
  assert.equal(await readdir(outer.path), [], 'and removes it');
});

runner.run();

/** Runs the runner on a folder that holds these files in its test/. */
async function run(
  files: Readonly<Record<string, string>>,
  names: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<CommandResult> {
  const folder = await folderWith(files);
  const { CI: _ci, NO_COLOR: _noColor, ...outside } = process.env;
  const result = await runCommand(
    process.execPath,
    [join(repository, 'test/run.ts'), '--root', folder.path, ...names],
    {
      env: { ...outside, ...env },
    },
  );
  await folder.remove();
  assert.is(result.stderr, '');
  return result;
}

async function folderWith(files: Readonly<Record<string, string>>): Promise<TemporaryFolder> {
  const folder = temporaryFolder();
  await mkdir(join(folder.path, 'test'));
  await writeFiles(join(folder.path, 'test'), files);
  await symlink(join(repository, 'node_modules'), join(folder.path, 'node_modules'));
  await writeFiles(folder.path, { 'package.json': '{"type": "module"}' });
  return folder;
}

function lastLine(result: CommandResult): string | undefined {
  return result.stdout.trimEnd().split('\n').at(-1);
}

async function isSleeping(pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    return stat.startsWith(`${pid} (sleep) `) && !stat.startsWith(`${pid} (sleep) Z`);
  }
  const { stdout } = await runCommand('ps', ['-o', 'stat=,args=', '-p', String(pid)]);
  return stdout.includes('sleep 77') && !stdout.startsWith('Z');
}
