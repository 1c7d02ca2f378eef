// timeout: 600
// Every rule has an example of what it refuses: a tree, a command or request, and the exact screen. UPDATE_SCREENS=1 writes the screens anew.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rules } from '../src/core/rules/index.ts';
import { drivers } from '../src/drivers/index.ts';
import { startWorld } from './http/world.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { readSeed, seed, seedStore, weir } from './support/weir.ts';

const examples = resolve(import.meta.dirname, '../examples/refused');
const folders = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

/** Found while documents are read, so they look at no changes. */
const whileReading = ['syntax', 'schema'];

const ids = [...new Set([...whileReading, ...rules.map(({ id }) => id)])].sort();

const refused = suite('examples/refused');

refused('has an example for every rule, and a rule for every example', () => {
  assert.equal(folders, ids);
});

for (const name of folders) {
  const example = join(examples, name);
  refused(`${name} gives its screen`, async () => {
    const screen = existsSync(join(example, 'command')) ? await runExample(example) : await askExample(example);
    if (process.env.UPDATE_SCREENS === '1') writeFileSync(join(example, 'screen.txt'), screen);
    assert.fixture(screen, read(example, 'screen.txt'));
    assert.ok(
      screen.includes(`error[${name}]`) || screen.includes(`"rule": "${name}"`),
      `the screen names the rule ${name}`,
    );
  });
}

refused.run();

/** Runs the command of an example in a copy of its folder; checks the exit code and answers what it prints. */
async function runExample(example: string): Promise<string> {
  const copy = temporaryFolder();
  await cp(example, copy.path, { recursive: true });
  await prepare(copy.path);
  const [program, ...args] = read(example, 'command').trim().split(' ');
  assert.is(program, 'weir');
  const { code, stdout, stderr } = await weir(copy.path, args);
  await copy.remove();
  assert.is(stderr, '');
  assert.is(code, Number(read(example, 'code')), stdout);
  return stdout.replace(/\(\d+\.\d\d s\)/g, '(0.00 s)');
}

/** Brings the store to where the example begins. */
async function prepare(folder: string): Promise<void> {
  if (existsSync(join(folder, 'before'))) {
    const { code, stdout, stderr } = await weir(folder, ['apply', 'before', '--store', 'store']);
    assert.is(code, 0, `${stdout}${stderr}`);
  }
  if (existsSync(join(folder, 'state.json'))) await seed(join(folder, 'store'), readSeed(folder, 'state.json'));
}

/** Sends the request of an example to a server that follows its tree; answers status and body. */
async function askExample(example: string): Promise<string> {
  const [method, url] = headOf(example);
  const text = read(example, 'request.http').split('\n\n').slice(1).join('\n\n').trim();
  assert.ok(isMethod(method), method);
  const world = await startWorld(filesIn(join(example, 'tree')), { drivers });
  try {
    if (existsSync(join(example, 'state.json'))) await seedStore(world.store, readSeed(example, 'state.json'));
    const { status, body } = await world.ask(method, url, text === '' ? {} : { body: JSON.parse(text) });
    return `HTTP ${status}\n${JSON.stringify(body, undefined, 2)}\n`;
  } finally {
    await world.close();
  }
}

/** The method and the path of a request. */
function headOf(example: string): [method: string, path: string] {
  const [method = '', path = ''] = (read(example, 'request.http').split('\n\n')[0] ?? '').trim().split(' ');
  return [method, path];
}

function isMethod(method: string): method is 'POST' | 'PUT' | 'DELETE' {
  return ['POST', 'PUT', 'DELETE'].includes(method);
}

function filesIn(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
  const files = paths.filter((path) => statSync(path).isFile());
  return Object.fromEntries(files.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]));
}

function read(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}
