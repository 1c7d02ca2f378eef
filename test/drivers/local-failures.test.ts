// The local driver when things go wrong: each gives a reason, leaves nothing behind, and hurts no other instance.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Notice, Reason } from '../../src/drivers/driver.ts';
import { beganAt } from '../../src/drivers/local/process-table.ts';
import { makeDeep } from '../support/deep-folders.ts';
import { processesWith } from '../support/processes-with.ts';
import { until } from '../support/until.ts';
import { type LocalWorld, lives, localWorld, never, reasonOf, runOf } from './local-world.ts';

const local = suite('the local driver');
const isRoot = process.getuid?.() === 0;

const inWorld = (what: string, prove: (world: LocalWorld) => Promise<void>, patience = {}) =>
  local(what, async () => {
    const world = await localWorld({ patience });
    try {
      await prove(world);
    } finally {
      await world.close();
    }
  });

inWorld('says that a stack is missing or broken, and runs the others', async ({ driver: { runner } }) => {
  await runner.start(runOf('fine'), never);
  assert.equal(await reasonOf(runner.start(runOf('a', '4.9.9'), never)), {
    reason: 'StackMissing',
    message: 'the stacks directory has no "4.9.9": an admin can put it there with "weir stacks install 4.9.9"',
  });
  assert.is((await reasonOf(runner.start(runOf('b', 'broken'), never))).reason, 'StackBroken');
  assert.equal([...(await runner.running())], ['fine']);
});

inWorld('deletes folders deeper than any path, and those that were left', async (world) => {
  const { driver, at, instances } = world;
  await driver.runner.start(runOf('a'), never);
  makeDeep(at('a', 'home'));
  writeFileSync(join(instances, 'outside'), 'stays');
  symlinkSync(instances, at('a', 'home/link'));
  await driver.runner.remove('a');
  mkdirSync(join(instances, '.gone-b/home'), { recursive: true });
  makeDeep(join(instances, '.gone-b/home'));
  assert.equal([...(await driver.runner.running())], []);
  assert.equal(readdirSync(instances), ['outside']);
  rmSync(join(instances, 'outside'));
});

inWorld('finds what runs where a leftover cannot be deleted', async (world) => {
  const { driver, again, instances, logged } = world;
  await driver.runner.start(runOf('fine'), never);
  driver.close();
  // A mount cannot be deleted, not even by root.
  mkdirSync(join(instances, '.gone-b'));
  const mounted = isRoot && spawnSync('mount', ['-t', 'tmpfs', 'none', join(instances, '.gone-b')]).status === 0;
  try {
    assert.equal([...(await again().runner.running())], ['fine']);
    if (mounted) assert.match(logged.join(), /\.gone-b could not be deleted: /);
  } finally {
    if (mounted) spawnSync('umount', [join(instances, '.gone-b')]);
  }
});

inWorld('says that a runtime ends at once, with its exit code', async ({ driver: { runner, logs } }) => {
  const { reason, message } = await reasonOf(runner.start(runOf('a', 'exits'), never));
  assert.is(reason, 'StartFailed');
  assert.match(message, 'exit code 3');
  assert.equal((await logs.read('a', { limit: 10 })).lines.at(-1)?.message, 'no way');
  assert.is((await runner.running()).size, 0);
});

inWorld(
  'gives up a runtime that never answers, and ends it',
  async ({ driver: { runner }, at }) => {
    const starting = reasonOf(runner.start(runOf('a', 'mute'), never));
    await until(
      () => existsSync(at('a', 'run.json')) && 'pid' in JSON.parse(readFileSync(at('a', 'run.json'), 'utf8')),
    );
    const { pid } = JSON.parse(readFileSync(at('a', 'run.json'), 'utf8'));
    assert.equal(await starting, { reason: 'NoAnswer', message: 'it did not answer within 1 s' });
    assert.equal([await lives(pid), existsSync(at('a', 'run.json'))], [false, false]);
  },
  { startMs: 1000 },
);

inWorld('gives up a start half-way when it is told to', async ({ driver: { runner }, at, pidOf }) => {
  const stop = new AbortController();
  const starting = reasonOf(runner.start(runOf('a', 'mute'), stop.signal));
  await until(() => existsSync(at('a', 'run.json')) && pidOf('a') !== undefined);
  const pid = pidOf('a');
  stop.abort();
  assert.is((await starting).reason, 'Aborted');
  assert.not(await lives(pid));
});

inWorld('does not take another program on its port for the runtime, and takes another port at once', async (world) => {
  const { runner } = world.driver;
  const { url } = await runner.start(runOf('a'), never);
  await runner.stop('a');
  const squatter = await squat(Number(new URL(url ?? '').port));
  const again = await runner.start(runOf('a'), never);
  assert.is.not(again.url, url);
  assert.is(await (await fetch(again.url ?? '')).text(), 'a flow');
  squatter.close();
});

inWorld('repairs a port that is none, and whatever stands where it should be', async ({ driver, at, again }) => {
  for (const text of ['99999\n', '65536\n', '0\n', '', '80\n', 'x', '\u0000', undefined]) {
    rmSync(at('a', 'port'), { force: true, recursive: true });
    mkdirSync(at('a'), { recursive: true });
    if (text === undefined) mkdirSync(at('a', 'port/in/it'), { recursive: true });
    else writeFileSync(at('a', 'port'), text);
    const { runner } = again();
    const { url } = await runner.start(runOf('a'), never);
    assert.is(new URL(url ?? '').port, readFileSync(at('a', 'port'), 'utf8').trim(), JSON.stringify(text));
    await runner.stop('a');
  }
  for (const name of ['run.json', 'admin-token', 'settings.json', 'run.json.new']) {
    rmSync(at('a', name), { force: true });
    mkdirSync(at('a', `${name}/in/it`), { recursive: true });
    const { runner } = again();
    assert.equal([...(await runner.running())], [], name);
    await runner.start(runOf('a'), never);
    await runner.stop('a');
    rmSync(at('a', name), { force: true, recursive: true });
  }
  await driver.runner.remove('a');
});

inWorld(
  'finds again what a newer Weir started, and ends what it cannot look after',
  async ({ driver, at, pidOf, again }) => {
    await driver.runner.start(runOf('a'), never);
    const pid = pidOf('a');
    driver.close();
    const record = JSON.parse(readFileSync(at('a', 'run.json'), 'utf8'));
    const written = (more: object) => writeFileSync(at('a', 'run.json'), JSON.stringify({ ...record, ...more }));
    for (const more of [{ newer: { field: 1 } }, { groups: 7 }, { memoryMb: 'much' }]) {
      written(more);
      const next = again();
      assert.equal([[...(await next.runner.running())], await lives(pid)], [['a'], true], JSON.stringify(more));
      next.close();
    }
    written({ port: { of: 'another form' } });
    assert.equal([[...(await again().runner.running())], await lives(pid)], [[], false]);
  },
);

inWorld('keeps the port of an instance', async ({ driver: { runner }, again }) => {
  const { url } = await runner.start(runOf('a'), never);
  await runner.stop('a');
  await runner.start(runOf('b'), never);
  assert.is((await again().runner.start(runOf('a'), never)).url, url);
});

inWorld('writes its own files where they belong, whatever stands in their way', async ({ driver: { runner }, at }) => {
  for (const file of ['settings.json.new', 'port.new', 'run.json.new']) {
    mkdirSync(at('a'), { recursive: true });
    symlinkSync('/dev/full', at('a', file));
    await runner.start(runOf('a'), never);
    await runner.remove('a');
  }
});

inWorld('says that an environment is too large, and what to do', async ({ driver: { runner } }) => {
  const environment = Array.from({ length: 300 }, (_, nth) => ({ name: `V${nth}`, value: 'x'.repeat(32_768) }));
  const { reason, message } = await reasonOf(runner.start({ ...runOf('a'), environment }, never));
  assert.is(reason, 'EnvironmentTooLarge');
  assert.match(message, 'its environment variables are larger than the system lets a program start with: delete some');
  await runner.start(runOf('a'), never);
});

inWorld('lets a runtime go on whose log has no room any more', async ({ driver: { runner }, at }) => {
  mkdirSync(at('a'), { recursive: true });
  symlinkSync('/dev/full', at('a', 'runtime.log'));
  const { url } = await runner.start(runOf('a', 'talks'), never);
  assert.is(await (await fetch(url ?? '')).text(), 'a flow');
});

inWorld('ends a runtime that answers no more, and tells of it', async ({ driver: { runner }, pidOf }) => {
  const heard = hear(runner);
  await runner.start(runOf('fine'), never);
  await runner.start(runOf('a', 'good', { healthCheckIntervalMs: 50 }), never);
  const pid = pidOf('a');
  process.kill(pid, 'SIGSTOP');
  await until(() => heard.length > 0);
  assert.equal([heard[0]?.[0], heard[0]?.[1].reason], ['a', 'Unresponsive']);
  assert.equal([await lives(pid), [...(await runner.running())]], [false, ['fine']]);
});

inWorld('tells how a runtime ended', async ({ driver: { runner }, pidOf }) => {
  const heard = hear(runner);
  for (const name of ['SIGKILL', 'SIGABRT', 'SIGTERM'] as const) {
    await runner.start(runOf('a'), never);
    process.kill(pidOf('a'), name);
    await until(() => heard.length > 0);
    const [, why] = heard.pop() ?? [];
    assert.is(why?.reason, { SIGKILL: 'Killed', SIGABRT: 'Aborted', SIGTERM: 'Exited' }[name]);
  }
});

inWorld(
  'ends what does not want to end',
  async ({ driver: { runner }, pidOf }) => {
    await runner.start(runOf('a', 'stubborn'), never);
    const pid = pidOf('a');
    await runner.stop('a');
    assert.not(await lives(pid));
  },
  { stopMs: 200 },
);

inWorld('leaves nothing behind that a runtime started, however it ends', async ({ driver: { runner }, at, pidOf }) => {
  const heard = hear(runner);
  const left = async () => processesWith('INSTANCE_RUN', JSON.parse(readFileSync(at('a', 'run.json'), 'utf8')).run);
  await runner.start(runOf('a', 'parent'), never);
  const before = await left();
  assert.is(before.length, 2);
  await runner.stop('a');
  assert.equal(await Promise.all(before.map(({ pid }) => lives(pid))), [false, false]);
  await runner.start(runOf('a', 'parent'), never);
  const again = await left();
  process.kill(pidOf('a'), 'SIGKILL');
  await until(() => heard.length > 0);
  assert.equal(await Promise.all(again.map(({ pid }) => lives(pid))), [false, false]);
});

inWorld(
  'ends a runtime that an older Weir started, and gives it no door until it is started anew',
  async ({ driver: { runner }, at, pidOf, again }) => {
    await runner.start(runOf('a'), never);
    const pid = pidOf('a');
    const { door: _, ...record } = JSON.parse(readFileSync(at('a', 'run.json'), 'utf8'));
    writeFileSync(at('a', 'run.json'), JSON.stringify(record));
    const fresh = again();
    const heard = hear(fresh.runner);
    assert.equal([...(await fresh.runner.running())], []);
    assert.equal([fresh.doors.at('a'), await lives(pid)], [undefined, false]);
    assert.equal(
      heard.map(([, { reason }]) => reason),
      ['Outdated'],
    );
    await fresh.runner.start(runOf('a'), never);
    assert.ok(fresh.doors.at('a'));
    assert.equal([...(await again().runner.running())], ['a'], 'once');
  },
);

inWorld(
  'never touches a process that has the number of an instance by chance',
  async ({ driver: { runner }, at, again }) => {
    await runner.start(runOf('a'), never);
    const record = JSON.parse(readFileSync(at('a', 'run.json'), 'utf8'));
    const token = readFileSync(at('a', 'admin-token'));
    await runner.stop('a');
    const stranger = spawn('sleep', ['1000'], { stdio: 'ignore' });
    await once(stranger, 'spawn');
    const pid = stranger.pid ?? 0;
    for (const began of [record.began, await beganAt(pid)]) {
      writeFileSync(at('a', 'run.json'), JSON.stringify({ ...record, pid, began }));
      writeFileSync(at('a', 'admin-token'), token);
      const fresh = again();
      assert.is((await fresh.runner.running()).size, 0);
      await fresh.runner.stop('a');
      await fresh.runner.start(runOf('a'), never);
      await fresh.runner.stop('a');
      assert.ok(await lives(pid));
    }
    stranger.kill('SIGKILL');
  },
);

inWorld('finds again what runs, leaves it alone, and hears of its end', async ({ driver, pidOf, again }) => {
  const { url } = await driver.runner.start(runOf('a'), never);
  const pid = pidOf('a');
  driver.close();
  const next = again();
  assert.equal([...(await next.runner.running())], ['a']);
  assert.equal([await next.runner.start(runOf('a'), never), pidOf('a')], [{ url }, pid]);
  const heard = hear(next.runner);
  process.kill(pid, 'SIGKILL');
  await until(() => heard.length > 0);
  assert.is(heard[0]?.[0], 'a');
});

inWorld('starts anew what runs with other settings', async ({ driver, pidOf, again }) => {
  await driver.runner.start(runOf('a'), never);
  const pid = pidOf('a');
  driver.close();
  const next = again();
  await next.runner.start(runOf('a', 'good', { pageTitle: 'other' }), never);
  assert.equal([await lives(pid), pidOf('a') === pid], [false, false]);
});

inWorld('leaves alone what runs for a store of which it has a copy, and follows one that was moved', async (world) => {
  const { driver, again, instances, pidOf } = world;
  await driver.runner.start(runOf('a'), never);
  const pid = pidOf('a');
  cpSync(instances, `${instances}-copy`, { recursive: true });
  const copy = again({ instances: `${instances}-copy` });
  assert.is((await copy.runner.running()).size, 0);
  await copy.runner.start(runOf('a'), never).catch(() => copy.runner.start(runOf('a'), never));
  await copy.runner.remove('a');
  assert.ok(await lives(pid));
  driver.close();
  renameSync(instances, `${instances}-moved`);
  const moved = again({ instances: `${instances}-moved` });
  if (process.platform === 'linux') assert.equal([...(await moved.runner.running())], ['a']);
  await moved.runner.stop('a');
  assert.not(await lives(pid));
});

inWorld('ends what Weir was starting when it ended', async ({ driver, at, pidOf, again }) => {
  await driver.runner.start(runOf('a'), never);
  const pid = pidOf('a');
  driver.close();
  const { pid: _, began: __, ...record } = JSON.parse(readFileSync(at('a', 'run.json'), 'utf8'));
  writeFileSync(at('a', 'run.json'), JSON.stringify(record));
  assert.is((await again().runner.running()).size, 0);
  assert.not(await lives(pid));
});

inWorld('takes a damaged record for none', async ({ driver: { runner }, at, again }) => {
  mkdirSync(at('a'), { recursive: true });
  for (const text of ['', '{', '{"pid": 1}', '[]']) {
    writeFileSync(at('a', 'run.json'), text);
    assert.is((await again().runner.running()).size, 0, text);
  }
  await runner.start(runOf('a'), never);
});

inWorld('bounds a log that grows without end, keeps its end, and says what is lost', async (world) => {
  const { driver, at } = world;
  const noticed: [string, Notice][] = [];
  driver.runner.onNotice?.((id, notice) => noticed.push([id, notice]));
  await driver.runner.start(runOf('a', 'floods'), never);
  await until(() => noticed.length > 0);
  const [id, { type, why }] = noticed[0] ?? ['', { type: 'FlowsStopped' }];
  assert.equal([id, type, why?.reason], ['a', 'LogCut', 'TooMuchOutput']);
  assert.match(why?.message ?? '', 'logs faster than is kept');
  const size = () =>
    readdirSync(at('a'))
      .filter((name) => name.startsWith('runtime.log'))
      .reduce((sum, name) => sum + statSync(at('a', name)).size, 0);
  await until(() => size() < 16 * 1024 * 1024);
  assert.match((await driver.logs.read('a', { limit: 1 })).lines[0]?.message ?? '', /^x+$/);
});

inWorld(
  'closes the folders of instances to everybody else, and removes all of them',
  async ({ driver, at, instances }) => {
    await driver.runner.start(runOf('a'), never);
    for (const path of [at('a'), at('a', 'home')]) assert.is(statSync(path).mode & 0o777, 0o700, path);
    for (const name of ['admin-token', 'run.json', 'settings.json', 'runtime.log', 'port'])
      assert.is(statSync(at('a', name)).mode & 0o077, 0, name);
    await driver.runner.remove('a');
    assert.equal(readdirSync(instances), []);
  },
);

inWorld('refuses an id that is no name of a folder', async ({ driver: { runner }, instances }) => {
  for (const id of ['../x', '', '.', 'a/b', '..'])
    await runner.start(runOf(id), never).then(
      () => assert.unreachable(id),
      () => {},
    );
  assert.not(existsSync(join(instances, '../x')));
});

inWorld('starts ten side by side, each on a port of its own', async ({ driver: { runner, meter } }) => {
  const ids = Array.from({ length: 10 }, (_, index) => `i${index}`);
  const ups = await Promise.all(ids.map((id) => runner.start(runOf(id), never)));
  assert.is(new Set(ups.map(({ url }) => url)).size, 10);
  for (const { url } of ups) assert.is(await (await fetch(url ?? '')).text(), 'a flow');
  await sleep(50);
  const usages = await meter.read();
  assert.is(usages.size, 10);
  for (const { memoryBytes, cpuSeconds } of usages.values()) assert.ok(memoryBytes > 1e6 && cpuSeconds > 0);
});

local.run();

function hear(runner: LocalWorld['driver']['runner']): [string, Reason][] {
  const heard: [string, Reason][] = [];
  runner.onEnd((id, why) => heard.push([id, why]));
  return heard;
}

/** A server that says yes to everything. */
async function squat(port: number): Promise<Server> {
  const server = createServer((_request, response) => response.end('{"proof":"00","flows":"started"}'));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  assert.is((server.address() as AddressInfo).port, port);
  return server;
}
