// timeout: 1200
// What is packed for npm: installed in an empty folder as its users do, and run from there.
import { existsSync } from 'node:fs';
import { cp, readFile, symlink } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandResult, runCommand, startCommand } from './support/run-command.ts';
import { addressOf } from './support/serving.ts';
import { temporaryFolder, writeFiles } from './support/temporary-folder.ts';

const repository = resolve(import.meta.dirname, '..');

interface Packed {
  readonly filename: string;
  readonly version: string;
  readonly files: ReadonlyArray<{ readonly path: string }>;
}

const folder = temporaryFolder().path;
const installed = join(folder, 'installed');
// Before the suite: when this fails, its error is all that there is to say.
const packed = await packAndInstall();
const nodes = await nodesOnPath();

const tarball = suite('the packed package');

tarball('holds what runs and what is read, and nothing else', () => {
  const paths = packed.files.map((file) => file.path);
  for (const path of ['dist/bin/weir.js', 'dist/bin/package.json', 'dist/main.js', 'LICENSE', 'CHANGELOG.md']) {
    assert.ok(paths.includes(path), `${path} must be packed`);
  }
  const known = /^(dist|config|examples|schemas)\/|^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
  assert.equal(
    paths.filter((path) => !known.test(path) || /\.ts$|^examples\/refused\//.test(path)),
    [],
  );
});

tarball('keeps every room of src/', async () => {
  const built = new Set(packed.files.map((file) => file.path));
  const { stdout } = await runCommand('find', ['src', '-name', '*.ts'], { cwd: repository });
  const missing = stdout
    .trim()
    .split('\n')
    .map((path) => path.replace(/^src/, 'dist').replace(/\.ts$/, '.js'))
    .filter((path) => !built.has(path));
  assert.equal(missing, []);
});

tarball('runs under each Node of this machine, by its command and by npx', async () => {
  const options = { cwd: installed, env: outside() };
  const command = join(installed, 'node_modules/.bin/weir');
  for (const node of nodes) {
    const result = await runCommand(node, [command, '--version'], options);
    assert.is(result.stderr, '', node);
    assert.match(result.stdout, packed.version, node);
  }
  const result = await runCommand('npx', ['--no-install', 'weir', '--version'], options);
  assert.match(result.stdout, packed.version, result.stderr);
});

tarball('validates the tree that it ships', async () => {
  const command = join(installed, 'node_modules/.bin/weir');
  for (const node of nodes) {
    const args = [command, 'validate', 'node_modules/weir/config'];
    succeeds(await runCommand(node, args, { cwd: installed, env: outside() }));
  }
});

tarball('serves the tree that it ships, and pages with their scripts', async () => {
  const command = join(installed, 'node_modules/.bin/weir');
  const args = [command, 'serve', 'node_modules/weir/config', '--port', '0'];
  const server = startCommand(process.execPath, args, { cwd: installed, env: outside() });
  const url = await addressOf(server);
  const page = await (await fetch(`${url}/account/login`)).text();
  assert.match(page, /<script type="module">.*\/account\/login/s);
  server.child.kill('SIGTERM');
  const { code, stderr } = await server.ended;
  assert.is(code, 0, stderr);
});

tarball.run();

async function packAndInstall(): Promise<Packed> {
  const copy = join(folder, 'copy');
  await copySources(copy);
  const result = await pack(copy);
  await writeFiles(installed, { 'package.json': '{"private": true}' });
  const args = [
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    join(copy, result.filename),
  ];
  succeeds(await runCommand('npm', args, { cwd: installed, env: outside(), timeoutMs: 480_000 }));
  return result;
}

/** The repository without what git ignores, so that packing writes no dist/ into it. */
async function copySources(target: string): Promise<void> {
  const kept = [
    'package.json',
    'tsconfig.json',
    '.ci',
    'src',
    'config',
    'examples',
    'schemas',
    'README.md',
    'CHANGELOG.md',
    'LICENSE',
  ];
  for (const name of kept) {
    if (existsSync(join(repository, name))) await cp(join(repository, name), join(target, name), { recursive: true });
  }
  await symlink(join(repository, 'node_modules'), join(target, 'node_modules'));
}

async function pack(folder: string): Promise<Packed> {
  const result = succeeds(await runCommand('npm', ['pack', '--json'], { cwd: folder, env: outside() }));
  const [packed]: [Packed] = JSON.parse(result.stdout.slice(result.stdout.search(/^\[/m)));
  const { version }: { version: string } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
  assert.is(packed.version, version);
  return packed;
}

/** The environment of a user outside this repository: its own node_modules/.bin is not on the PATH. */
function outside(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: pathOutside().join(delimiter) };
}

function pathOutside(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
}

/** This Node, and those that the machine's own PATH finds: often an older one. */
async function nodesOnPath(): Promise<string[]> {
  const found = pathOutside().map((folder) => join(folder, 'node'));
  const versions = new Map<string, string>([[process.version, process.execPath]]);
  for (const node of found.filter((path) => existsSync(path))) {
    const version = (await runCommand(node, ['--version'])).stdout.trim();
    if (!versions.has(version)) versions.set(version, node);
  }
  return [...versions.values()];
}

function succeeds(result: CommandResult): CommandResult {
  assert.is(result.code, 0, `${result.stdout}${result.stderr}`);
  return result;
}
