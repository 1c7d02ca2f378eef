// Applying: trees and saved plans, what people see of it, and what keeps it from happening.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { seed } from '../support/weir.ts';
import { platform, stack, type Workspace, workspace } from './world.ts';

const applying = suite<{ here: Workspace }>('weir apply');

applying.before.each(async (context) => {
  context.here = await workspace();
});
applying.after.each(({ here }) => here.remove());

applying('shows what it did, field by field, with file and line', async ({ here }) => {
  assert.is(
    (await here.weir('plan')).stdout,
    `  + create Platform/platform   weir.yaml:1

  + create Stack/nr-4         stacks.yaml:1
      + label: "Node-RED 4"   stacks.yaml:4
      + runtime: "4.1.15"     stacks.yaml:5

  + create InstanceType/small   sizes.yaml:1
      + stacks: ["nr-4"]        sizes.yaml:4

Plan: 3 to create, 0 to update, 0 to delete; 0 unchanged.
`,
  );
  const { stdout } = await here.weir('apply');
  assert.match(stdout, /\n\nApplied: 3 created, 0 updated, 0 deleted; 0 unchanged\.\n$/);
});

applying(
  'warns of what the plan has warned of, on a store that there is not yet and on one that there is',
  async ({ here }) => {
    here.write(
      'config/sso.yaml',
      'kind: SsoConfig\nmetadata: {name: corp}\nspec:\n  emailDomain: example.com\n  provider: ldap\n  ldap: {password: {fromEnv: WEIR_SECRET_LDAP}}\n',
    );
    here.write('config/stacks.yaml', stack.replace('4.1.15', '9.9.9'));
    const warned = async (line: string) => {
      const { findings } = JSON.parse((await here.weir(`${line} --output json`)).stdout);
      return findings.map(({ rule, source }: { rule: string; source: { line: number } }) => `${rule}:${source.line}`);
    };
    const planned = await warned('plan');
    assert.equal(planned.toSorted(), ['secret-missing:6', 'stack-runtime:5']);
    assert.equal(await warned('apply'), planned);
    assert.equal(await warned('plan'), planned);
  },
);

applying('shows updates, renames and deletions', async ({ here }) => {
  await here.weir('apply');
  here.write(
    'config/stacks.yaml',
    stack
      .replace('name: nr-4', 'name: nr-41, previousNames: [nr-4], labels: {tier: free}')
      .replace('Node-RED 4', 'Vier'),
  );
  here.write('config/sizes.yaml', '# moved to stacks.yaml\n---\nkind: Template\nmetadata: {name: t}\n');
  const refused = await here.weir('apply');
  assert.is(refused.code, 3);
  assert.match(refused.stdout, /error\[vanished\].* delete InstanceType\/small, the last InstanceType,/);
  const { stdout } = await here.weir('plan --allow-deletes 1');
  assert.match(stdout, /^ {2}> rename Stack\/nr-4 → Stack\/nr-41 +stacks\.yaml:1\n/);
  assert.match(stdout, /\n {6}\+ metadata\.labels\.tier: "free" +stacks\.yaml:2\n/);
  assert.match(stdout, /\n {6}~ label: "Node-RED 4" → "Vier" +stacks\.yaml:4\n/);
  assert.match(stdout, /\n {2}- delete InstanceType\/small {3}was sizes\.yaml:1 \(1 field\)\n/);
  assert.match(stdout, /\n\nPlan: 1 to create, 0 to update, 1 to delete, 1 to rename; 1 unchanged\.\n$/);
  assert.is((await here.weir('apply --allow-deletes 1')).code, 0);
});

applying('needs the exact number to delete much', async ({ here }) => {
  const many = Array.from({ length: 11 }, (_, index) => stack.replace('nr-4', `nr-${index}`)).join('---\n');
  here.write('config/many.yaml', many.replace('name: nr-4}', 'name: nr-x}'));
  await here.weir('apply');
  here.write('config/many.yaml', 'kind: Template\nmetadata: {name: t}\n');
  const refused = await here.weir('apply');
  assert.is(refused.code, 3);
  assert.match(refused.stdout, /error\[mass-delete\].* consent with --allow-deletes 11; /);
  assert.is((await here.weir('apply --allow-deletes 10')).code, 3);
  assert.is((await here.weir('plan --allow-deletes 11')).code, 0);
  assert.is((await here.weir('apply --allow-deletes 11')).code, 0);
});

applying('tells what a saved plan did under a consent that it was made without', async ({ here }) => {
  const many = Array.from({ length: 11 }, (_, index) => stack.replace('nr-4', `nr-${index}`)).join('---\n');
  here.write('config/many.yaml', many.replace('name: nr-4}', 'name: nr-x}'));
  await here.weir('apply');
  here.write('config/many.yaml', 'kind: Template\nmetadata: {name: t}\n');
  assert.match((await here.weir('plan --out plan.json')).stdout, / 0 to delete, 11 blocked;/);
  assert.is((await here.weir('apply plan.json')).code, 3);
  const { code, stdout } = await here.weir('apply plan.json --allow-deletes 11 --output json');
  assert.is(code, 0);
  const { summary, changes, findings } = JSON.parse(stdout);
  assert.equal(summary, { create: 1, update: 0, delete: 11, rename: 0, adopt: 0, unchanged: 3, blocked: 0 });
  assert.equal([...new Set(changes.map(({ action }: { action: string }) => action))].sort(), ['create', 'delete']);
  assert.not(findings.some(({ severity }: { severity: string }) => severity === 'error'));
  const again = await here.weir('apply plan.json');
  assert.not.match(again.stdout, /error\[/);
  assert.match(again.stdout, /(^|\n)Nothing to do: this plan is applied already\.\n$/);
});

applying('takes an object over with consent, and an equal one in silence', async ({ here }) => {
  await seed(join(here.path, '.weir'), [{ kind: 'Stack', name: 'nr-4', spec: { label: 'Mine', runtime: '4.1.15' } }]);
  const refused = await here.weir('apply');
  assert.is(refused.code, 3);
  assert.match(refused.stdout, /error\[needs-adopt\]/);
  assert.match(
    (await here.weir('plan --adopt stack/nr-4')).stdout,
    /\n {2}< adopt Stack\/nr-4 .*\n {6}~ label: "Mine" → "Node-RED 4"/,
  );
  assert.match((await here.weir('apply --adopt Stack/nr-4')).stdout, /1 adopted; 0 unchanged\.\n$/);

  await seed(join(here.path, '.weir'), [{ kind: 'Template', name: 't', spec: { description: 'T' } }]);
  here.write('config/t.yaml', 'kind: Template\nmetadata: {name: t}\nspec: {description: T}\n');
  const equal = await here.weir('plan --detailed-exitcode');
  assert.is(equal.code, 0);
  assert.match(equal.stdout, /^ {2}< adopt Template\/t \(it is equal: nothing changes\)\n\nNo changes\./);
  assert.is((await here.weir('apply')).code, 0);
  assert.match((await here.weir('plan')).stdout, /^No changes\./);
});

applying('never shows a secret', async ({ here }) => {
  const sso =
    'kind: SsoConfig\nmetadata: {name: corp}\nspec:\n  emailDomain: example.com\n  provider: ldap\n  ldap: {password: {fromEnv: WEIR_SECRET_LDAP}}\n';
  here.write('config/sso.yaml', sso);
  const env = { WEIR_SECRET_LDAP: 'hunter2' };
  for (const line of ['plan', 'apply', 'plan --output json', 'export', 'status --output json']) {
    const { stdout, stderr } = await here.weir(line, { env });
    assert.not.match(stdout + stderr, 'hunter2', line);
  }
  await seed(join(here.path, '.weir'), [
    {
      kind: 'SsoConfig',
      name: 'folk',
      spec: { emailDomain: 'example.org', provider: 'ldap', ldap: { password: { value: 'hunter2' } } },
    },
  ]);
  here.write('config/folk.yaml', sso.replace('corp', 'folk').replace('example.com', 'example.org'));
  const { code, stdout } = await here.weir('plan --adopt SsoConfig/folk');
  assert.is(code, 0);
  assert.not.match(stdout, 'hunter2');
  assert.match(stdout, /~ ldap\.password: \(a secret, fingerprint [0-9a-f]{12}\) → \{fromEnv: "WEIR_SECRET_LDAP"\}/);
});

applying('leaves a trace of every attempt', async ({ here }) => {
  await here.weir('apply');
  here.write('config/stacks.yaml', 'kind: Stack\n');
  assert.is((await here.weir('apply')).code, 1);
  const { stdout } = await here.weir('status');
  assert.match(stdout, /^Ready +False +Refused: the last good state is kept/m);
  const status = JSON.parse((await here.weir('status --output json')).stdout);
  assert.is.not(status.revision.applied, status.revision.attempted);
  assert.is(status.inventory.count, 3);
  assert.ok(status.findings.length > 0);
});

applying('tells in the status from which commit, and whether files differed from it', async ({ here }) => {
  const git = (...args: string[]) => {
    const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...identity, ...args], { cwd: here.path, stdio: 'ignore' });
  };
  git('init', '-q');
  git('add', 'config');
  git('commit', '-qm', 'first');
  await here.weir('apply');
  const clean = (await here.weir('status')).stdout;
  assert.match(clean, /^applied .*, commit [0-9a-f]{12}$/m);
  assert.match(clean, /^SourceAvailable +True +Read: the tree can be read$/m);
  assert.is(JSON.parse((await here.weir('status --output json')).stdout).dirty, false);
  here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Vier'));
  await here.weir('apply');
  assert.match((await here.weir('status')).stdout, /^applied .*, commit [0-9a-f]{12} \(dirty\)$/m);
  assert.is(JSON.parse((await here.weir('status --output json')).stdout).dirty, true);
});

applying('claims nothing of a tree in the status before one was read', async ({ here }) => {
  await seed(join(here.path, '.weir'), [{ kind: 'Stack', name: 'nr-4', spec: { runtime: '4.1.15' } }]);
  const { stdout } = await here.weir('status');
  assert.match(stdout, /^SourceAvailable +Unknown +NotRead: nothing was read yet$/m);
});

applying.run();

const saved = suite<{ here: Workspace }>('a saved plan');

saved.before.each(async (context) => {
  context.here = await workspace();
  await context.here.weir('plan --out plan.json');
});
saved.after.each(({ here }) => here.remove());

saved('is applied, and applied again changes nothing', async ({ here }) => {
  const first = await here.weir('apply plan.json');
  assert.is(first.code, 0, first.stderr);
  assert.match(first.stdout, /\nApplied: 3 created/);
  const second = await here.weir('apply plan.json');
  assert.is(second.code, 0);
  assert.is(second.stdout, 'Nothing to do: this plan is applied already.\n');
  assert.is(JSON.parse((await here.weir('apply plan.json --output json')).stdout).result, 'already');
  assert.is((await here.weir('plan --detailed-exitcode')).code, 0);
});

saved('is refused when an object of it moved, and names it: 4', async ({ here }) => {
  await here.weir('apply plan.json');
  here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Four'));
  await here.weir('plan --out next.json');
  here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Vier'));
  await here.weir('apply');
  const stale = await here.weir('apply next.json');
  assert.is(stale.code, 4);
  assert.is(stale.stdout, '');
  assert.is(
    stale.stderr,
    'weir: the plan is stale, because these objects changed since it was made: Stack/nr-4\n      make a new one with "weir plan"\n',
  );
  assert.equal(JSON.parse((await here.weir('apply next.json --output json')).stdout).error.addresses, ['Stack/nr-4']);
  assert.match((await here.weir('export Stack')).stdout, 'label: Vier');
});

saved('does not mind when something else moved', async ({ here }) => {
  await here.weir('apply plan.json');
  here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Four'));
  await here.weir('plan --out next.json');
  here.write('config/stacks.yaml', stack);
  here.write('config/weir.yaml', `${platform}spec: {exclude: [drafts]}\n`);
  await here.weir('apply');
  assert.is((await here.weir('apply next.json')).code, 0);
});

saved('is refused by the state as it is now: 3', async ({ here }) => {
  await here.weir('apply plan.json');
  here.write('config/sizes.yaml', '# nothing\n---\nkind: Template\nmetadata: {name: t}\n');
  await here.weir('plan --out next.json');
  await seed(join(here.path, '.weir'), [
    { kind: 'Template', name: 's', spec: {} },
    { kind: 'TeamType', name: 'starter', spec: {} },
    { kind: 'Team', name: 'one', spec: { displayName: 'One', type: 'starter' } },
    { kind: 'Instance', name: 'a', spec: { team: 'one', instanceType: 'small', template: 's', stack: 'nr-4' } },
  ]);
  const { code, stdout } = await here.weir('apply next.json');
  assert.is(code, 3);
  assert.match(stdout, /^error\[in-use\] InstanceType\/small: cannot be deleted, because 1 instance is of this type/);
});

saved('that somebody changed by hand, or that is none, is wrong usage', async ({ here }) => {
  const plan = JSON.parse(here.read('plan.json'));
  const wrong: Readonly<Record<string, unknown>> = {
    newer: { ...plan, formatVersion: 2 },
    half: { formatVersion: 1 },
    list: [],
    kind: { ...plan, changes: [{ ...plan.changes[0], kind: 'User' }] },
    field: { ...plan, changes: [{ ...plan.changes[1], fields: [{ path: '/spec/runtime', before: null, after: 7 }] }] },
  };
  for (const [name, content] of Object.entries(wrong)) {
    here.write(`${name}.json`, JSON.stringify(content));
    const { code, stdout, stderr } = await here.weir(`apply ${name}.json`);
    assert.is(code, 64, name);
    assert.is(stdout, '');
    assert.match(
      stderr,
      new RegExp(`${name}\\.json (is not a plan|cannot be applied).*make (a new )?one with "weir plan --out FILE"`),
      name,
    );
  }
  assert.is((await here.weir('plan --detailed-exitcode')).code, 2, 'nothing of them was applied');
});

saved.run();
