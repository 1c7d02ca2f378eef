// Where a command is to write is looked at before it does anything: a line that names no such place ends at once, with one complaint.
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verbs } from '../../src/cli/index.ts';
import type { Verb } from '../../src/cli/verb.ts';
import { flagName, flagNote, type OptionName } from '../../src/options.ts';
import { type Workspace, workspace } from './world.ts';

const early = suite<{ here: Workspace }>('where a command is to write');

early.before.each(async (context) => {
  context.here = await workspace({ file: '' });
});
early.after.each(({ here }) => here.remove());

/** Where none of a command's outputs can be; of two, each is told. */
const nowhere: Readonly<Record<'out' | 'output', (verb: Verb) => string>> = {
  out: ({ out }) => (out === 'folder' ? '--out file/folder' : '--out nowhere/file'),
  output: () => '--output junit=nowhere/report.xml --output json=file/report.json',
};

async function* writing(flag: 'out' | 'output'): AsyncGenerator<readonly [string, Verb]> {
  for (const [name, { load }] of Object.entries(verbs)) {
    const verb = await load();
    if (verb.options.includes(flag)) yield [name, verb];
  }
}

for (const flag of ['out', 'output'] as const)
  early(`by --${flag} is looked at before anything is read or asked`, async ({ here }) => {
    const before = readdirSync(here.path, { recursive: true }).toSorted();
    for await (const [name, verb] of writing(flag)) {
      const words = Array.from({ length: verb.words.least }, () => 'nothing');
      const store = verb.options.includes('store') ? ['--store', 'none'] : [];
      const line = [name, ...words, ...store, nowhere[flag](verb)].join(' ');
      const { code, stdout, stderr } = await here.weir(line);
      assert.is(code, 5, `${line}: ${stderr}`);
      assert.is(stdout, '', line);
      const told = stderr.trim().split('\n');
      assert.is(told.length, flag === 'output' ? 2 : 1, `${line}: ${stderr}`);
      for (const one of told)
        assert.match(
          one,
          /cannot be written, because (there is no folder \S*nowhere: make it first|a part of its path is not a folder)$/,
          line,
        );
    }
    assert.equal(readdirSync(here.path, { recursive: true }).toSorted(), before);
  });

early('by --out is known of every command that has the flag', async () => {
  for await (const [name, { out }] of writing('out')) assert.ok(out, `weir ${name} must say what its --out names`);
});

early('cannot be a dash, nor can what is read: one complaint says so', async ({ here }) => {
  const forms = ['DIR', 'FILE', 'PATH', 'CHANGE.json', 'FORMAT[=FILE]'];
  for (const [name, { load }] of Object.entries(verbs)) {
    const verb = await load();
    const isPath = (option: OptionName) => forms.includes(flagNote(option).value ?? '');
    const words = Array.from({ length: verb.words.least }, () => 'word');
    for (const option of verb.options.filter(isPath))
      for (const typed of [`--${flagName(option)} -`, `--${flagName(option)}=-`]) {
        const { code, stderr } = await here.weir([name, ...words, typed].join(' '));
        assert.is(code, 64, stderr);
        const [said = '', help = '', ...more] = stderr.trimEnd().split('\n');
        assert.match(said, `weir: --${flagName(option)} cannot be "-", because `);
        assert.match(help, '--help" for its arguments and flags.');
        assert.equal(more, [], stderr);
      }
  }
  assert.match(
    (await here.weir('plan --out -')).stderr,
    'because nothing is written to stdout by this flag: name a file',
  );
  assert.match((await here.weir('plan --store -')).stderr, 'because nothing is read from stdin: name a file or folder');
});

early('cannot be a document of the tree that is read', async ({ here }) => {
  mkdirSync(join(here.path, 'config/overlays/staging'), { recursive: true });
  symlinkSync('config', join(here.path, 'link'));
  for (const line of [
    'plan --out config/plan.yaml',
    'plan config --out link/plan.yml',
    'plan link --out config/overlays/staging/plan.yaml',
    'plan --output json=config/plan.yaml',
    'validate --output json=config/report.yaml',
    'apply --output markdown=config/report.yml',
    'doctor --output json=config/report.yaml',
  ]) {
    const { code, stdout, stderr } = await here.weir(line);
    assert.is(code, 64, `${line}: ${stderr}`);
    assert.is(stdout, '');
    assert.match(
      stderr,
      /cannot write \S+, because that would be read as a part of the tree: name a file outside of it/,
    );
  }
  const { code, stdout } = await here.weir('validate');
  assert.is(code, 0, stdout);
  assert.not(existsSync(join(here.path, '.weir/journal-000000000001.jsonl')), 'nothing was applied');
});

early('is told where a plan is saved in the tree, and Git might take it', async ({ here }) => {
  const told = 'weir: config/plan.json is in the tree, which does not read it: keep it out of Git\n';
  const saved = await here.weir('plan --out config/plan.json');
  assert.equal([saved.code, saved.stderr], [0, told]);
  assert.is((await here.weir('plan --out config/.plan.yaml')).code, 0, 'a name that the tree passes over');
  assert.is(
    (await here.weir('validate --output json=config/report.json')).stderr,
    '',
    'a report holds nothing of the state',
  );
  assert.is((await here.weir('plan --out plan.json')).stderr, '');
  assert.is((await here.weir('apply config/plan.json')).code, 0);
});

early.run();
