// timeout: 1200
// An instance from its making to its end, with real runtimes: over the API, through crashes of the runtime and of Weir, and upgrades.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { beganAt } from '../src/drivers/local/process-table.ts';
import { type Answer, askWith } from './support/ask.ts';
import { processesWith } from './support/processes-with.ts';
import { helloFlow, runtimeAdmin } from './support/runtime-flows.ts';
import { type Serving, serve } from './support/serving.ts';
import { startSmtp } from './support/smtp.ts';
import { runtimes, stacksWith } from './support/stacks.ts';
import { temporaryFolder, writeFiles } from './support/temporary-folder.ts';
import { until } from './support/until.ts';
import { weir } from './support/weir.ts';

const stacks = await stacksWith(runtimes.four, runtimes.five);
const folder = temporaryFolder();
const post = await startSmtp();
const store = join(folder.path, '.weir');

const stack = (name: string, runtime: string, more = '') =>
  `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "${runtime}", resources: {memoryMb: 256}${more}}\n`;
const template = (excluded: string) =>
  `kind: Template\nmetadata: {name: plain}\nspec:\n  options:\n    excludedNodes: {value: "${excluded}", locked: true}\n  environment:\n    - {name: SITE, value: main}\n`;

const tree = {
  'weir.yaml': `kind: Platform\nmetadata: {name: platform}\nspec:\n  driver: {stacksDirectory: ${JSON.stringify(stacks)}}\n  reconcile: {settleMs: 50, pollSeconds: 1}\n  email: {from: weir@example.com, smtp: {host: 127.0.0.1, port: ${post.port}}}\n`,
  'nr-4.yaml': stack('nr-4', runtimes.four),
  'types.yaml':
    'kind: InstanceType\nmetadata: {name: small}\nspec: {stacks: [nr-4], defaultStack: nr-4}\n---\nkind: TeamType\nmetadata: {name: starter}\nspec:\n  features: {emailAlerts: true, instanceResources: true, billOfMaterials: true}\n  instanceTypes: [{name: small}]\n',
  'template.yaml': template(''),
};

await writeFiles(join(folder.path, 'config'), tree);
const applied = await weir(folder.path, ['apply', 'config']);
assert.is(applied.code, 0, applied.stderr);
const { token } = JSON.parse((await weir(folder.path, ['bootstrap'])).stdout);
let server: Serving = await serve(folder, ['config']);
process.once('exit', killAll);

const journey = suite('an instance');
let id = '';

journey('is made over the API, and starts', async () => {
  const team = await ask('POST', '/teams', { name: 'Plant One', type: 'starter' });
  assert.is(team.status, 201, JSON.stringify(team.body));
  const wanted = { name: 'Line 1', instanceType: 'small', template: 'plain' };
  const made = await ask('POST', `/teams/${team.body.id}/instances`, wanted);
  assert.equal([made.status, made.body.state], [201, 'creating'], JSON.stringify(made.body));
  id = made.body.id;
  const { url, conditions } = await standing('running');
  assert.is(url, `${server.url}/i/${id}/`);
  assert.equal([conditions[0].type, conditions[0].status], ['Ready', 'True']);
});

journey('runs flows, and lets nobody change them but by Weir', async () => {
  const { url } = await instance();
  const { port } = JSON.parse(readFileSync(join(store, 'instances', id, 'run.json'), 'utf8'));
  for (const place of [url, `http://127.0.0.1:${port}/i/${id}/`, `http://127.0.0.1:${port}/`])
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { 'x-weir-principal': `write.eA.${Date.now()}.n.wrong` },
    ])
      for (const path of ['flows', 'nodes', 'settings', 'comms', 'theme', ''])
        assert.not((await fetch(new URL(path, place), { headers })).ok, `${path} is open`);
  await runtimeAdmin(join(store, 'instances'), id, url).deploy(helloFlow('hello'));
  // The answer to a deployment comes before its flows have started.
  await until(async () => (await hello()) === 'hello main');
});

journey('comes back with its flows when its runtime is killed', async () => {
  await crashes();
  assert.is(await hello(), 'hello main');
  const crash = (await audit('instance.crashed')).at(0);
  assert.equal([crash.reason, crash.actor.kind], ['Killed: it was ended by the signal SIGKILL', 'job']);
});

journey('survives the end of Weir, by whatever way, and is then looked after again', async () => {
  for (const how of ['SIGKILL', 'SIGTERM'] as const) {
    const before = pid();
    server.child.kill(how);
    await server.ended;
    assert.is(await hello(), 'hello main', `while there is no Weir, after ${how}`);
    server = await serve(folder, ['config']);
    await sleep(500);
    assert.equal([(await instance()).state, pid()], ['running', before]);
  }
  await crashes();
  assert.is(await hello(), 'hello main');
});

journey('is started anew, once, where an older Weir started it', async () => {
  server.child.kill('SIGKILL');
  await server.ended;
  const record = join(store, 'instances', id, 'run.json');
  const { door: _, ...older } = JSON.parse(readFileSync(record, 'utf8'));
  writeFileSync(record, JSON.stringify(older));
  server = await serve(folder, ['config']);
  // Between two runtimes there is no record.
  await until(() => existsSync(record) && pid() !== older.pid);
  await until(async () => (await instance()).state === 'running');
  await until(async () => (await hello()) === 'hello main');
  const { reason } = (await audit('instance.crashed')).at(0);
  assert.match(reason, /^Outdated: an older version of Weir started it/);
});

journey('is measured, listed with what is installed in it, and its crash was told to its owner', async () => {
  const used = await until(async () => (await ask('GET', `/instances/${id}/resources`)).body.samples.at(-1));
  assert.ok(used.memoryBytes > 1e7, JSON.stringify(used));
  const { team } = await instance();
  const { body } = await ask('GET', `/teams/${team.id}/bill-of-materials?module=node-red`);
  assert.equal(
    body.billOfMaterials.map((one: Answer['body']) => [one.instance.id, one.runtime.version]),
    [[id, runtimes.four]],
  );
  const mail = await until(() => post.mails[0]);
  assert.match(String(mail.header('subject')), /^"Line 1" crashed/);
  assert.match(mail.text, '"Line 1" crashed ');
});

journey('shows its log, in pages', async () => {
  const { status, body } = await ask('GET', `/instances/${id}/logs?limit=3`);
  assert.is(status, 200, JSON.stringify(body));
  assert.equal([body.lines.length, body.lines.at(-1).message, body.lines.at(-1).level], [3, 'Started flows', 'info']);
  const older = await ask('GET', `/instances/${id}/logs?limit=3&cursor=${body.meta.next_cursor}`);
  assert.is(older.body.lines.length, 3);
  assert.ok(older.body.lines.at(-1).at <= body.lines[0].at);
  assert.is((await ask('GET', `/instances/${id}/logs?cursor=nonsense`)).status, 400);
});

journey('hides nodes that its template excludes once it is restarted, and says so until then', async () => {
  const { url } = await instance();
  assert.ok((await runtimeAdmin(join(store, 'instances'), id, url).nodes()).includes('exec'));
  await writeFiles(join(folder.path, 'config'), { 'template.yaml': template('90-exec.js') });
  await until(async () => (await instance()).restartRequired);
  const { conditions } = await instance();
  assert.match(conditions.find(({ type }: { type: string }) => type === 'RestartRequired').message, 'excludedNodes');
  assert.ok(
    (await runtimeAdmin(join(store, 'instances'), id, url).nodes()).includes('exec'),
    'what runs is left alone',
  );
  await act('restart');
  const after = await standing('running');
  assert.not(after.restartRequired);
  const nodes = await runtimeAdmin(join(store, 'instances'), id, after.url).nodes();
  assert.equal([nodes.includes('exec'), nodes.includes('inject')], [false, true]);
  const override = await ask('PUT', `/instances/${id}`, { options: { excludedNodes: '' } });
  assert.equal([override.status, override.body.violations?.[0]?.rule], [409, 'template-locked']);
});

journey('keeps the stack that it uses as it is, and moves to one that replaces it with one call', async () => {
  await writeFiles(join(folder.path, 'config'), { 'nr-4.yaml': stack('nr-4', '4.9.9') });
  await until(() => server.output().stderr.includes('stack-in-use'));
  await writeFiles(join(folder.path, 'config'), {
    'nr-4.yaml': stack('nr-4', runtimes.four),
    'nr-5.yaml': stack('nr-5', runtimes.five, ', replaces: nr-4'),
  });
  await until(async () => (await instance()).upgrade?.stack === 'nr-5');
  await act('upgrade-stack');
  const { url, stack: now } = await standing('running');
  assert.is(now, 'nr-5');
  const settings = JSON.parse(await (await runtimeAdmin(join(store, 'instances'), id, url).admin('settings')).text());
  assert.is(settings.version, runtimes.five);
  assert.is(await hello(), 'hello main');
});

journey('goes back by itself when an upgrade fails', async () => {
  await writeFiles(join(folder.path, 'config'), { 'nr-6.yaml': stack('nr-6', '6.0.0', ', replaces: nr-5') });
  await until(async () => (await instance()).upgrade?.stack === 'nr-6');
  await act('upgrade-stack');
  const { stack: now, conditions } = await standing('running');
  assert.is(now, 'nr-5');
  const failed = conditions.find(({ type }: { type: string }) => type === 'UpgradeFailed');
  assert.equal([failed.status, failed.reason], ['True', 'StackMissing']);
  assert.match((await audit('instance.upgrade-failed')).at(0).reason, '"6.0.0"');
  assert.is(await hello(), 'hello main');
});

journey('is stopped and started', async () => {
  const before = pid();
  await act('stop');
  assert.is((await standing('stopped')).url, undefined);
  assert.is(await beganAt(before), undefined);
  await act('start');
  await standing('running');
  assert.is(await hello(), 'hello main');
});

journey('gets where it was going, whenever Weir is killed on the way', async () => {
  for (const [action, state] of [
    ['restart', 'running'],
    ['stop', 'stopped'],
    ['start', 'running'],
    ['suspend', 'suspended'],
    ['start', 'running'],
  ] as const) {
    await act(action);
    await sleep(Math.random() * 1500);
    server.child.kill('SIGKILL');
    await server.ended;
    server = await serve(folder, ['config']);
    await standing(state);
    const runs = await processesWith('HOME', join(store, 'instances', id, 'home'));
    if (process.platform === 'linux') assert.is(runs.length, state === 'running' ? 1 : 0, action);
  }
  assert.is(await hello(), 'hello main');
});

journey('leaves nothing behind when it is deleted', async () => {
  const before = pid();
  assert.is((await ask('DELETE', `/instances/${id}`)).status, 204);
  await until(async () => (await ask('GET', `/instances/${id}`)).status === 404);
  // Which user number comes next, where instances have one each, is of none of them.
  const left = readdirSync(join(store, 'instances')).filter((name) => name !== '.next-user');
  assert.equal([await beganAt(before), left], [undefined, []]);
});

journey.after(async () => {
  server.child.kill('SIGTERM');
  await server.ended;
  killAll();
  await post.close();
  await rm(folder.path, { recursive: true, force: true, maxRetries: 5 });
});

journey.run();

function ask(method: string, path: string, body?: object): Promise<Answer> {
  return askWith(token, method, `${server.url}/api/v1${path}`, body);
}

async function instance(): Promise<Answer['body']> {
  return (await ask('GET', `/instances/${id}`)).body;
}

async function act(action: string): Promise<void> {
  const { status, body } = await ask('POST', `/instances/${id}/actions/${action}`);
  assert.is(status, 202, JSON.stringify(body));
}

/** Kills the runtime, and waits until another one runs: that it stood as crashed meanwhile may have passed unseen, and is in the audit log. */
async function crashes(): Promise<void> {
  const [before, told] = [pid(), (await audit('instance.crashed')).length];
  process.kill(before, 'SIGKILL');
  await until('the crash is told', async () => (await audit('instance.crashed')).length > told);
  await standing('running');
  assert.is.not(pid(), before);
}

/** Waits until the instance stands so. */
async function standing(state: string): Promise<Answer['body']> {
  await until(async () => (await instance()).state === state);
  return instance();
}

async function audit(event: string): Promise<Answer['body'][]> {
  return (await ask('GET', `/admin/audit-log?event=${event}`)).body.auditEntries;
}

async function hello(): Promise<string> {
  const { port } = record();
  return (await fetch(`http://127.0.0.1:${port}/i/${id}/hello`)).text();
}

function pid(): number {
  return record().pid;
}

function record(): { readonly pid: number; readonly port: number } {
  return JSON.parse(readFileSync(join(store, 'instances', id, 'run.json'), 'utf8'));
}

/** Whatever a test that failed left running. */
function killAll(): void {
  for (const name of existsSync(join(store, 'instances')) ? readdirSync(join(store, 'instances')) : []) {
    try {
      process.kill(JSON.parse(readFileSync(join(store, 'instances', name, 'run.json'), 'utf8')).pid, 'SIGKILL');
    } catch {
      // It does not run.
    }
  }
}
