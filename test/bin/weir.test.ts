// The launcher, under this Node and under one that says that it is too old.
import { copyFile, mkdir, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningCommand, runCommand, startCommand } from '../support/run-command.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

const sources = resolve(import.meta.dirname, '../../src/bin');
const bundle = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const showing =
  'console.log(JSON.stringify({ args: process.argv.slice(2), relayed: process.env.WEIR_RELAYED })); process.exitCode = 7;\n';

const launcher = suite('weir.js');

launcher('runs main.ts in the repository, with its arguments and exit code', async () => {
  const weir = await install({ 'main.ts': showing });
  const result = await runCommand(process.execPath, [weir, 'plan', '--out', 'a b']);
  assert.equal(JSON.parse(result.stdout), { args: ['plan', '--out', 'a b'] });
  assert.is(result.code, 7);
});

launcher('prefers main.js, which the packed package has', async () => {
  const weir = await install({ 'main.js': "console.log('built');\n", 'main.ts': "console.log('source');\n" });
  assert.is((await runCommand(process.execPath, [weir])).stdout, 'built\n');
});

launcher('says in plain words why it cannot load Weir', async () => {
  const weir = await install({ 'main.ts': "import 'no-such-package';\n" });
  const missing = await runCommand(process.execPath, [weir]);
  assert.is(missing.code, 64);
  assert.match(missing.stderr, /^weir: cannot start, because Cannot find package 'no-such-package' .*"npm ci".*\n$/);
  const broken = await install({ 'main.ts': "throw new Error('first\\nsecond');\n" });
  const thrown = await runCommand(process.execPath, [broken]);
  assert.is(thrown.code, 70);
  assert.is(thrown.stderr, 'weir: cannot start, because first\n');
});

launcher('says under an old Node what to do, and exits 64', async () => {
  const weir = await install({ 'main.ts': showing });
  const result = await runCommand(process.execPath, [...old(weir), weir, 'serve']);
  assert.is(result.code, 64);
  assert.is(result.stdout, '');
  assert.match(result.stderr, /^weir: cannot run under Node 20\.1\.0, because it needs Node 24 or newer/);
  assert.match(result.stderr, /without --omit=optional/);
  assert.not.match(result.stderr, /^ +at /m);
});

launcher('runs again under the Node that came with the package, and hands everything through', async () => {
  const weir = await install({ 'main.ts': showing });
  await bundleNode(weir, '24.21.0');
  const result = await runCommand(process.execPath, [...old(weir), weir, 'plan', '--out', 'a b']);
  assert.is(result.stderr, '');
  assert.equal(JSON.parse(result.stdout), { args: ['plan', '--out', 'a b'] });
  assert.is(result.code, 7);
});

launcher('hands standard input through', async () => {
  const weir = await install({ 'main.ts': 'process.stdin.pipe(process.stdout);\n' });
  await bundleNode(weir, '24.21.0');
  const result = await runCommand(process.execPath, [...old(weir), weir], { input: 'secret\n' });
  assert.is(result.stdout, 'secret\n');
});

launcher('does not try a bundled Node that is too old itself', async () => {
  const weir = await install({ 'main.ts': showing });
  await bundleNode(weir, '20.0.0');
  assert.is((await runCommand(process.execPath, [...old(weir), weir])).code, 64);
});

launcher('gives up when the second Node turns out to be old as well', async () => {
  const weir = await install({ 'main.ts': showing });
  await bundleNode(weir, '24.21.0');
  const env = { ...process.env, NODE_OPTIONS: `--require ${JSON.stringify(preload(weir))}` };
  assert.is((await runCommand(process.execPath, [weir], { env })).code, 64);
});

const waiting = `for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
  process.on(signal, () => { console.log(signal); clearInterval(timer); process.exitCode = 3; });
const timer = setInterval(() => {}, 1000);
console.log('ready');\n`;

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  launcher(`hands ${signal} through, and ends with the exit code that follows`, async () => {
    const weir = await install({ 'main.ts': waiting });
    await bundleNode(weir, '24.21.0');
    const command = startCommand(process.execPath, [...old(weir), weir]);
    command.child.stdout?.once('data', () => command.child.kill(signal));
    const result = await command.ended;
    assert.is(result.stdout, `ready\n${signal}\n`);
    assert.is(result.code, 3);
  });
}

const orphans: Readonly<Record<string, (weir: string) => RunningCommand>> = {
  'the shell of npm run': (weir) =>
    startCommand('sh', ['-c', `"${process.execPath}" "${weir}"; true`], {
      env: { ...process.env, npm_package_name: 'weir', npm_lifecycle_event: 'weir' },
    }),
  'the first process': (weir) => startCommand(process.execPath, [...old(weir), weir]),
};

for (const [parent, begin] of Object.entries(orphans)) {
  launcher(`stops as by SIGTERM when ${parent} was killed`, async () => {
    const weir = await install({ 'main.ts': waiting });
    await bundleNode(weir, '24.21.0');
    const command = begin(weir);
    command.child.stdout?.once('data', () => command.child.kill('SIGKILL'));
    // Its end is seen by the end of its output: the pipe closes when the orphan has ended too.
    const result = await command.ended;
    assert.is(result.stdout, 'ready\nSIGTERM\n');
    assert.is(result.signal, 'SIGKILL');
  });
}

launcher('ends by the signal that ended the second process', async () => {
  const weir = await install({ 'main.ts': "process.kill(process.pid, 'SIGKILL');\n" });
  await bundleNode(weir, '24.21.0');
  assert.is((await runCommand(process.execPath, [...old(weir), weir])).signal, 'SIGKILL');
});

const telling = `const { MALLOC_ARENA_MAX, WEIR_SPARING } = process.env;
console.log(JSON.stringify({ pid: process.pid, flags: process.execArgv, args: process.argv.slice(2), MALLOC_ARENA_MAX, WEIR_SPARING }));\n`;

if (process.platform !== 'win32')
  launcher('begins anew as the same process, with what spares memory, for serve alone', async () => {
    const { flags } = JSON.parse(await readFile(join(sources, 'memory.json'), 'utf8'));
    const weir = await install({ 'main.ts': telling });
    const command = startCommand(process.execPath, ['--no-warnings', weir, 'serve', 'a b']);
    const { stdout, stderr, code } = await command.ended;
    assert.is(stderr, '');
    assert.is(code, 0);
    assert.equal(JSON.parse(stdout), {
      pid: command.child.pid,
      flags: ['--no-warnings', ...flags],
      args: ['serve', 'a b'],
      MALLOC_ARENA_MAX: '2',
    });
    const other = await runCommand(process.execPath, [weir, 'plan']);
    assert.equal(JSON.parse(other.stdout).flags, []);
  });

if (process.platform !== 'win32')
  launcher('leaves flags and variables that somebody has set as they are', async () => {
    const weir = await install({ 'main.ts': telling });
    const env = { ...process.env, NODE_OPTIONS: '--max-semi-space-size=4', MALLOC_ARENA_MAX: '1' };
    const told = JSON.parse((await runCommand(process.execPath, [weir, 'serve'], { env })).stdout);
    assert.is(told.MALLOC_ARENA_MAX, '1');
    assert.not.match(told.flags.join(), 'semi-space');
  });

launcher('spares memory under the Node that came with the package, too', async () => {
  const weir = await install({ 'main.ts': telling });
  await bundleNode(weir, '24.21.0');
  const { stdout, stderr } = await runCommand(process.execPath, [...old(weir), weir, 'serve', 'config']);
  assert.is(stderr, '');
  const { flags, args, MALLOC_ARENA_MAX, WEIR_SPARING } = JSON.parse(stdout);
  assert.match(flags.join(), '--max-semi-space-size');
  assert.equal(
    { args, MALLOC_ARENA_MAX, WEIR_SPARING },
    { args: ['serve', 'config'], MALLOC_ARENA_MAX: '2', WEIR_SPARING: undefined },
  );
});

launcher('holds nothing that Node 12 cannot read', async () => {
  const text = await readFile(join(sources, 'weir.js'), 'utf8');
  assert.match(text, /^#!\/usr\/bin\/env node\n/);
  for (const newer of [
    /\?\./,
    /\?\?/,
    /'node:/,
    /\|\|=/,
    /replaceAll|\.at\(|Object\.hasOwn/,
    /^\s*await /m,
    /^import /m,
  ]) {
    assert.not.match(text, newer);
  }
  assert.equal(JSON.parse(await readFile(join(sources, 'package.json'), 'utf8')), { type: 'commonjs' });
});

launcher.run();

/** A folder as the repository has it, with another main; gives the launcher's path. */
async function install(files: Readonly<Record<string, string>>): Promise<string> {
  const { path } = temporaryFolder();
  await writeFiles(join(path, 'src'), files);
  await writeFiles(path, {
    'package.json': '{"type": "module"}',
    'old.cjs': "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });\n",
  });
  await mkdir(join(path, 'src/bin'));
  for (const file of ['weir.js', 'package.json', 'memory.json'])
    await copyFile(join(sources, file), join(path, 'src/bin', file));
  return join(path, 'src/bin/weir.js');
}

/** Puts this Node where the package of the given version would bring one. */
async function bundleNode(weir: string, version: string): Promise<void> {
  const folder = resolve(weir, '../../../node_modules', bundle);
  await writeFiles(folder, { 'package.json': JSON.stringify({ name: bundle, version }), 'bin/.keep': '' });
  await symlink(process.execPath, join(folder, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'));
}

/** The arguments that make a Node say that it is version 20.1.0. */
function old(weir: string): string[] {
  return ['--require', preload(weir)];
}

function preload(weir: string): string {
  return resolve(weir, '../../../old.cjs');
}
