// timeout: 600
// Every command that prints a report × every format × every way to end: the code, and a whole document on stdout, whatever happened.
import { readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verbs } from '../../../src/cli/index.ts';
import { formatNames } from '../../../src/cli/output/index.ts';
import { checkFormat, sarifSchema } from '../../support/formats.ts';
import { freePort } from '../../support/free-port.ts';
import { type Serving, serve } from '../../support/serving.ts';
import { type TemporaryFolder, temporaryFolder, writeFiles } from '../../support/temporary-folder.ts';
import { seed, weir } from '../../support/weir.ts';
import { files, runHere, stack, type Workspace, workspace } from '../world.ts';

interface Context {
  here: Workspace;
  schema: ValidateFunction;
  server: Serving;
  nowhere: string;
}

/** A way to end: the line, its code, and in which of the folders below it happens. */
type Row = readonly [outcome: string, line: string, code: number, place?: Place];

/** `fresh`: nothing is applied; `live`: all is, and an instance uses a stack; either is made anew for each line that changes it. */
type Place = 'fresh' | 'live';

// What "SERVER" and "NOWHERE" stand for is known when they run.
const server = '--server SERVER --token-file token';
const nowhere = '--server NOWHERE --token-file token';

const rows: readonly Row[] = [
  ['ok', 'validate', 0],
  ['invalid', 'validate broken', 1],
  ['unreachable', 'validate nowhere', 5],
  ['usage', 'validate --frobnicate', 64],
  ['usage', 'validate a b', 64],

  ['ok', 'doctor', 0],
  ['ok, with a tree', 'doctor config', 0],
  ['usage', 'doctor a b', 64],

  ['ok', 'store check', 0, 'live'],
  ['no store', 'store check nowhere', 5],
  ['usage', 'store check a b', 64],

  ['ok', 'plan', 0, 'live'],
  ['changes', 'plan', 0],
  ['changes', 'plan --detailed-exitcode', 2],
  ['invalid', 'plan broken', 1],
  ['blocked', 'plan edited', 3, 'live'],
  ['unreachable', 'plan nowhere', 5],
  ['unreachable', `plan ${nowhere}`, 5],
  ['usage', 'plan --allow-deletes many', 64],
  ['usage', 'plan --server http://localhost', 64],
  ['ok, asking a server', `plan ${server}`, 0],
  ['changes, asking a server', `plan more ${server} --detailed-exitcode`, 2],
  ['invalid, asking a server', `plan broken ${server}`, 1],
  ['blocked, asking a server', `plan edited ${server}`, 3],
  ['refused, asking a server', 'plan --server SERVER --token-file wrong', 5],

  ['ok', 'apply', 0, 'live'],
  ['changes', 'apply', 0],
  ['changes', 'apply more.json', 0, 'live'],
  ['invalid', 'apply broken', 1],
  ['blocked', 'apply edited', 3, 'live'],
  ['blocked', 'apply blocked.json', 3, 'live'],
  ['stale', 'apply stale.json', 4, 'live'],
  ['unreachable', 'apply nowhere', 5],
  ['unreachable', 'apply nowhere.json', 5],
  ['unreachable', `apply ${nowhere}`, 5],
  ['usage', 'apply --adopt nr-4', 64],
  ['usage', 'apply config/weir.yaml', 64],
  ['ok, asking a server', `apply ${server}`, 0],
  ['stale, asking a server', `apply more.json ${server}`, 4],
  ['refused, asking a server', 'apply --server SERVER --token-file wrong', 5],

  ['ok', 'status', 0, 'live'],
  ['blocked before', 'status', 1, 'live'],
  ['unreachable', 'status', 5],
  ['unreachable', `status ${nowhere}`, 5],
  ['usage', 'status here', 64],
  ['ok, asking a server', `status ${server}`, 0],
  ['refused, asking a server', 'status --server SERVER --token-file wrong', 5],

  ['ok', 'sso explain --config corp --user ann@corp.example --groups a|`b`<c>', 0, 'live'],
  ['unknown', 'sso explain --config nope --user ann@corp.example', 64, 'live'],
  ['unreachable', 'sso explain --config corp --user ann@corp.example', 5],
  ['usage', 'sso explain', 64],

  ['invalid', 'sso test corp', 1, 'live'],
  ['unknown', 'sso test nope', 64, 'live'],
  ['unreachable', 'sso test corp', 5],
  ['usage', 'sso test', 64],

  ['ok', 'suspend --reason a|`b`<c>', 0, 'live'],
  ['unreachable', 'suspend', 5],
  ['unreachable', `suspend ${nowhere}`, 5],
  ['usage', 'suspend now', 64],
  ['ok, asking a server', `suspend ${server}`, 0],

  ['ok', 'resume', 0, 'live'],
  ['unreachable', 'resume', 5],
  ['usage', 'resume now', 64],
  ['ok, asking a server', `resume ${server}`, 0],
];

const matrix = suite<Context>('every command, format and way to end');

matrix.before(async (context) => {
  context.schema = await sarifSchema();
  context.here = await workspace({
    'broken/weir.yaml': 'kind: Platform\nmetadata: {name: platform}\n',
    'broken/a|`b`@c.yaml': 'kind: Stack\nmetadata: {name: nr-4}\nspec:\n  runtme: "<b>\\u001b[31m"\n  label: yes\n',
    'edited/stacks.yaml': stack.replace('4.1.15', '4.1.16'),
    'more/more.yaml': 'kind: TeamType\nmetadata: {name: pro}\nspec: {description: "a | `b` <c> @d"}\n',
  });
  const { here } = context;
  for (const tree of ['edited', 'more'])
    for (const file of Object.keys(files).filter((path) => path.startsWith('config/')))
      if (file !== `config/${tree === 'edited' ? 'stacks.yaml' : ''}`)
        await writeFiles(here.path, { [file.replace('config', tree)]: files[file] ?? '' });
  await cp(here.path, join(fresh.path, 'fresh'), { recursive: true });
  const { token } = JSON.parse((await here.weir('bootstrap')).stdout);
  here.write('token', token);
  here.write('wrong', `weirp_${'x'.repeat(46)}`);
  await here.weir('apply');
  await seed(join(here.path, '.weir'), users);
  await here.weir('plan more --out more.json');
  await here.weir('plan edited --out blocked.json');
  // One object of it is not as the plan found it.
  const plan = JSON.parse(here.read('blocked.json'));
  plan.changes[0].precondition.generation = 7;
  here.write('stale.json', JSON.stringify(plan));
  await cp(here.path, join(fresh.path, 'live'), { recursive: true });
  context.nowhere = `http://127.0.0.1:${await freePort()}`;
  context.server = await serve(here, []);
});
matrix.after(async ({ here, server }) => {
  server?.child.kill('SIGTERM');
  await server?.ended;
  await here?.remove();
  await fresh.remove();
});

const users = [
  { kind: 'Template', name: 'standard', spec: {} },
  { kind: 'TeamType', name: 'starter', spec: {} },
  { kind: 'SsoConfig', name: 'corp', spec: { emailDomain: 'corp.example', provider: 'saml' } },
  { kind: 'Team', name: 'one', spec: { displayName: 'One', type: 'starter' } },
  { kind: 'Instance', name: 'a', spec: { team: 'one', instanceType: 'small', template: 'standard', stack: 'nr-4' } },
] as const;

/** Copies of the folders that lines start from. */
const fresh: TemporaryFolder = temporaryFolder();

async function folderFor(line: string, place: Place, { here }: Context): Promise<string> {
  if (line.includes('--server')) return here.path;
  const changes = /^(apply|suspend|resume)/.test(line);
  if (!changes) return join(fresh.path, place);
  const copy = join(fresh.path, `copy-${copies++}`);
  await cp(join(fresh.path, place), copy, { recursive: true });
  return copy;
}

let copies = 0;

const root = join(import.meta.dirname, '../../..');

for (const [outcome, line, code, place = 'fresh'] of rows)
  for (const format of formatNames)
    matrix(`weir ${line} --output ${format}: ${code} (${outcome})`, async (context) => {
      const words = line.replace('SERVER', context.server.url).replace('NOWHERE', context.nowhere).split(' ');
      const cwd = await folderFor(line, place, context);
      process.chdir(cwd);
      if (outcome === 'blocked before') await runHere(['apply', 'edited'], cwd);
      const ended = await runHere([...words, '--output', format], cwd);
      assert.is(ended.code, code, ended.stderr);
      checkFormat(format, ended.stdout, context.schema);
      const told = code === 5 || code === 64 || code === 4;
      if (told) assert.match(ended.stderr, /^weir: \S/);
      // A store that is new has a new key, which is told once, whatever was asked for.
      else assert.match(ended.stderr, /^(\S+secret\.key: the key [0-9a-f]{8} of the store was made: .*\n)?$/);
      if (told && format === 'human') assert.is(ended.stdout, '');
      if (told && format !== 'human') assert.ok(ended.stdout.length > 2, 'what went wrong is a document too');
      if (format !== 'human') assert.not.match(ended.stderr, /::|"error"|<testsuite|\| --- \|/, 'none of it on stderr');
    });

matrix('covers every command that has --output, and every format has its own file', async () => {
  const printing: string[] = [];
  for (const [name, { load }] of Object.entries(verbs))
    if ((await load()).options.includes('output')) printing.push(name);
  const isCovered = (name: string) => rows.some(([, line]) => `${line} `.startsWith(`${name} `));
  assert.equal(
    printing.filter((name) => !isCovered(name)),
    [],
  );
  for (const name of formatNames) assert.ok(readFileSync(join(root, `src/cli/output/${name}.ts`), 'utf8'));
});

matrix('looks the same from a process: no colours off a terminal, and all formats at once', async ({ schema }) => {
  const cwd = join(fresh.path, 'fresh');
  const flags = formatNames.flatMap((name) => ['--output', `${name}=${name}.out`]);
  for (const [line, code] of [
    ['validate broken', 1],
    ['validate nowhere', 5],
    ['plan --detailed-exitcode', 2],
    ['plan --frobnicate', 64],
  ] as const) {
    const ended = await weir(cwd, [...line.split(' '), ...flags]);
    assert.is(ended.code, code, ended.stderr);
    for (const name of formatNames) checkFormat(name, readFileSync(join(cwd, `${name}.out`), 'utf8'), schema);
    assert.is(
      readFileSync(join(cwd, 'human.out'), 'utf8').replace(/\(.* s\)/, ''),
      ended.stdout.replace(/\(.* s\)/, ''),
    );
  }
});

matrix.run();
