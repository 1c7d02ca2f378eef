// timeout: 600
// The recipes for CI: their shell steps, taken out of the files that ship, are run on a real repository against a real server.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { type CommandResult, runCommand } from './support/run-command.ts';
import { mintOn, type Serving, serve } from './support/serving.ts';
import { type TemporaryFolder, temporaryFolder, writeFiles } from './support/temporary-folder.ts';
import { until } from './support/until.ts';
import { launcher, plainEnvironment, seed, weir } from './support/weir.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Context {
  folder: TemporaryFolder;
  server: Serving;
  tokens: { readonly plan: string; readonly admin: string };
}

const stack = 'kind: Stack\nmetadata: {name: nr-4}\nspec:\n  label: Node-RED 4\n  runtime: "4.1.15"\n';
const pro = 'kind: TeamType\nmetadata: {name: pro}\nspec:\n  description: For many\n';

/** Repository `work` is what people edit, `live` is the checkout that the server follows. */
async function setUp(context: Context): Promise<void> {
  const folder = temporaryFolder();
  context.folder = folder;
  await writeFiles(folder.path, {
    'work/config/weir.yaml': 'kind: Platform\nmetadata: {name: platform}\n',
    'work/config/stacks.yaml': stack,
    'work/config/sizes.yaml': 'kind: InstanceType\nmetadata: {name: small}\nspec:\n  stacks: [nr-4]\n',
    'bin/weir': `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`,
    // A job that waits is not waited for here.
    'bin/sleep': '#!/bin/sh\n',
    'bin/gh': `#!/bin/sh\ncase "$1 $2" in\n'api repos/o/r/commits/'*) echo head ;;\n'run list') echo 7 ;;\n'run download') cp '${folder.path}/artifact.json' plan.json ;;\n*) exit 9 ;;\nesac\n`,
  });
  for (const name of ['weir', 'sleep', 'gh']) chmodSync(join(folder.path, 'bin', name), 0o755);
  await git(folder, 'work', 'init', '-q', '-b', 'main');
  await commit(folder, 'the platform');
  await git(folder, '.', 'clone', '-q', 'work', 'live');
  const live = join(folder.path, 'live');
  await writeFiles(live, { '.weir/stacks/4.1.15/.gitkeep': '' });
  const person = JSON.parse((await weir(live, ['bootstrap'])).stdout);
  assert.is((await weir(live, ['apply'])).code, 0);
  await seed(join(live, '.weir'), [
    { kind: 'Template', name: 'standard', spec: {} },
    { kind: 'TeamType', name: 'starter', spec: {} },
    { kind: 'Team', name: 'one', spec: { displayName: 'One', type: 'starter' } },
    { kind: 'Instance', name: 'a', spec: { team: 'one', instanceType: 'small', template: 'standard', stack: 'nr-4' } },
  ]);
  context.server = await serve({ path: live });
  const plan = await mintOn(context.server.url, person, { name: 'ci', scope: 'plan' });
  context.tokens = { plan, admin: person.token };
}

async function tearDown({ folder, server }: Context): Promise<void> {
  server?.child.kill('SIGTERM');
  await server?.ended;
  await folder?.remove();
}

async function git({ path }: TemporaryFolder, where: string, ...args: string[]): Promise<void> {
  const who = ['-c', 'user.name=ann', '-c', 'user.email=ann@example.net', '-c', 'commit.gpgsign=false'];
  const { code, stderr } = await runCommand('git', [...who, ...args], { cwd: join(path, where) });
  assert.is(code, 0, stderr);
}

async function commit(folder: TemporaryFolder, message: string): Promise<void> {
  await git(folder, 'work', 'add', '-A', 'config');
  await git(folder, 'work', 'commit', '-q', '-m', message);
}

/** A branch off main with other files, checked out. */
async function branch({ folder }: Context, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  await git(folder, 'work', 'checkout', '-q', '-b', name, 'main');
  for (const [path, content] of Object.entries(files)) writeFileSync(join(folder.path, 'work/config', path), content);
  await commit(folder, name);
}

async function merge({ folder }: Context, name: string): Promise<void> {
  await git(folder, 'work', 'checkout', '-q', 'main');
  await git(folder, 'work', 'merge', '-q', '--no-ff', '-m', `merge ${name}`, name);
}

/** What git-sync does. */
async function pull({ folder }: Context): Promise<void> {
  await git(folder, 'live', 'pull', '-q', '--ff-only');
}

/** Runs shell lines in the repository as a job would. */
function shell({ folder }: Context, script: string, env: Readonly<Record<string, string>>): Promise<CommandResult> {
  const path = `${join(folder.path, 'bin')}:${process.env.PATH}`;
  return runCommand('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd: join(folder.path, 'work'),
    env: { ...plainEnvironment(), ...env, PATH: path },
  });
}

async function teamTypes({ server, tokens }: Context): Promise<readonly string[]> {
  const answer = await fetch(`${server.url}/api/v1/team-types`, {
    headers: { authorization: `Bearer ${tokens.admin}` },
  });
  return JSON.parse(await answer.text()).teamTypes.map(({ name }: { name: string }) => name);
}

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const github = suite<Context>('examples/ci/github/weir.yaml');
github.before.each(setUp);
github.after.each(tearDown);

const workflow = parse(read('examples/ci/github/weir.yaml'));

/** Runs the shell steps of a job, up to the first that fails; installing is left out. */
async function job(context: Context, name: string): Promise<Readonly<Record<string, CommandResult>>> {
  const { folder, tokens, server } = context;
  const temporary = join(folder.path, `runner-${name}`);
  mkdirSync(temporary, { recursive: true });
  const runner = {
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: 'o/r',
    GITHUB_SHA: 'abc',
    GITHUB_STEP_SUMMARY: join(folder.path, 'summary.md'),
    RUNNER_TEMP: temporary,
  };
  const known: Readonly<Record<string, string>> = {
    'vars.WEIR_SERVER': server.url,
    'secrets.WEIR_PLAN_TOKEN': tokens.plan,
    'secrets.WEIR_ADMIN_TOKEN': tokens.admin,
    'github.token': 'token of the job',
  };
  const ended: Record<string, CommandResult> = {};
  for (const step of workflow.jobs[name].steps as readonly Step[]) {
    if (step.run === undefined || step.name === 'Install Weir') continue;
    assert.not.match(step.run, '${{', 'nothing from outside becomes a part of a script');
    const env = Object.entries(step.env ?? {}).map(([key, value]) => {
      const [, expression = ''] = /^\$\{\{ (\S+) \}\}$/.exec(value) ?? [];
      assert.ok(known[expression], value);
      return [key, known[expression] ?? ''] as const;
    });
    const result = await shell(context, step.run, { ...runner, ...Object.fromEntries(env) });
    ended[step.name ?? ''] = result;
    if (result.code !== 0) break;
  }
  const plan = join(folder.path, 'work/plan.json');
  if (name === 'plan' && existsSync(plan)) copyFileSync(plan, join(folder.path, 'artifact.json'));
  return ended;
}

const planStep = 'Plan against the live platform';

github('fails a pull request that edits a stack in use, at the very line', async (context) => {
  await branch(context, 'edit', { 'stacks.yaml': stack.replace('4.1.15', '4.1.16') });
  const ended = await job(context, 'plan');
  assert.is(ended['Validate']?.code, 0, ended['Validate']?.stderr);
  const { code, stdout = '' } = ended[planStep] ?? {};
  assert.is(code, 3);
  assert.match(
    stdout,
    /^::error file=config\/stacks\.yaml,line=5,endLine=5,col=12,endColumn=20,title=stack-in-use::Stack\/nr-4: runtime cannot change, because 1 instance uses it/m,
  );
  const summary = readFileSync(join(context.folder.path, 'summary.md'), 'utf8');
  assert.match(summary, '### Weir: the plan is refused, 1 error\n');
  assert.match(summary, '| **error** | <code>stack-in-use</code> |');
  const sarif = JSON.parse(readFileSync(join(context.folder.path, 'work/weir.sarif'), 'utf8'));
  assert.ok(sarif.runs[0].results.some(({ ruleId }: { ruleId: string }) => ruleId === 'stack-in-use'));
});

github('shows a new team type with +, and applies it after the merge', async (context) => {
  await branch(context, 'add', { 'pro.yaml': pro });
  const planned = await job(context, 'plan');
  assert.is(planned[planStep]?.code, 0, planned[planStep]?.stderr);
  assert.match(
    planned[planStep]?.stdout ?? '',
    /^::notice file=config\/pro\.yaml,line=4,.*title=create TeamType\/pro::/m,
  );
  const summary = readFileSync(join(context.folder.path, 'summary.md'), 'utf8');
  assert.match(summary, '| <code>+</code> | create <code>TeamType/pro</code> |');
  assert.equal(await teamTypes(context), ['starter']);
  await merge(context, 'add');
  await pull(context);
  const applied = await job(context, 'apply');
  assert.is(applied['Apply it']?.code, 0, applied['Apply it']?.stderr);
  assert.match(
    applied['Apply it']?.stdout ?? '',
    /^(Applied: 1 created|Nothing to do: this plan is applied already\.\n$)/m,
  );
  assert.equal([...(await teamTypes(context))].sort(), ['pro', 'starter']);
  const again = await job(context, 'apply');
  assert.is(again['Apply it']?.stdout, 'Nothing to do: this plan is applied already.\n');
});

github('refuses a plan as stale that was made before another change', async (context) => {
  await branch(context, 'add', { 'pro.yaml': pro });
  assert.is((await job(context, 'plan'))[planStep]?.code, 0);
  await branch(context, 'label', { 'stacks.yaml': stack.replace('Node-RED 4', 'Four') });
  await merge(context, 'label');
  await merge(context, 'add');
  await pull(context);
  const { code, stderr } = (await job(context, 'apply'))['Apply it'] ?? {};
  assert.is(code, 4);
  assert.match(stderr ?? '', /^weir: the plan is stale, because /m);
  assert.match(stderr ?? '', /^::error title=stale::/m);
});

github('plans after the merge what came from a fork, which gets no secrets and keeps no plan', async (context) => {
  await branch(context, 'fork', { 'pro.yaml': pro });
  await merge(context, 'fork');
  await pull(context);
  const ended = await job(context, 'apply');
  assert.match(ended['Fetch the plan that was reviewed']?.stdout ?? '', /^::warning title=weir::No plan was reviewed/m);
  assert.is(ended['Plan what has none']?.code, 0, ended['Plan what has none']?.stderr);
  assert.is(ended['Apply it']?.code, 0, ended['Apply it']?.stderr);
  assert.equal([...(await teamTypes(context))].sort(), ['pro', 'starter']);
});

github('leaves to forks no step that takes a secret or a right which they have not', () => {
  const own = 'github.event.pull_request.head.repo.full_name == github.repository';
  for (const step of workflow.jobs.plan.steps) {
    const needsMore = JSON.stringify(step).includes('secrets.') || String(step.uses).includes('upload-sarif');
    if (needsMore) assert.ok(String(step.if).includes(own), step.name);
  }
});

github.run();

const gitlab = suite<Context>('examples/ci/gitlab-ci.yml');
gitlab.before.each(setUp);
gitlab.after.each(tearDown);

const pipeline = parse(read('examples/ci/gitlab-ci.yml'));

/** Runs the lines of a job; installing is left out. */
async function gitlabJob(context: Context, name: string): Promise<CommandResult> {
  const { folder, server, tokens } = context;
  const file = (word: string, content: string) => {
    const path = join(folder.path, `${word}-file`);
    writeFileSync(path, content);
    return path;
  };
  const env = {
    GITLAB_CI: 'true',
    WEIR_SERVER: server.url,
    WEIR_PLAN_TOKEN: file('plan', tokens.plan),
    WEIR_ADMIN_TOKEN: file('admin', tokens.admin),
  };
  return shell(context, pipeline[name].script.join('\n'), env);
}

gitlab('fails a merge request that edits a stack in use, with the finding at its line', async (context) => {
  await branch(context, 'edit', { 'stacks.yaml': stack.replace('4.1.15', '4.1.16') });
  const { code, stdout } = await gitlabJob(context, 'weir-plan');
  assert.is(code, 3, stdout);
  const work = join(context.folder.path, 'work');
  const entries = JSON.parse(readFileSync(join(work, 'gl-code-quality-report.json'), 'utf8'));
  const found = entries.find(({ check_name }: { check_name: string }) => check_name === 'stack-in-use');
  assert.equal(found?.location, { path: 'config/stacks.yaml', lines: { begin: 5, end: 5 } });
  assert.match(readFileSync(join(work, 'weir-junit.xml'), 'utf8'), '<failure type="stack-in-use"');
  assert.match(stdout, /error\[stack-in-use\]/);
});

gitlab('shows a new team type with +, and applies it after the merge', async (context) => {
  await branch(context, 'add', { 'pro.yaml': pro });
  const planned = await gitlabJob(context, 'weir-plan');
  assert.is(planned.code, 0, planned.stderr);
  assert.match(planned.stdout, /^ {2}\+ create TeamType\/pro +pro\.yaml:1\n/m);
  await merge(context, 'add');
  const early = await gitlabJob(context, 'weir-apply');
  assert.is(early.code, 2, 'the server has not fetched the commit');
  await pull(context);
  const applied = await until(async () => {
    const ended = await gitlabJob(context, 'weir-apply');
    return ended.code === 2 ? undefined : ended;
  });
  assert.is(applied.code, 0, applied.stderr);
  assert.match(applied.stdout, /No changes\. The state is as the tree declares it \(4 objects\)\.\n$/);
  assert.equal([...(await teamTypes(context))].sort(), ['pro', 'starter']);
});

gitlab.run();

const hooks = suite('.pre-commit-hooks.yaml');

hooks('checks the whole tree, whatever files were touched', async () => {
  const all: readonly { id: string; entry: string; pass_filenames: boolean; files: string }[] = parse(
    read('.pre-commit-hooks.yaml'),
  );
  assert.equal(
    all.map(({ id, entry, pass_filenames }) => [id, entry, pass_filenames]),
    [
      ['weir-validate', 'weir validate', false],
      ['weir-fmt', 'weir fmt --check', false],
    ],
  );
  for (const { files } of all) assert.ok(new RegExp(files).test('config/stacks/nr-4.yml'));
  const [, ...words] = all[0]?.entry.split(' ') ?? [];
  assert.is((await weir(root, [...words, 'config'])).code, 0);
});

hooks.run();
