// timeout: 1200
// The agent of examples/device-agent with real runtimes, from its registration to its end: with the platform, without it, and when it is back.
import { createDecipheriv, createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fakeRegistry } from './support/fake-registry.ts';
import { freePort } from './support/free-port.ts';
import { type RunningCommand, startCommand } from './support/run-command.ts';
import { helloFlow, runtimeAdmin } from './support/runtime-flows.ts';
import { addressOf } from './support/serving.ts';
import { runtimes, stacksWith } from './support/stacks.ts';
import { temporaryFolder, writeFiles } from './support/temporary-folder.ts';
import { until } from './support/until.ts';
import { launcher, plainEnvironment, weir } from './support/weir.ts';

const example = resolve(import.meta.dirname, '../examples/device-agent');
const stacks = await stacksWith(runtimes.four);
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
const [platformPort, devicePort] = [await freePort(), await freePort()];
const api = `http://127.0.0.1:${platformPort}/api/v1`;
const device = `http://127.0.0.1:${devicePort}`;

await writeFiles(at('config'), {
  'weir.yaml': `kind: Platform\nmetadata: {name: platform}\nspec:\n  driver: {stacksDirectory: ${JSON.stringify(stacks)}}\n`,
  'stack.yaml': `kind: Stack\nmetadata: {name: nr-4}\nspec: {runtime: "${runtimes.four}"}\n`,
  'types.yaml':
    'kind: InstanceType\nmetadata: {name: small}\nspec: {stacks: [nr-4]}\n---\nkind: TeamType\nmetadata: {name: starter}\nspec:\n  features: {deviceGroups: true, deviceAutoSnapshot: true}\n  instanceTypes: [{name: small}]\n',
  'template.yaml':
    'kind: Template\nmetadata: {name: plain}\nspec:\n  environment: [{name: SITE, value: main, locked: false}]\n',
});
assert.is((await weir(folder.path, ['apply', 'config'])).code, 0);
const { token } = JSON.parse((await weir(folder.path, ['bootstrap'])).stdout);
const registry = await fakeRegistry({ probe: { '1.0.0': { 'index.js': '' } } });
let platform = await startPlatform();
let agent: RunningCommand;
let id = '';
const picture: Record<string, string> = {};

const journey = suite('the agent of a device');

journey('is at hand, and small', () => {
  const files = readdirSync(example).filter((name) => /\.[cm]js$/.test(name));
  const lines = files.flatMap((name) => readFileSync(join(example, name), 'utf8').trimEnd().split('\n'));
  assert.ok(lines.length < 800, `${lines.length} lines`);
});

journey('registers with a provisioning token, which is spent', async () => {
  const team = (await ask('POST', '/teams', { name: 'Plant', type: 'starter' })).id;
  await takePictures(team);
  const made = await ask('POST', `/teams/${team}/provisioning-tokens`, { name: 'hall 7' });
  await writeFiles(folder.path, { 'provisioning-token': made.token });
  agent = startAgent();
  const listed = () => ask('GET', `/teams/${team}/devices`);
  id = (await until('it is registered', async () => (await listed()).devices[0], { program: agent })).id;
  assert.is((await ask('GET', `/teams/${team}/provisioning-tokens`)).count, 0);
  for (const name of ['token', 'state.json', 'editor-password'])
    await until(`${name} is for its user alone`, () => (modeOf(name) & 0o777) === 0o600, { program: agent });
  picture['team'] = team;
});

journey('runs the snapshot of an instance that it is given, with its credentials, and says so', async () => {
  await put({ targetSnapshot: picture['one'] });
  await answers('one main');
  const shown = await until(
    'it says so',
    async () => {
      const now = await ask('GET', `/devices/${id}`);
      return now.status === 'running' && now;
    },
    { program: agent, patienceMs },
  );
  assert.equal([shown.activeSnapshot, shown.runtimeVersion], [picture['one'], runtimes.four]);
  assert.equal(credentialsOfDevice(), { caller: { user: 'pump', password: 'of the pump' } });
  for (const path of ['/', '/flows', '/settings']) assert.is((await fetch(device + path)).status, 404, path);
});

journey('keeps it running while there is no platform, also when it crashes or is started anew', async () => {
  platform.child.kill('SIGKILL');
  await platform.ended;
  assert.is(await hello(), 'one main');
  if (process.platform === 'linux') process.kill(runtimePid(), 'SIGKILL');
  // What it answered a moment before proves nothing: it says that it started again.
  const starts = () => agent.output().stdout.split('Started flows').length;
  if (process.platform === 'linux') await until('it starts again', () => starts() > 2, { program: agent, patienceMs });
  await answers('one main');
  await endAgent();
  assert.is(await hello(), undefined, 'the runtime ends with it');
  agent = startAgent();
  await answers('one main');
});

journey('follows its group when the platform is back', async () => {
  platform = await startPlatform();
  const group = (await ask('POST', `/teams/${picture['team']}/device-groups`, { name: 'Hall' })).id;
  await put({ group, targetSnapshot: null });
  await ask('PUT', `/device-groups/${group}`, { targetSnapshot: picture['two'] });
  await answers('two main');
  await put({ environment: [{ name: 'SITE', value: 'hall' }] });
  await answers('two hall');
});

journey('sends each deploy as a snapshot in developer mode, and what it is asked for', async () => {
  await put({ mode: 'developer' });
  const password = readFileSync(at('device/editor-password'), 'utf8');
  const admin = (flows?: readonly object[]) =>
    fetch(`${device}/flows`, {
      headers: { authorization: `Bearer ${password}`, 'content-type': 'application/json' },
      ...(flows ? { method: 'POST', body: JSON.stringify(flows) } : {}),
    }).catch(() => undefined);
  await until('its editor is there', async () => (await admin())?.ok, { program: agent, patienceMs });
  assert.is((await fetch(`${device}/flows`)).status, 401);
  await answers('two hall');
  assert.is((await admin(helloFlow('three')))?.status, 204);
  await answers('three hall');
  const kept = async (name: RegExp) => {
    const { snapshots } = await ask('GET', `/devices/${id}/snapshots`);
    return snapshots.find((one: { name: string }) => name.test(one.name));
  };
  const deploy = await until('the deploy is kept', () => kept(/^Deploy/), { program: agent, patienceMs });
  assert.is(deploy.kind, 'auto');
  await ask('POST', `/devices/${id}/snapshots`, { name: 'Asked' });
  const asked = await until('what was asked for is kept', () => kept(/^Asked$/), { program: agent, patienceMs });
  assert.is(asked.kind, 'manual');
});

journey('goes back to its target when it is autonomous again', async () => {
  await put({ mode: 'autonomous' });
  await answers('two hall');
});

journey('installs the modules of a snapshot first, and changes nothing where it cannot', async () => {
  const of = { method: 'POST', path: '/device/snapshots', by: readFileSync(at('device/token'), 'utf8') };
  await put({ mode: 'developer' });
  const send = async (text: string, modules: object) =>
    (await (await answerOf(of.method, of.path, { flows: helloFlow(text), modules }, of.by)).json()).id;
  const [good, bad] = [await send('four', { probe: '1.0.0' }), await send('five', { 'not-there': '1.0.0' })];
  await put({ mode: 'autonomous', targetSnapshot: good });
  await answers('four hall');
  const installed = JSON.parse(readFileSync(at('device/runtime/node_modules/probe/package.json'), 'utf8'));
  assert.is(installed.version, '1.0.0');
  await put({ targetSnapshot: bad });
  const told = () => agent.output().stdout.includes('npm install');
  await until('it tells that npm failed', told, { program: agent, patienceMs });
  assert.is(await hello(), 'four hall');
  await put({ targetSnapshot: good });
});

journey('lets what runs run when its device is deleted, and ends with a signal', async () => {
  await ask('PUT', `/devices/${id}`, { targetSnapshot: picture['one'] });
  await answers('one hall');
  await ask('DELETE', `/devices/${id}`);
  const told = () => agent.output().stdout.includes('the token opens nothing');
  await until('it is told', told, { program: agent, patienceMs });
  assert.is(await hello(), 'one hall');
  await endAgent();
  assert.is(await hello(), undefined);
});

journey.after(async () => {
  agent?.child.kill('SIGKILL');
  platform.child.kill('SIGTERM');
  await platform.ended;
  await registry.close();
  // Instances outlive Weir.
  const runs = at(`.weir/instances/${picture['instance']}/run.json`);
  if (existsSync(runs)) process.kill(JSON.parse(readFileSync(runs, 'utf8')).pid, 'SIGKILL');
});

journey.run();

/** How long a runtime may take to start on a busy machine, and an agent to ask again. */
const patienceMs = 180_000;

async function startPlatform(): Promise<RunningCommand> {
  const args = [launcher, 'serve', 'config', '--port', String(platformPort)];
  const running = startCommand(process.execPath, args, { cwd: folder.path, env: plainEnvironment() });
  await addressOf(running);
  return running;
}

function startAgent(): RunningCommand {
  const flags = {
    platform: `http://127.0.0.1:${platformPort}`,
    runtime: join(stacks, runtimes.four),
    'provisioning-token-file': at('provisioning-token'),
    name: 'Gateway 7',
    dir: at('device'),
    port: String(devicePort),
  };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  return startCommand(process.execPath, [join(example, 'agent.mjs'), ...args], {
    cwd: folder.path,
    env: { ...plainEnvironment(), npm_config_registry: registry.url, npm_config_cache: at('npm') },
  });
}

async function endAgent(): Promise<void> {
  agent.child.kill('SIGTERM');
  const { code, stderr } = await agent.ended;
  assert.is(code, 0, stderr);
}

/** An instance with the flows `one` and then `two`, and a snapshot of each. */
async function takePictures(team: string): Promise<void> {
  const wanted = { name: 'Line', instanceType: 'small', template: 'plain' };
  const instance = (await ask('POST', `/teams/${team}/instances`, wanted)).id;
  picture['instance'] = instance;
  const url = await until('it runs', async () => (await ask('GET', `/instances/${instance}`)).url, {
    program: platform,
    patienceMs,
  });
  const caller = {
    id: 'caller',
    type: 'http request',
    z: 'tab',
    method: 'GET',
    url: 'http://127.0.0.1:9',
    wires: [[]],
  };
  const credentials = { user: 'pump', password: 'of the pump' };
  for (const name of ['one', 'two']) {
    const flows = [...helloFlow(name), { ...caller, authType: 'basic', credentials }];
    await runtimeAdmin(at('.weir/instances'), instance, url).deploy(flows);
    picture[name] = (await ask('POST', `/instances/${instance}/snapshots`, { name })).id;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
async function ask(method: string, path: string, body?: object): Promise<any> {
  const answer = await answerOf(method, path, body);
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

function answerOf(method: string, path: string, body?: object, by: string = token): Promise<Response> {
  return fetch(`${api}${path}`, {
    method,
    headers: { authorization: `Bearer ${by}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}

function put(body: object) {
  return ask('PUT', `/devices/${id}`, body);
}

/** What the flow on the device answers; nothing where nobody does. */
async function hello(): Promise<string | undefined> {
  const answer = await fetch(`${device}/hello`).catch(() => undefined);
  return answer?.ok ? answer.text() : undefined;
}

async function answers(text: string): Promise<void> {
  await until(`the device answers "${text}"`, async () => (await hello()) === text, { program: agent, patienceMs });
}

function modeOf(name: string): number {
  try {
    return statSync(at(`device/${name}`)).mode;
  } catch {
    return 0;
  }
}

/** The process of the runtime, by the file that the kernel keeps of the children of another. */
function runtimePid(): number {
  const { pid } = agent.child;
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}

/** What the runtime on the device can decrypt, as it does it. */
function credentialsOfDevice(): unknown {
  const { credentialSecret } = JSON.parse(readFileSync(at('device/state.json'), 'utf8'));
  const { $: text } = JSON.parse(readFileSync(at('device/runtime/flows_cred.json'), 'utf8'));
  const key = createHash('sha256').update(credentialSecret).digest();
  const decipher = createDecipheriv('aes-256-ctr', key, Buffer.from(text.slice(0, 32), 'hex'));
  return JSON.parse(decipher.update(text.slice(32), 'base64', 'utf8') + decipher.final('utf8'));
}
