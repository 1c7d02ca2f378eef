// What goes where: stdout holds one format, stderr the rest, files what was asked for.
import { spawnSync } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launcher, plainEnvironment } from '../../support/weir.ts';
import { type Workspace, workspace } from '../world.ts';

const streams = suite<{ here: Workspace }>('the streams');

streams.before.each(async (context) => {
  context.here = await workspace();
});
streams.after.each(({ here }) => here.remove());

const broken = 'kind: Stack\nmetadata: {name: nr-4}\nspec:\n  runtme: "4.1.15"\n';

streams('stdout is one JSON value, and stderr empty but for the key of a new store', async ({ here }) => {
  const key = /^\S+secret\.key: the key [0-9a-f]{8} of the store was made: .*\n$/;
  for (const [index, line] of ['validate', 'plan', 'apply', 'apply', 'plan', 'status'].entries()) {
    const { stdout, stderr } = await here.weir(`${line} --output json`);
    assert.type(JSON.parse(stdout), 'object', line);
    if (index === 2) assert.match(stderr, key);
    else assert.is(stderr, '', line);
  }
  here.write('config/stacks.yaml', broken);
  for (const line of ['validate', 'plan', 'apply']) {
    const { code, stdout, stderr } = await here.weir(`${line} --output json`);
    const report = JSON.parse(stdout);
    assert.is(code, 1, line);
    assert.is(report.valid, false, line);
    assert.is(stderr, '', line);
  }
});

streams('what `validate --output json` prints is what is promised', async ({ here }) => {
  here.write('config/stacks.yaml', broken);
  const { valid, errors, warnings, files, documents, findings } = JSON.parse(
    (await here.weir('validate --output json')).stdout,
  );
  assert.equal([valid, errors, warnings, files, documents], [false, 1, 0, 3, 3]);
  const [first] = findings;
  const { message, ...rest } = first;
  assert.match(message, /^Stack\/nr-4: /);
  assert.equal(rest, {
    rule: 'schema',
    severity: 'error',
    kind: 'Stack',
    name: 'nr-4',
    path: first.path,
    source: first.source,
    ...(first.suggestion ? { suggestion: first.suggestion } : {}),
  });
  assert.is(first.source.file, 'stacks.yaml');
});

streams('what `plan --output json` prints, `--out` saves', async ({ here }) => {
  const { stdout } = await here.weir('plan --output json --out plan.json');
  const { base, ...printed } = JSON.parse(stdout);
  const saved = JSON.parse(here.read('plan.json'));
  assert.equal({ ...printed, base }, saved);
  assert.is(printed.formatVersion, 1);
  assert.equal(printed.summary, { create: 3, update: 0, delete: 0, rename: 0, adopt: 0, unchanged: 0, blocked: 0 });
  assert.equal(printed.changes[1].fields.at(-1), {
    path: '/spec/runtime',
    before: null,
    after: '4.1.15',
    source: { file: 'stacks.yaml', line: 5, column: 12, endLine: 5, endColumn: 20 },
  });
});

streams('a problem is JSON on stdout, and words on stderr', async ({ here }) => {
  const { code, stdout, stderr } = await here.weir('validate nowhere --output json');
  assert.is(code, 5);
  const { error } = JSON.parse(stdout);
  assert.is(error.code, 'tree_missing');
  assert.is(stderr, `weir: ${error.message}\n`);
});

streams('a format may go to a file beside', async ({ here }) => {
  const { stdout, stderr } = await here.weir(
    'validate --output human --output json=report.json --output github=notes.txt',
  );
  assert.match(stdout, /^0 errors, 0 warnings in 3 files \(\d+\.\d\d s\)\n$/);
  assert.is(stderr, '');
  assert.is(JSON.parse(here.read('report.json')).valid, true);
  assert.is(here.read('notes.txt'), '');
  const beside = await here.weir('validate --output json=report.json');
  assert.match(beside.stdout, /^0 errors/, 'people still see theirs');
});

streams('a file that cannot be written: 5, before anything is done', async ({ here }) => {
  const { code, stdout, stderr } = await here.weir('validate --output json=no/such/folder/report.json');
  assert.is(code, 5);
  assert.is(stdout, '');
  assert.match(
    stderr,
    /report\.json cannot be written, because there is no folder .*no\/such\/folder: make it first\n$/,
  );
});

streams('`FORMAT=-` is stdout, two formats never share a file, and a file is never half written', async ({ here }) => {
  assert.is(JSON.parse((await here.weir('validate --output json=-')).stdout).valid, true);
  assert.is((await here.weir('validate --output json=- --output human')).code, 64);
  const same = await here.weir('validate --output json=a.txt --output github=./a.txt');
  assert.is(same.code, 64);
  assert.match(same.stderr, /--output cannot write two formats to .*a\.txt: name a file for each of them/);
  writeFileSync(join(here.path, 'real.json'), 'old', { mode: 0o640 });
  symlinkSync('real.json', join(here.path, 'link.json'));
  const before = openSync(join(here.path, 'real.json'), 'r');
  assert.is((await here.weir('validate --output json=link.json')).code, 0);
  assert.is(readFileSync(before, 'utf8'), 'old', 'whoever reads the old file reads all of it');
  assert.is(JSON.parse(here.read('real.json')).valid, true);
  assert.is(statSync(join(here.path, 'real.json')).mode & 0o777, 0o640);
  assert.equal(
    readdirSync(here.path).filter((name) => name.startsWith('.real') || name.startsWith('.link')),
    [],
  );
  assert.is((await here.weir('validate --output json=/dev/null')).code, 0);
});

streams('apply does nothing where it could not tell of it', async ({ here }) => {
  const { code, stderr } = await here.weir('apply --output json=no/such/report.json');
  assert.is(code, 5);
  assert.match(stderr, /report\.json cannot be written, because there is no folder .*no\/such: make it first\n$/);
  assert.is((await here.weir('status')).code, 5, 'there is no store');
});

streams('what went wrong is told in the format that was asked for, also where the line is wrong', async ({ here }) => {
  const { code, stdout, stderr } = await here.weir('plan --frobnicate --output json=report.json --output junit');
  assert.is(code, 64);
  assert.match(stdout, /<error type="usage" message="unknown flag --frobnicate for &quot;weir plan&quot;"/);
  assert.match(stderr, /^weir: unknown flag --frobnicate for "weir plan"\n/);
  assert.is(JSON.parse(here.read('report.json')).error.code, 'usage');
  if (!existsSync('/dev/full')) return;
  const nowhere = await here.weir('validate nowhere --output json=/dev/full');
  assert.is(nowhere.code, 5);
  assert.match(nowhere.stderr, /^weir: nowhere is not a tree.*\nweir: \/dev\/full cannot be written/);
});

streams('the summary of a job is added to, once, where Markdown or annotations are asked for', async ({ here }) => {
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(here.path, 'summary.md') };
  const sections = () => here.read('summary.md').match(/^<!-- weir -->\n### .*$/gm)?.length;
  here.write('summary.md', 'what others wrote\n');
  await here.weir('validate', { env });
  assert.is(here.read('summary.md'), 'what others wrote\n', 'nobody asked');
  await here.weir('plan --output markdown', { env });
  assert.match(
    here.read('summary.md'),
    /^what others wrote\n\n<!-- weir -->\n### Weir: this would change the platform\n/,
  );
  await here.weir('plan --output github', { env });
  await here.weir('plan --output markdown=comment.md', { env });
  assert.is(sections(), 3);
  await here.weir('plan --output markdown=summary.md', { env });
  assert.is(sections(), 4, 'where it is named itself, it is added to as well');
  await here.weir('validate nowhere --output markdown', { env });
  assert.is(sections(), 5);
  const redirected = openSync(join(here.path, 'summary.md'), 'a');
  spawnSync(process.execPath, [launcher, 'plan', '--output', 'markdown'], {
    cwd: here.path,
    env: { ...plainEnvironment(), ...env },
    stdio: ['ignore', redirected, 'ignore'],
  });
  assert.is(sections(), 6, 'not twice where stdout leads into it');
  const lost = await here.weir('plan --output github', { env: { ...env, GITHUB_STEP_SUMMARY: '/no/such/summary' } });
  assert.is(lost.code, 0);
  assert.match(lost.stderr, /^weir: the summary \/no\/such\/summary cannot be written, because there is no such/);
});

streams('the code does not depend on the format', async ({ here }) => {
  here.write('config/stacks.yaml', broken);
  for (const format of ['human', 'json', 'github'])
    for (const [line, code] of [
      ['validate', 1],
      ['plan', 1],
      ['apply', 1],
      ['validate nowhere', 5],
      ['status --store nowhere', 5],
    ] as const)
      assert.is((await here.weir(`${line} --output ${format}`)).code, code, `${line} ${format}`);
});

streams('colours are for terminals, and NO_COLOR takes them away', async ({ here }) => {
  here.write('config/stacks.yaml', broken);
  assert.match((await here.weir('validate', { terminal: true })).stdout, '\u001b[');
  assert.not.match((await here.weir('validate', { terminal: true, env: { NO_COLOR: '1' } })).stdout, '\u001b');
  assert.not.match((await here.weir('validate')).stdout, '\u001b');
  assert.not.match((await here.weir('validate --output json', { terminal: true })).stdout, '\u001b');
  assert.not.match((await here.spawn('plan')).stdout, '\u001b');
});

streams('on GitHub Actions annotations go to stderr, relative to the working directory', async ({ here }) => {
  here.write('config/stacks.yaml', broken);
  const env = { GITHUB_ACTIONS: 'true' };
  const { stdout, stderr } = await here.weir('validate --output json', { env });
  assert.is(JSON.parse(stdout).valid, false);
  assert.match(
    stderr,
    /^::error file=config\/stacks\.yaml,line=4,endLine=4,col=3,endColumn=9,title=schema::Stack\/nr-4: .*\n/m,
  );
  const asked = await here.weir('validate --output github', { env });
  assert.is(asked.stderr, '', 'not twice');
  assert.is(asked.stdout, stderr);
  assert.match(
    (await here.weir('validate nowhere', { env })).stderr,
    /::error title=tree_missing::nowhere is not a tree/,
  );
});

streams('a file name cannot make an annotation of its own', async ({ here }) => {
  writeFileSync(join(here.path, 'config', 'a\n::error::b,c:%d.yaml'), broken);
  const { stdout, stderr } = await here.weir('validate --output github');
  assert.is(stderr, '');
  for (const line of stdout.trimEnd().split('\n')) assert.match(line, /^::error file=config\//);
  assert.match(stdout, 'file=config/a%0A%3A%3Aerror%3A%3Ab%2Cc%3A%25d.yaml,');
  const human = (await here.weir('validate')).stdout;
  assert.match(human, ' --> a\\n::error::b,c:%d.yaml:4:3\n');
});

streams('findings come by file, line and column; those without a place last', async ({ here }) => {
  here.write('config/stacks.yaml', 'kind: Stack\nmetadata: {name: nr-4}\nspec:\n  order: 1\n  colour: red\n');
  here.write('config/a.yaml', 'kind: Stack\nmetadata: {name: B}\nspec: {runtime: x}\n');
  symlinkSync('nowhere', join(here.path, 'config', 'z.yaml'));
  const { findings } = JSON.parse((await here.weir('validate --output json')).stdout);
  const places = findings.map(({ source }: { source: { file: string; line: number; column: number } }) => [
    source.file,
    source.line,
    source.column,
  ]);
  assert.equal(
    places,
    places.toSorted((a: [string, number, number], b: [string, number, number]) =>
      a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1] || a[2] - b[2],
    ),
  );
  assert.ok(places.length >= 4);
});

streams('a bug is told in one line, with its trace only when asked: 70', async ({ here }) => {
  here.write('config/stacks.yaml', broken);
  here.write('breaks.mjs', 'Intl.Segmenter.prototype.segment = () => { throw new Error("boom\\nsecond") };');
  const env = { NODE_OPTIONS: `--import=${join(here.path, 'breaks.mjs')}` };
  const { code, stdout, stderr } = await here.spawn('validate', { env });
  assert.is(code, 70);
  assert.is(stdout, '');
  assert.is(stderr, 'weir: a bug in Weir: boom, please report it (WEIR_DEBUG=1 shows where)\n');
  assert.match((await here.spawn('validate', { env: { ...env, WEIR_DEBUG: '1' } })).stderr, /^ +at /m);
});

streams('validate and --version load no server, no store and no watcher', async ({ here }) => {
  here.write(
    'lists.mjs',
    `import { registerHooks } from 'node:module';
import { writeSync } from 'node:fs';
registerHooks({ load: (url, context, next) => { writeSync(2, url + '\\n'); return next(url, context); } });`,
  );
  const env = { NODE_OPTIONS: `--import=${join(here.path, 'lists.mjs')}` };
  for (const line of ['validate', '--version']) {
    const { code, stderr } = await here.spawn(line, { env });
    assert.is(code, 0, stderr);
    assert.match(stderr, '/src/main.ts\n');
    for (const package_ of ['fastify', 'lowdb', 'chokidar'])
      assert.not.match(stderr, `/node_modules/${package_}/`, `${line} loads ${package_}`);
  }
});

streams.run();
