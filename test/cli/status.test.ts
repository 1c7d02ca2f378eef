// timeout: 600
// weir status: its exit code, what it prints while it follows, and what it waits for; of a store, and of a server.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../support/free-port.ts';
import { type RunningCommand, startCommand } from '../support/run-command.ts';
import { addressOf, mintOn, type Serving } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { launcher, plainEnvironment } from '../support/weir.ts';
import { platform, stack, type Workspace, workspace } from './world.ts';

const broken = 'kind: Stack\n';

/** A command that is left running in a workspace. */
function start({ path }: Workspace, line: string): RunningCommand {
  const env = plainEnvironment();
  const running = startCommand(process.execPath, [launcher, ...line.split(' ')], { cwd: path, env });
  started.push(running);
  return running;
}

const started: RunningCommand[] = [];

async function endAll(): Promise<void> {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
}

/** A server on a port of its own, so that it can come back there. */
async function serveOn(here: Workspace, port: number): Promise<Serving> {
  const running = start(here, `serve --port ${port}`);
  return { ...running, url: await addressOf(running) };
}

const seen = (program: RunningCommand, what: RegExp) =>
  until(String(what), () => what.exec(program.output().stdout) ?? undefined, { program });

interface Asked {
  here: Workspace;
}

const code = suite<Asked>('the exit code of status');

code.before.each(async (context) => {
  context.here = await workspace();
});
code.after.each(({ here }) => here.remove());

code('is 1 while Ready is False, whatever the format, and 0 when the tree is mended', async ({ here }) => {
  await here.weir('apply');
  assert.is((await here.weir('status')).code, 0);
  here.write('config/stacks.yaml', broken);
  await here.weir('apply');
  for (const line of ['status', 'status --output json', 'status -q']) assert.is((await here.weir(line)).code, 1, line);
  assert.match((await here.weir('status')).stdout, /Ready +False +Refused/);
  assert.match((await here.weir('status -q')).stdout, /Ready +False +Refused/, 'quiet tells what is wrong');
  here.write('config/stacks.yaml', stack);
  await here.weir('apply');
  assert.equal(await here.weir('status -q'), { code: 0, stdout: '', stderr: '' });
});

code('is 0 where nothing was tried yet: Ready is Unknown then', async ({ here }) => {
  await here.weir('bootstrap');
  const { code: ended, stdout } = await here.weir('status');
  assert.is(ended, 0);
  assert.match(stdout, /Ready +Unknown/);
});

code('is 64 for both ways to stay, and for a folder that nobody waits for', async ({ here }) => {
  assert.match((await here.weir('status --watch --wait')).stderr, /--watch and --wait cannot be given together/);
  assert.match(
    (await here.weir('status config')).stderr,
    /unexpected argument "config": a folder is named with --wait/,
  );
  assert.match((await here.weir('status --wait=0')).stderr, /--wait cannot be "0", because it is not more than 0/);
  assert.match((await here.weir('status --wait=')).stderr, /--wait cannot be empty: write --wait=SECONDS/);
  assert.match((await here.weir('status --wait 60')).stderr, /unexpected argument "60": did you mean --wait=60\?/);
});

code.run();

const store = suite<Asked>('status of a store');

store.before.each(async (context) => {
  context.here = await workspace();
  await context.here.weir('apply');
});
store.after.each(async ({ here }) => {
  await endAll();
  await here.remove();
});

store('--watch prints a line whenever it changes, until SIGINT: 0', async ({ here }) => {
  const following = start(here, 'status --watch');
  await seen(following, /^\S+ Ready=True .* errors=0 warnings=0 Applied: .*\n$/);
  here.write('config/stacks.yaml', broken);
  await here.weir('apply');
  await seen(following, /\n\S+ Ready=False .* errors=3 warnings=0 Refused: .*\n$/);
  here.write('config/stacks.yaml', stack);
  await here.weir('apply');
  await seen(following, /Ready=False.*\n\S+ Ready=True .*\n$/);
  following.child.kill('SIGINT');
  const { code: ended, stdout, stderr } = await following.ended;
  assert.is(ended, 0);
  assert.is(stderr, '');
  assert.is(stdout.trimEnd().split('\n').length, 3, stdout);
});

store('--watch prints one JSON value a line', async ({ here }) => {
  const following = start(here, 'status --watch -o json');
  await seen(following, /\n$/);
  here.write('config/stacks.yaml', broken);
  await here.weir('apply');
  await seen(following, /\n.*\n$/);
  following.child.kill('SIGTERM');
  const { code: ended, stdout } = await following.ended;
  assert.is(ended, 0);
  const values = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(
    values.map(({ conditions }) => conditions[0].status),
    ['True', 'False'],
  );
});

store('--watch waits for a store that went away, and exits 5 where there never was one', async ({ here }) => {
  assert.is((await here.weir('status --watch --store nowhere')).code, 5);
  const following = start(here, 'status --watch');
  await seen(following, /Ready=True/);
  rmSync(join(here.path, '.weir'), { recursive: true });
  await until('it is missed', () => /there is no store/.exec(following.output().stderr) ?? undefined);
  await here.weir('apply');
  await seen(following, /Ready=True.*\n.*Ready=True/);
  following.child.kill('SIGINT');
  const { code: ended, stderr } = await following.ended;
  assert.is(ended, 0);
  assert.is(stderr.match(/there is no store/g)?.length, 1, 'it is told once');
});

store('--wait ends at once where all is well, and exits 1 when the time is up', async ({ here }) => {
  const well = await here.weir('status --wait');
  assert.is(well.code, 0);
  assert.match(well.stdout, /Ready +True/);
  here.write('config/stacks.yaml', broken);
  await here.weir('apply');
  const late = await here.weir('status --wait=0.5');
  assert.is(late.code, 1);
  assert.match(late.stdout, /Ready +False/);
  assert.match(late.stderr, /^weir: gave up after 0\.5 seconds, because Ready is False: the last good state is kept/);
});

store('--wait with a folder waits until that tree was attempted', async ({ here }) => {
  assert.is((await here.weir('status config --wait')).code, 0);
  here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Node-RED four'));
  const late = await here.weir('status config --wait=0.5');
  assert.is(late.code, 1);
  assert.match(
    late.stderr,
    /because the current tree \([0-9a-f]{12}\) was not attempted yet: the last one is [0-9a-f]{12}/,
  );
  const waiting = start(here, 'status config --wait');
  await here.weir('apply');
  assert.is((await waiting.ended).code, 0);
  assert.is((await here.weir('status nowhere --wait')).code, 5);
});

store('--wait waits for a store that is not made yet: 5 when the time is up', async ({ here }) => {
  assert.is((await here.weir('status --wait=0.5 --store late')).code, 5);
  const waiting = start(here, 'status --wait --store late');
  await here.weir('apply --store late');
  assert.is((await waiting.ended).code, 0);
});

store.run();

interface Served extends Asked {
  server: Serving;
  port: number;
  admin: string;
}

const server = suite<Served>('status of a server');

// It looks at its tree only when somebody hints at a change, and takes its time.
const slow = `${platform}spec: {reconcile: {settleMs: 3000, pollSeconds: 86400}}\n`;

server.before.each(async (context) => {
  const here = await workspace({ 'config/weir.yaml': slow });
  context.here = here;
  const person = JSON.parse((await here.weir('bootstrap')).stdout);
  context.port = await freePort();
  context.server = await serveOn(here, context.port);
  here.write('admin-token', person.token);
  here.write('job-token', await mintOn(context.server.url, person, { name: 'ci', scope: 'plan' }));
  context.admin = `--server ${context.server.url} --token-file admin-token`;
});
server.after.each(async ({ here }) => {
  await endAll();
  await here?.remove();
});

server('exits 1 while Ready is False; --wait waits for the tree that is on its disk', async ({ here, admin }) => {
  assert.is((await here.weir(`status ${admin}`)).code, 0);
  here.write('config/stacks.yaml', broken);
  const waiting = start(here, `status --wait ${admin}`);
  await until('it is refused', async () => ((await here.weir(`status ${admin}`)).code === 1 ? true : undefined));
  assert.is((await here.weir(`status --wait=1 ${admin}`)).code, 1);
  here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Node-RED four'));
  const { code: ended, stdout } = await waiting.ended;
  assert.is(ended, 0);
  assert.match(stdout, /Ready +True/);
  assert.match((await here.weir('export Stack')).stdout, 'Node-RED four', 'it is what was applied');
});

server('--wait does not take the state before the change for the one after it', async ({ here, admin }) => {
  here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Node-RED four'));
  assert.is((await here.weir(`status --wait ${admin}`)).code, 0);
  assert.match((await here.weir('export Stack')).stdout, 'Node-RED four');
});

server('--wait asks with a token of scope plan for a folder that is named', async ({ here, server: { url } }) => {
  const job = `--server ${url} --token-file job-token`;
  assert.is((await here.weir(`status --wait ${job}`)).code, 0);
  here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Node-RED four'));
  assert.is((await here.weir(`status config --wait ${job}`)).code, 0);
  assert.match((await here.weir('export Stack')).stdout, 'Node-RED four');
});

server('--wait and --watch outlast a restart; a token that is refused ends both at once', async (context) => {
  const { here, admin, port } = context;
  const following = start(here, `status --watch ${admin}`);
  await seen(following, /Ready=True/);
  context.server.child.kill('SIGTERM');
  await context.server.ended;
  await until('it is missed', () => /cannot be reached/.exec(following.output().stderr) ?? undefined);
  assert.is((await here.weir(`status --wait=0.5 ${admin}`)).code, 5);
  const waiting = start(here, `status --wait ${admin}`);
  here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Node-RED four'));
  context.server = await serveOn(here, port);
  assert.is((await waiting.ended).code, 0);
  await seen(following, /Ready=True.*\n.*Ready=True/);
  following.child.kill('SIGINT');
  assert.is((await following.ended).code, 0);
  here.write('wrong-token', 'weirp_wrong');
  for (const how of ['--wait', '--watch'])
    assert.is((await here.weir(`status ${how} ${admin} `.replace('admin-token', 'wrong-token'))).code, 5, how);
});

server.run();
