// timeout: 600
// The modules of an instance when their installation is given up, killed or fails: what is half-way is done again, and no npm stays behind.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { boundsHere } from '../../src/drivers/local/control-group.ts';
import { marker } from '../../src/drivers/local/environment.ts';
import type { LocalPlace } from '../../src/drivers/local.ts';
import { fakeRegistry } from '../support/fake-registry.ts';
import { linger, unmarked } from '../support/fake-runtime.ts';
import { processesThat, processesWith } from '../support/processes-with.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { localWorld, never, reasonOf, runOf } from './local-world.ts';

/** Says that it runs, and then runs for ever, with a child that leads a session of its own. */
const script =
  "require('node:child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }); setInterval(() => {}, 1000);";
/** Leaves a process behind that carries no mark and no tag, and has neither its session nor its parent. */
const staying = `require('node:child_process').spawnSync('sh', ['-c', ${JSON.stringify(unmarked[0])}, process.env.HOME + '/left', ${JSON.stringify(linger)}]);
  while (!require('node:fs').existsSync(process.env.HOME + '/left')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);`;
const registry = await fakeRegistry({
  lamp: { '1.0.0': { 'index.js': '' } },
  slow: {
    '1.0.0': { 'index.js': '', 'wait.js': script, 'package.json': '{"scripts": {"install": "node wait.js"}}' },
  },
  stays: {
    '1.0.0': { 'index.js': '', 'stay.js': staying, 'package.json': '{"scripts": {"install": "node stay.js"}}' },
  },
});
const cache = temporaryFolder();
const env = { ...process.env, npm_config_registry: registry.url, npm_config_cache: cache.path };
const world = await localWorld({ env });
const lamp = { paletteModules: [{ name: 'lamp', version: '1.0.0' }] };
const slow = { paletteModules: [...lamp.paletteModules, { name: 'slow', version: '1.0.0' }] };
const noteOf = (id: string) => JSON.parse(readFileSync(world.at(id, 'modules.json'), 'utf8'));

/** What is at work for an instance: npm, its script, and what that started. */
async function atWork(id: string): Promise<number> {
  const { mark } = existsSync(world.at(id, 'modules.json')) ? noteOf(id) : {};
  return mark === undefined ? 0 : (await processesWith(marker, mark)).length;
}

const isLinux = process.platform === 'linux';
const modules = suite('the modules of an instance');
modules.after(async () => {
  await world.close();
  await registry.close();
});

modules('are installed again where that was given up, and nothing of npm stays', async () => {
  const { runner } = world.driver;
  await runner.start(runOf('a', 'good', lamp), never);
  await runner.stop('a');
  const giveUp = new AbortController();
  const started = reasonOf(runner.start(runOf('a', 'good', slow), giveUp.signal));
  if (isLinux) await until('npm runs its script', async () => (await atWork('a')) >= 4);
  else await until('npm begins', () => noteOf('a').install === true);
  const { mark } = noteOf('a');
  giveUp.abort();
  assert.is((await started).reason, 'Aborted');
  assert.equal(await processesWith(marker, mark), []);
  assert.is(noteOf('a').install, true, 'what is half-way counts as nothing');
  registry.forget();
  await runner.start(runOf('a', 'good', lamp), never);
  assert.ok(registry.asked.length > 0, 'what was there before is not believed to be whole');
  assert.equal(noteOf('a').wanted, ['lamp@1.0.0']);
  await runner.stop('a');
});

modules('that the registry does not have leave those that were there', async () => {
  const { runner } = world.driver;
  await runner.start(runOf('b', 'good', lamp), never);
  await runner.stop('b');
  const missing = { paletteModules: [{ name: 'not-there', version: '1.0.0' }] };
  assert.is((await reasonOf(runner.start(runOf('b', 'good', missing), never))).reason, 'ModulesMissing');
  assert.equal(noteOf('b').wanted, ['lamp@1.0.0']);
  registry.forget();
  await runner.start(runOf('b', 'good', lamp), never);
  assert.equal(registry.asked, []);
  await runner.stop('b');
});

const isRoot = process.getuid?.() === 0;
const ofItsOwn: Partial<LocalPlace> = {
  controlGroups: false,
  isolation: () => ({ isolation: 'user', firstUserId: 300_000 }),
};
for (const [how, place] of [
  ['a control group', {}],
  ['a user of its own', ofItsOwn],
] as const)
  modules(`leave nothing behind that their scripts have started, whatever it has taken off: by ${how}`, async () => {
    if (!isRoot || (await boundsHere('4')).size === 0) return;
    const other = await localWorld({ env, ...place });
    try {
      const stays = { paletteModules: [{ name: 'stays', version: '1.0.0' }] };
      await other.driver.runner.start(runOf('a', 'good', stays), never);
      assert.ok(existsSync(other.at('a', 'home/left')));
      const left = await processesThat(async (pid) =>
        (await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')).includes(other.at('a', 'home/left')),
      );
      for (const { pid } of left) process.kill(pid, 'SIGKILL');
      assert.equal(left, []);
    } finally {
      await other.close();
    }
  });
modules(
  'of a registry that cannot be reached name it and what to do, and the log has what npm said, without secrets',
  async () => {
    const secrets = 'canary-of-a-token canary-of-a-user canary-of-a-password'.split(' ');
    const [token = '', user = '', password = ''] = secrets;
    const away = `http://${user}:${password}@127.0.0.1:1/`;
    const npmrc = `registry=${away}\n//127.0.0.1:1/:_authToken=${token}\n`;
    const { npm_config_registry: _, ...plain } = env;
    const other = await localWorld({ env: plain, secretOf: () => ({ value: npmrc }) });
    try {
      const run = runOf('z', 'good', { ...lamp, npmrc: { fromEnv: 'ANY' } });
      const { reason, message } = await reasonOf(other.driver.runner.start(run, never));
      assert.is(reason, 'ModulesMissing');
      assert.match(
        message,
        /^its modules cannot be installed, because the npm registry 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\): check .*HTTPS_PROXY.*the option npmrc/,
      );
      const log = readFileSync(other.at('z', 'runtime.log'), 'utf8');
      assert.match(log, /^\S+Z error npm error code ECONNREFUSED$/m);
      for (const secret of secrets) assert.not.match(log + message, secret);
    } finally {
      await other.close();
    }
  },
);

modules('whose npm outlived Weir: it is ended when Weir is back', async () => {
  if (!isLinux) return;
  const code = `
    import { localDriver } from ${JSON.stringify(join(import.meta.dirname, '../../src/drivers/local.ts'))};
    const [place, run] = process.argv.slice(1).map((text) => JSON.parse(text));
    const driver = localDriver({ ...place, stacks: () => place.stacks, env: process.env, secretOf: () => ({ value: '' }), log: () => {} });
    await driver.runner.start(run, new AbortController().signal);
  `;
  const place = { instances: world.instances, stacks: join(world.instances, '../stacks') };
  const args = ['--input-type=module', '-e', code, JSON.stringify(place), JSON.stringify(runOf('c', 'good', slow))];
  const weir = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const gone = new Promise((done) => weir.once('exit', done));
  await until('npm runs its script', async () => (await atWork('c')) >= 4);
  weir.kill('SIGKILL');
  await gone;
  const { mark } = noteOf('c');
  assert.ok((await processesWith(marker, mark)).length >= 3, 'npm outlives it');
  const driver = world.again();
  await driver.runner.running();
  assert.equal(await processesWith(marker, mark), []);
  await driver.runner.start(runOf('c', 'good', lamp), never);
  assert.equal(noteOf('c').wanted, ['lamp@1.0.0']);
  await driver.runner.stop('c');
});

modules(
  'of a runtime: what a killed installation left in the stacks directory goes, and what is at work stays',
  async () => {
    if (!isLinux) return;
    const { path } = temporaryFolder();
    mkdirSync(path, { recursive: true });
    // A registry that never answers.
    const code = `
    import { createServer } from 'node:http';
    import { installRuntime } from ${JSON.stringify(join(import.meta.dirname, '../../src/drivers/local/install.ts'))};
    const server = createServer(() => {}).listen(0, '127.0.0.1', () => {
      const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:' + server.address().port };
      installRuntime({ stacks: ${JSON.stringify(path)}, version: '4.1.15', env, node: process.execPath });
    });
  `;
    const start = () => {
      const weir = spawn(process.execPath, ['--input-type=module', '-e', code], {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      return { weir, gone: new Promise((done) => weir.once('exit', done)) };
    };
    const folders = () => readdirSync(path).filter((name) => name.startsWith('.install-'));
    const busy = async (name = '') => (await processesWith(marker, name)).length > 0;
    const first = start();
    const [left = ''] = await until('npm is at work', async () => (await busy(folders()[0])) && folders());
    first.weir.kill('SIGKILL');
    await first.gone;
    assert.ok(await busy(left), 'npm outlives it');
    const second = start();
    await until('it is swept', () => !folders().includes(left));
    assert.not(await busy(left));
    const [other = ''] = await until('the next one is at work', async () => (await busy(folders()[0])) && folders());
    const third = start();
    await until(
      'a third one is at work',
      async () => folders().length === 2 && (await busy(folders().find((name) => name !== other))),
    );
    assert.ok(folders().includes(other) && (await busy(other)), 'what is at work is left alone');
    for (const { weir, gone } of [second, third]) {
      weir.kill('SIGKILL');
      await gone;
    }
    for (const name of folders()) for (const { pid } of await processesWith(marker, name)) process.kill(pid, 'SIGKILL');
  },
);

modules.run();
