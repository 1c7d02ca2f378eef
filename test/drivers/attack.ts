// The process that isolation.test.ts runs, as root or not: a driver with two real runtimes, one of which attacks whatever it can find, from a flow.
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Run } from '../../src/drivers/driver.ts';
import type { Level } from '../../src/drivers/local/isolation/level.ts';
import { localDriver } from '../../src/drivers/local.ts';
import { runtimeAdmin } from '../support/runtime-flows.ts';
import { until } from '../support/until.ts';

const [folder = '', level = '', stacks = '', runtime = ''] = process.argv.slice(2);
const store = join(folder, 'store');
const instances = join(store, 'instances');
const secret = 'the secret of the store';
// With level user, whoever runs Weir lets others pass through the store.
mkdirSync(store, { mode: process.argv[3] === 'user' ? 0o711 : 0o700 });
mkdirSync(instances, { mode: 0o700 });
writeFileSync(join(store, 'journal-0001.jsonl'), secret, { mode: 0o600 });
const isLevel = (text: string): text is Level => ['none', 'user', 'bwrap'].includes(text);
if (!isLevel(level)) throw new TypeError(level);

const driver = localDriver({
  instances,
  stacks: () => stacks,
  env: process.env,
  isolation: () => ({ isolation: level, firstUserId: 300_000 }),
  secretOf: () => ({ message: 'there are none' }),
  log: () => {},
});
const awake = setInterval(() => {}, 1000);
const never = new AbortController().signal;
const run = (id: string): Run => ({
  ...{ id, name: id, team: 'core', runtime, resources: {}, options: {}, credentialSecret: `secret of ${id}` },
  environment: [{ name: 'CANARY', value: `variable of ${id}` }],
});
const urlOf = async (id: string) => (await driver.runner.start(run(id), never)).url ?? '';
const recordOf = (id: string) => JSON.parse(readFileSync(join(instances, id, 'run.json'), 'utf8'));

/** A flow that does what it is sent, with all that the runtime itself can do. */
const flow = [
  { id: 'tab', type: 'tab', label: 'attack' },
  { id: 'in', type: 'http in', z: 'tab', url: '/attack', method: 'post', wires: [['do']] },
  {
    id: 'do',
    type: 'function',
    z: 'tab',
    outputs: 1,
    wires: [['out']],
    func: `const process = this.constructor.constructor('return process')();
      const work = this.constructor.constructor('process', 'facts', 'return (async () => {' + msg.payload.code + '})()');
      msg.payload = await work(process, msg.payload.facts);
      return msg;`,
  },
  { id: 'out', type: 'http response', z: 'tab', wires: [] },
];

/** Answers by each attack what it got: true where it was served. */
const code = `
const need = (name) => process.getBuiltinModule(name);
const fs = need('fs'), http = need('http'), { spawn, spawnSync } = need('child_process');
const done = {};
const attempt = async (name, work) => { try { done[name] = Boolean(await work()); } catch { done[name] = false; } };
const get = (port, path) => new Promise((resolve, reject) => http.get({ host: '127.0.0.1', port, path, timeout: 5000 }, (answer) => { answer.resume(); resolve(answer.statusCode); }).on('error', reject));
const { store, instances, weir, victim, victimPort, weirPort, mark } = facts;
await attempt('reads the store', () => fs.readFileSync(store + '/journal-0001.jsonl'));
await attempt('lists the store', () => fs.readdirSync(store).length > 1);
await attempt('lists the instances', () => fs.readdirSync(instances).includes('a'));
await attempt('reads the token of another', () => fs.readFileSync(instances + '/a/admin-token'));
await attempt('reads the flows of another', () => fs.readFileSync(instances + '/a/home/package.json'));
await attempt('writes the home of another', () => (fs.writeFileSync(instances + '/a/home/planted', ''), true));
await attempt('reads its own token', () => fs.readFileSync(instances + '/b/admin-token'));
await attempt('writes its own record', () => (fs.appendFileSync(instances + '/b/run.json', ' '), true));
await attempt('plants a link beside its home', () => (fs.symlinkSync(store + '/journal-0001.jsonl', instances + '/b/port.new'), true));
await attempt('changes its settings', () => (fs.appendFileSync(instances + '/b/settings.json', ' '), true));
await attempt('changes the runtime', () => (fs.writeFileSync(facts.stacks + '/planted-' + mark, ''), true));
await attempt('reads /etc/shadow', () => fs.readFileSync('/etc/shadow'));
await attempt('sees processes of the machine', () => fs.existsSync('/proc/' + weir + '/stat') && fs.readFileSync('/proc/' + weir + '/cmdline', 'utf8').includes('attack.ts'));
await attempt('reads the variables of Weir', () => fs.readFileSync('/proc/' + weir + '/environ', 'utf8').includes('attack-canary'));
await attempt('reads the variables of another', () => fs.readFileSync('/proc/' + victim + '/environ', 'utf8').includes('variable of a'));
await attempt('opens the memory of another', () => (fs.closeSync(fs.openSync('/proc/' + victim + '/mem', 'r+')), fs.readFileSync('/proc/' + victim + '/cmdline', 'utf8').includes('node-red a')));
await attempt('signals Weir', () => process.kill(weir, 0));
await attempt('signals another', () => process.kill(victim, 0));
await attempt('makes a user namespace', () => spawnSync('unshare', ['-U', 'true']).status === 0);
await attempt('is root', () => process.getuid() === 0);
await attempt('has its variables', () => process.env.CANARY === 'variable of b');
await attempt('writes its home', () => (fs.writeFileSync(process.env.HOME + '/mine', 'x'), true));
await attempt('writes /tmp', () => (fs.writeFileSync('/tmp/weir-attack-' + mark, 'x'), true));
await attempt('starts what outlives it', () => spawn('sleep', [mark], { detached: true, stdio: 'ignore', env: {} }).unref() ?? true);
await attempt('resolves names', () => need('dns').promises.lookup('localhost'));
await attempt('is served the flows of another', async () => (await get(victimPort, '/')) === 404);
await attempt('is served the editor of another', async () => (await get(victimPort, '/flows')) === 200);
await attempt('reaches what listens on the loopback', async () => (await get(weirPort, '/metrics')) === 200);
fs.rmSync(process.env.HOME + '/flows_cred.json', { force: true });
fs.symlinkSync(store + '/journal-0001.jsonl', process.env.HOME + '/flows_cred.json');
return done;
`;

const mark = String(100_000 + (process.pid % 1_000_000));
const internal = createServer((_request, response) => response.end('metrics')).listen(0, '127.0.0.1');
const victimUrl = await urlOf('a');
const url = await urlOf('b');
writeFileSync(join(instances, 'a/home/package.json'), '{}');
const attacker = runtimeAdmin(instances, 'b', url);
await attacker.deploy(flow);
const { port: weirPort } = internal.address() as AddressInfo;
const facts = {
  ...{ store, instances, stacks, mark, weirPort, weir: process.pid, victim: recordOf('a').pid },
  victimPort: Number(new URL(victimUrl).port),
};
const answer = await until(async () => {
  const response = await fetch(`${url}attack`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, facts }),
  });
  return response.ok ? response.text() : undefined;
});
const inside: Record<string, boolean> = JSON.parse(answer);
// What it wrote may stand in a folder of the same name that only it sees.
const stands = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const endsWith = (path: string, end: string) => readFileSync(path, 'utf8').endsWith(end);
inside['writes the home of another'] &&= stands(join(instances, 'a/home/planted'));
inside['writes its own record'] &&= endsWith(join(instances, 'b/run.json'), ' ');
inside['plants a link beside its home'] &&= stands(join(instances, 'b/port.new'));
inside['changes its settings'] &&= endsWith(join(instances, 'b/settings.json'), ' ');
const planted = join(stacks, `planted-${mark}`);
inside['changes the runtime'] &&= stands(planted);
if (stands(planted)) unlinkSync(planted);
const sleeps = () =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && cmdline(name) === `sleep\0${mark}\0`).length;
const startedSleeps = sleeps();
const stored = await driver.keeper.read('b').then(JSON.stringify, String);
const usage = (await driver.meter.read()).get('b');
const [{ pid }, pidsBefore] = [recordOf('b'), sleeps()];
// Another driver finds it again, as after a kill of Weir.
const next = localDriver({
  ...{ instances, stacks: () => stacks, env: process.env, log: () => {} },
  secretOf: () => ({ message: 'there are none' }),
});
const found = await next.runner.running();
next.close();
await driver.runner.stop('b');
const outside = {
  'leaves processes behind': sleeps() > 0,
  'leaves files in /tmp': existsSync(`/tmp/weir-attack-${mark}`),
  'has Weir read the store for it': stored.includes(secret),
};
if (existsSync(`/tmp/weir-attack-${mark}`)) unlinkSync(`/tmp/weir-attack-${mark}`);
const isMetered = (usage?.memoryBytes ?? 0) > 20e6 && startedSleeps === 1 && pidsBefore === 1;
// It comes up again over what the attack has left in its home.
const again = await driver.runner.start(run('b'), never).then(() => true, String);
const isKept = readFileSync(join(store, 'journal-0001.jsonl'), 'utf8') === secret;
for (const id of ['a', 'b']) await driver.runner.remove(id);
driver.close();
const left = sleeps();
internal.close();
clearInterval(awake);
for (const name of readdirSync('/proc'))
  if (cmdline(name) === `sleep\0${mark}\0`) process.kill(Number(name), 'SIGKILL');
process.stdout.write(
  `${JSON.stringify({ inside, outside, isMetered, isFound: found.has('b'), again, isKept, left, pid })}\n`,
);
process.exit(0);

function cmdline(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
