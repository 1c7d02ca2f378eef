// timeout: 600
// weir suspend and weir resume: of a server, and of a store that nobody serves; and a server in manual mode.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Serving, serve } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { platform, stack, type Workspace, workspace } from './world.ts';

const follow = (mode: string) => `${platform}spec: {reconcile: {mode: ${mode}, settleMs: 50, pollSeconds: 1}}\n`;
const labelled = (label: string) => stack.replace('Node-RED 4', label);

interface Context {
  here: Workspace;
  server?: Serving | undefined;
  asAdmin: string;
}

const commands = suite<Context>('suspend and resume');

commands.before.each(async (context) => {
  context.here = await workspace({ 'config/weir.yaml': follow('auto') });
  context.here.write('token', `${JSON.parse((await context.here.weir('bootstrap')).stdout).token}\n`);
});
commands.after.each(async ({ here, server }) => {
  server?.child.kill('SIGTERM');
  await server?.ended;
  await here.remove();
});

async function start(context: Context): Promise<Serving> {
  const server = await serve(context.here);
  context.server = server;
  context.asAdmin = `--server ${server.url} --token-file token`;
  return server;
}

const statusOf = async ({ here, asAdmin }: Context) =>
  JSON.parse((await here.weir(`status ${asAdmin} --output json`)).stdout);

commands('a server: nothing is applied meanwhile, and apply --server is refused with exit code 3', async (context) => {
  const { here } = context;
  await start(context);
  const suspended = await here.weir(`suspend ${context.asAdmin} --reason upgrade`);
  assert.is(suspended.code, 0, suspended.stderr);
  assert.match(suspended.stdout, /Reconciling +False +Suspended: suspended by .*: upgrade\n/);
  assert.match(suspended.stdout, /^the reconciler is suspended by .*: upgrade\n\napplied /);
  here.write('config/stacks.yaml', labelled('Renamed'));
  // It will not come by itself: an hour is not waited out.
  const hopeless = await here.weir(`status ${context.asAdmin} --wait=3600`);
  assert.is(hopeless.code, 1);
  assert.match(
    hopeless.stderr,
    /gave up, because the current tree \(.*\) was not attempted yet: .*, and the reconciler is suspended by .*: upgrade: resume it first\n/,
  );
  const refused = await here.weir(`apply ${context.asAdmin}`);
  assert.is(refused.code, 3, refused.stderr);
  assert.match(refused.stderr, /suspended by .*: upgrade; resume it first\n/);
  const status = await here.weir(`status ${context.asAdmin}`);
  assert.match(status.stdout, /Suspended: suspended by/);
  const resumed = await here.weir(`resume ${context.asAdmin} --output json`);
  assert.is(JSON.parse(resumed.stdout).suspended, undefined, resumed.stderr);
  await until('applied', async () => (await here.weir(`plan ${context.asAdmin} --detailed-exitcode`)).code === 0);
});

commands('a store that nobody serves: the next server says so at its start, and reads nothing', async (context) => {
  const { here } = context;
  await here.weir('apply');
  const suspended = await here.weir('suspend --reason freeze --output json');
  assert.is(suspended.code, 0, suspended.stderr);
  assert.equal(
    [JSON.parse(suspended.stdout).suspended.by, JSON.parse(suspended.stdout).suspended.reason],
    ['command', 'freeze'],
  );
  assert.match((await here.weir('status')).stdout, /Suspended: suspended by command since .*: freeze\n/);
  here.write('config/stacks.yaml', labelled('Renamed'));
  const server = await start(context);
  assert.match(
    server.output().stderr,
    /warn .*nothing is read or applied: the reconciler is suspended by command since .*: freeze/,
  );
  assert.is((await fetch(`${server.url}/readyz`)).status, 200);
  assert.is((await statusOf(context)).suspended.reason, 'freeze');
  const locked = await here.weir('resume');
  assert.is(locked.code, 5);
  assert.match(locked.stderr, /weir resume --server URL --token-file FILE/);
  assert.is((await here.weir(`plan ${context.asAdmin} --detailed-exitcode`)).code, 2);
});

commands('a store that is missing is not made: exit code 5', async ({ here }) => {
  assert.is((await here.weir('suspend --store nowhere')).code, 5);
  assert.is((await here.weir('resume --store nowhere')).code, 5);
});

commands('a server in manual mode applies when it is asked to', async (context) => {
  const { here } = context;
  here.write('config/weir.yaml', follow('manual'));
  await start(context);
  here.write('config/stacks.yaml', labelled('Renamed'));
  const { revision } = await until('pending', async () => (await statusOf(context)).pending);
  const told = await here.weir(`status ${context.asAdmin}`);
  assert.match(told.stdout, /Ready +True +Applied: /);
  assert.match(told.stdout, `ManualMode: revision ${revision.slice(0, 12)} waits with 1 change`);
  const waited = await here.weir(`status ${context.asAdmin} --wait=2`);
  assert.is(waited.code, 1, 'what waits to be applied is not there yet');
  assert.match(waited.stderr, `gave up after 2 seconds, because revision ${revision.slice(0, 12)} waits to be applied`);
  const applied = await here.weir(`apply ${context.asAdmin}`);
  assert.is(applied.code, 0, applied.stderr);
  assert.is((await statusOf(context)).revision.applied, revision);
});

commands.run();
