// The exit code of every command and outcome, by the real command.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOfFindings, codeOfPlan } from '../../src/cli/exit-codes.ts';
import type { Finding } from '../../src/core/model/finding.ts';
import { openStore } from '../../src/store/json-file.ts';
import { seed } from '../support/weir.ts';
import { stack, type Workspace, workspace } from './world.ts';

const error: Finding = { rule: 'references', severity: 'error', message: 'Stack/a: no' };
const warning: Finding = { ...error, severity: 'warning' };

const codes = suite('an exit code');

codes('is the first that applies: invalid, refused, pending, fine', () => {
  assert.is(codeOfPlan({ tree: [error], blocked: true, pending: true }), 1);
  assert.is(codeOfPlan({ tree: [warning], blocked: true, pending: true }), 3);
  assert.is(codeOfPlan({ tree: [warning], blocked: false, pending: true }), 2);
  assert.is(codeOfPlan({ tree: [], blocked: false, pending: false }), 0);
  assert.is(codeOfFindings([warning]), 0);
  assert.is(codeOfFindings([warning, error]), 1);
});

codes.run();

const commands = suite<{ here: Workspace }>('the commands');

commands.before.each(async (context) => {
  context.here = await workspace();
});
commands.after.each(({ here }) => here.remove());

commands('validate: 0 for a valid tree, 1 for an invalid one, 5 for none', async ({ here }) => {
  assert.is((await here.weir('validate')).code, 0);
  here.write('config/stacks.yaml', 'kind: Stack\n');
  assert.is((await here.weir('validate')).code, 1);
  const missing = await here.weir('validate nowhere');
  assert.is(missing.code, 5);
  assert.is(missing.stdout, '');
  assert.match(missing.stderr, /^weir: nowhere is not a tree, or not mounted: there is no such folder\n$/);
});

commands('plan, apply, plan: 2 with --detailed-exitcode, then 0, then 0', async ({ here }) => {
  assert.is((await here.weir('plan --detailed-exitcode')).code, 2);
  assert.is((await here.weir('plan')).code, 0);
  assert.is((await here.weir('apply')).code, 0);
  const after = await here.weir('plan --detailed-exitcode');
  assert.is(after.code, 0);
  assert.match(after.stdout, /^No changes\. The state is as the tree declares it \(3 objects\)\.\n$/);
  assert.match((await here.weir('apply')).stdout, /^No changes\./);
});

commands('plan makes no store, and needs none', async ({ here }) => {
  assert.is((await here.weir('plan --store elsewhere')).code, 0);
  assert.not(existsSync(join(here.path, 'elsewhere')));
});

commands('an invalid tree makes no store either', async ({ here }) => {
  here.write('config/stacks.yaml', 'kind: Stack\n');
  assert.is((await here.weir('apply --store elsewhere')).code, 1);
  assert.not(existsSync(join(here.path, 'elsewhere')));
  assert.is((await here.weir('plan')).code, 1);
});

commands('plan and apply: 3 where the live state refuses', async ({ here }) => {
  await here.weir('apply');
  await seed(join(here.path, '.weir'), [
    { kind: 'Template', name: 'standard', spec: {} },
    { kind: 'TeamType', name: 'starter', spec: {} },
    { kind: 'Team', name: 'one', spec: { displayName: 'One', type: 'starter' } },
    { kind: 'Instance', name: 'a', spec: { team: 'one', instanceType: 'small', template: 'standard', stack: 'nr-4' } },
  ]);
  here.write('config/stacks.yaml', stack.replace('4.1.15', '4.1.16'));
  const planned = await here.weir('plan --detailed-exitcode');
  assert.is(planned.code, 3);
  assert.match(planned.stdout, /affects 1 instance\n/);
  assert.match(planned.stdout, /1 blocked; 2 unchanged\.\n$/);
  const applied = await here.weir('apply');
  assert.is(applied.code, 3);
  assert.match(applied.stdout, /Nothing was applied\.\n$/);
  assert.is((await here.weir('export Stack/nr-4')).stdout.includes('4.1.15'), true);
});

commands('status and export: 5 without a store, 0 with one', async ({ here }) => {
  for (const line of ['status', 'export', 'admin reset-password admin']) {
    const { code, stdout, stderr } = await here.weir(`${line} --store nowhere`);
    assert.is(code, 5, line);
    assert.is(stdout, '');
    assert.match(
      stderr,
      /^weir: there is no store in .*nowhere: name its folder, or make one with "apply" or "serve"\n$/,
    );
  }
  await here.weir('apply');
  assert.is((await here.weir('status')).code, 0);
  assert.is((await here.weir('export')).code, 0);
});

commands(
  'a store that another process writes: apply, bootstrap and serve exit 5 and name it; plan, export and status do not care',
  async ({ here }) => {
    await here.weir('apply');
    const store = await openStore(join(here.path, '.weir'), { create: false });
    try {
      for (const line of ['apply', 'bootstrap', 'serve --port 0', 'admin reset-password admin']) {
        const { code, stdout, stderr } = await here.weir(line);
        assert.is(code, 5, line);
        assert.is(stdout, '');
        assert.match(stderr, new RegExp(`is in use by process ${process.pid} `));
        assert.is(/ apply its own tree: weir apply --server URL /.test(stderr), line === 'apply', line);
      }
      for (const line of ['plan', 'export', 'status']) assert.is((await here.weir(line)).code, 0, line);
    } finally {
      await store.close();
    }
  },
);

commands('a damaged store: 5, with file and byte', async ({ here }) => {
  await here.weir('apply');
  const journal = '.weir/journal-000000000001.jsonl';
  const text = here.read(journal);
  here.write(journal, text.replace('"Stack"', '"Stick"'));
  for (const line of ['plan', 'apply', 'status', 'export']) {
    const { code, stderr } = await here.weir(line);
    assert.is(code, 5, `${line}: ${stderr}`);
    assert.match(stderr, /journal-000000000001\.jsonl.*byte \d+/);
  }
});

commands('a folder that cannot be made: 5, with the reason', async ({ here }) => {
  here.write('file', '');
  for (const line of ['apply --store file', 'init file', 'schemas --out file', 'apply --store file/below']) {
    const { code, stderr } = await here.weir(line);
    assert.is(code, 5, line);
    assert.match(stderr, /^weir: .*(is not a folder|a part of its path is not a folder)/, line);
  }
});

if (process.platform === 'linux')
  commands('a folder where the system makes none: 5, and no waiting for ever', async ({ here }) => {
    for (const line of ['apply --store /proc/x', 'init /proc/x', 'schemas --out /proc/x'])
      assert.is((await here.weir(line)).code, 5, line);
    assert.match(
      (await here.weir('apply --store /proc/x')).stderr,
      /^weir: the store \/proc\/x cannot be made there: /,
    );
  });

commands('init: 0, and 64 rather than overwrite', async ({ here }) => {
  const made = await here.weir('init platform');
  assert.is(made.code, 0);
  const checked = await here.weir('validate platform');
  assert.is(checked.code, 0);
  assert.match(checked.stdout, /^0 errors, 0 warnings in 6 files \(/);
  assert.is((await here.weir('init platform')).code, 0, 'what is there is equal');
  here.write('platform/weir.yaml', '# mine\n');
  const again = await here.weir('init platform');
  assert.is(again.code, 64);
  assert.match(again.stderr, /would overwrite weir\.yaml: name an empty folder\n$/);
  assert.is(here.read('platform/weir.yaml'), '# mine\n');
});

commands('explain: 0, and 64 for what does not exist', async ({ here }) => {
  const overview = (await here.weir('explain')).stdout;
  assert.match(overview, /^kinds\n {2}Platform /);
  assert.match(overview, /\n\nrules and warnings\n.*\n {2}mass-delete +Refuses a plan that/s);
  for (const line of overview.split('\n')) assert.ok(line.length <= 100, line);
  assert.match(
    (await here.weir('explain Stack-In-Use')).stdout,
    /^stack-in-use\n\n {2}Refuses deleting .*\n\nwhy\n {2}Instances .*\n\nwhat to do\n {2}Leave .*\n\nfields\n {2}Stack\.spec\.runtime\n/s,
  );
  const rule = await here.weir('explain mas-delete');
  assert.is(rule.code, 64);
  assert.match(rule.stderr, /there is no kind or rule "mas-delete": did you mean mass-delete\?/);
  assert.match((await here.weir('explain teamtype.limits.members')).stdout, /^TeamType\.spec\.limits\.members\n/);
  assert.match((await here.weir('explain Stack.spec.runtime')).stdout, /stack-in-use: refuses/);
  const kind = await here.weir('explain Stak');
  assert.is(kind.code, 64);
  assert.match(kind.stderr, /did you mean Stack\?/);
  assert.match((await here.weir('explain Stack.spec.runtme')).stderr, /did you mean Stack\.spec\.runtime\?/);
});

commands('schemas: writes what editors and clients read', async ({ here }) => {
  assert.is((await here.weir('schemas --out made')).code, 0);
  assert.is(JSON.parse(here.read('made/document.schema.json')).$schema, 'http://json-schema.org/draft-07/schema#');
  assert.is(JSON.parse(here.read('made/openapi.json')).openapi, '3.0.3');
});

commands.run();
