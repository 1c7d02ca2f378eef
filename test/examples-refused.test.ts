// timeout: 300
// Every rule has an example of what it refuses: a tree, a command or request, and the exact screen. UPDATE_SCREENS=1 writes the screens anew.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rules } from '../src/core/rules/index.ts';
import { routes } from '../src/http/routes/index.ts';
import { startWorld } from './http/world.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { readSeed, seed, weir } from './support/weir.ts';

const examples = resolve(import.meta.dirname, '../examples/refused');
const folders = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

/** Found while documents are read, so they look at no changes. */
const whileReading = ['syntax', 'schema'];

/** Rules that only a request can break, with the route that it needs: an example is due as soon as there is one. */
const needsRoute: Readonly<Record<string, string>> = {
  'username-unique': '/api/v1/users',
  'email-unique': '/api/v1/users',
  'last-admin': '/api/v1/users/:id',
  'last-owner': '/api/v1/teams/:id/members/:userId',
  'slug-unique': '/api/v1/teams',
  inactive: '/api/v1/teams',
  'limit-reached': '/api/v1/teams/:id/invitations',
  'instance-type-not-enabled': '/api/v1/teams/:id/instances',
  'template-locked': '/api/v1/teams/:id/instances',
};

const isPossible = (id: string) => needsRoute[id] === undefined || routes.some(({ url }) => url === needsRoute[id]);
const ids = [...new Set([...whileReading, ...rules.map(({ id }) => id)])].filter(isPossible).sort();

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
  const [head = '', ...rest] = read(example, 'request.http').split('\n\n');
  const [method = '', url = ''] = head.trim().split(' ');
  assert.ok(isMethod(method), method);
  const world = await startWorld(filesIn(join(example, 'tree')));
  try {
    const { status, body } = await world.ask(method, url, { body: JSON.parse(rest.join('\n\n')) });
    return `HTTP ${status}\n${JSON.stringify(body, undefined, 2)}\n`;
  } finally {
    await world.close();
  }
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
