// All that a runtime starts counts as its own, and ends with it, however it tries to be nobody's child.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { treeLimitMb } from '../../src/core/instances/memory.ts';
import type { Reason } from '../../src/drivers/driver.ts';
import { groupMembers, groupsFor, killGroup, makeGroups, removeGroup } from '../../src/drivers/local/control-group.ts';
import { beganAt, isRunning, signal } from '../../src/drivers/local/process-table.ts';
import { endTree, processesOf, tagOf, withTag } from '../../src/drivers/local/process-tree.ts';
import { createTreeMeter } from '../../src/drivers/local/tree-meter.ts';
import { escapeCommand } from '../support/fake-runtime.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually, until } from '../support/until.ts';
import { type LocalWorld, lives, localWorld, never, runOf } from './local-world.ts';

const tree = suite('the processes of a runtime');
const isLinux = process.platform === 'linux';
const newRun = () => randomBytes(16).toString('hex');

async function inWorld(prove: (world: LocalWorld) => Promise<void>, patience = {}, place = {}): Promise<void> {
  const world = await localWorld({ ...place, patience });
  try {
    await prove(world);
  } finally {
    await world.close();
  }
}

async function escapedFrom(at: (id: string, name?: string) => string): Promise<number> {
  await until(
    'it has escaped',
    () => existsSync(at('a', 'home/escaped')) && readFileSync(at('a', 'home/escaped')).length > 1,
  );
  const pid = Number(readFileSync(at('a', 'home/escaped'), 'utf8'));
  rmSync(at('a', 'home/escaped'));
  assert.ok(await lives(pid));
  if (isLinux) assert.is(readFileSync(`/proc/${pid}/environ`, 'utf8').includes('INSTANCE_RUN'), false);
  return pid;
}

if (isLinux) {
  tree('are found and ended by their tag alone: without environment, session, parent and control group', async () => {
    const folder = temporaryFolder();
    const [run, other] = [newRun(), newRun()];
    const pids: number[] = [];
    for (const one of [run, other]) {
      const file = join(folder.path, one);
      const [command = '', ...args] = withTag(one, ['/bin/sh', '-c', escapeCommand, file]);
      await once(spawn(command, args, { stdio: 'ignore', env: {} }), 'exit');
      await until('it is left behind', () => existsSync(file));
      pids.push(Number(readFileSync(file, 'utf8')));
    }
    const [mine = 0, others = 0] = pids;
    assert.equal(
      (await processesOf({ run })).map(({ pid }) => pid),
      [mine],
    );
    await endTree({ run });
    assert.equal([await lives(mine), await lives(others)], [false, true]);
    await endTree({ run: other });
    await folder.remove();
  });

  tree('are not ended for who works elsewhere with their mark', () =>
    inWorld(async ({ driver: { runner }, at, pidOf, again }) => {
      for (const id of ['a', 'b']) await runner.start(runOf(id), never);
      const { run } = JSON.parse(readFileSync(at('b', 'run.json'), 'utf8'));
      const forger = spawn('sleep', ['600'], { cwd: at('a', 'home'), env: { INSTANCE_RUN: run }, stdio: 'ignore' });
      try {
        await once(forger, 'spawn');
        const [a, b] = [pidOf('a'), pidOf('b')];
        const next = again();
        assert.equal([...(await next.runner.running())].sort(), ['a', 'b']);
        assert.equal([await lives(a), await lives(b)], [true, true]);
        next.close();
        for (const group of JSON.parse(readFileSync(at('b', 'run.json'), 'utf8')).groups ?? [])
          assert.not(group.includes(run), 'what marks a run stands in no name that others read');
      } finally {
        forger.kill('SIGKILL');
      }
    }),
  );

  tree('are measured without what another user calls theirs', async () => {
    const run = newRun();
    const [command = '', ...args] = withTag(run, [
      process.execPath,
      '-e',
      'globalThis.x = Buffer.alloc(60e6, 1); setInterval(() => {}, 1000)',
    ]);
    const [leading, forger] = [spawn('sleep', ['600'], { stdio: 'ignore' }), spawn(command, args, { stdio: 'ignore' })];
    try {
      const leader = { pid: leading.pid ?? 0, began: (await beganAt(leading.pid ?? 0)) ?? '' };
      const memoryOf = async (user: number | undefined) =>
        (await createTreeMeter().read([{ run, user, leader }])).get(run)?.memoryBytes ?? 0;
      await until('it has grown', async () => (await memoryOf(process.getuid?.())) > 60e6);
      const another = 4_000_000;
      assert.ok((await memoryOf(another)) < 30e6);
    } finally {
      for (const child of [leading, forger]) child.kill('SIGKILL');
    }
  });

  tree('have tags of their own', () => {
    assert.is(new Set(Array.from({ length: 1000 }, () => tagOf(newRun()))).size, 1000);
    assert.match(tagOf('0'.repeat(32)), /^\d{19}$/);
    assert.match(tagOf('f'.repeat(32)), /^\d{19}$/);
  });

  tree('are ended by their control group alone', async () => {
    const run = newRun();
    const groups = await groupsFor(run);
    const [group] = groups;
    // Nobody but an admin can make one everywhere.
    if (group === undefined) return;
    assert.equal(await makeGroups(groups, {}), groups);
    const folder = temporaryFolder();
    const file = join(folder.path, 'pid');
    const [command = '', ...args] = withTag(run, ['/bin/sh', '-c', `${escapeCommand}; sleep 1000`, file], { groups });
    const child = spawn(command, args, { stdio: 'ignore' });
    await until('it is left behind', () => existsSync(file));
    const pid = Number(readFileSync(file, 'utf8'));
    assert.ok((await groupMembers(group)).includes(pid));
    await killGroup(group);
    await eventually(async () => assert.equal([await lives(pid), await lives(child.pid ?? 0)], [false, false]));
    for (const one of groups) {
      await removeGroup(one);
      assert.not(existsSync(one));
    }
    await folder.remove();
  });

  for (const how of ['is stopped', 'is restarted', 'is deleted', 'crashes'] as const)
    tree(`leave nothing behind when it ${how}`, () =>
      inWorld(async ({ driver: { runner }, at, pidOf }) => {
        const heard: string[] = [];
        runner.onEnd((id) => heard.push(id));
        await runner.start(runOf('a', 'escapes'), never);
        const [pid, groups] = [await escapedFrom(at), groupsOf(at)];
        if (how === 'is stopped') await runner.stop('a');
        if (how === 'is restarted') await runner.start(runOf('a', 'good', { pageTitle: 'other' }), never);
        if (how === 'is deleted') await runner.remove('a');
        if (how === 'crashes') process.kill(pidOf('a'), 'SIGKILL');
        if (how === 'crashes') await until('it is heard of', () => heard.length > 0);
        assert.not(await lives(pid));
        for (const group of groups) assert.not(existsSync(group));
      }),
    );

  tree('are found when Weir starts, also where the runtime is gone', () =>
    inWorld(async ({ driver, at, pidOf, again }) => {
      await driver.runner.start(runOf('a', 'escapes'), never);
      const escaped = await escapedFrom(at);
      driver.close();
      const leader = { pid: pidOf('a'), began: (await beganAt(pidOf('a'))) ?? '' };
      await signal(leader, 'SIGKILL');
      await until('it is gone', async () => !(await isRunning(leader)));
      assert.ok(await lives(escaped));
      assert.is((await again().runner.running()).size, 0);
      assert.not(await lives(escaped));
    }),
  );

  tree('are found when Weir starts, also where their record is lost', () =>
    inWorld(async ({ driver, at, pidOf, again }) => {
      for (const text of [undefined, '', '{', '[]', '{"folder": 3}']) {
        await driver.runner.start(runOf('a', 'escapes'), never);
        const [pid, escaped] = [pidOf('a'), await escapedFrom(at)];
        driver.close();
        if (text === undefined) rmSync(at('a', 'run.json'));
        else writeFileSync(at('a', 'run.json'), text);
        assert.is((await again().runner.running()).size, 0);
        assert.equal([await lives(pid), await lives(escaped)], [false, false], String(text));
      }
    }),
  );

  tree('count together, and are ended when they hold too much for too long', async () => {
    for (const behaviour of ['hoards', 'nests'] as const)
      await inWorld(
        async ({ driver: { runner, meter }, pidOf }) => {
          const heard: [string, Reason][] = [];
          runner.onEnd((id, why) => heard.push([id, why]));
          await runner.start({ ...runOf('fine'), resources: { memoryMb: 96 } }, never);
          await runner.start({ ...runOf('a', behaviour), resources: { memoryMb: 96 } }, never);
          const pid = pidOf('a');
          let most = 0;
          await until('it is ended', async () => {
            most = Math.max(most, (await meter.read()).get('a')?.memoryBytes ?? 0);
            return heard.length > 0;
          });
          const [id, { reason, message }] = heard[0] ?? ['', { reason: '', message: '' }];
          assert.equal([id, reason], ['a', 'MemoryExceeded']);
          assert.match(message, /^it held \d+ MiB of memory with all that it started, and its stack allows 400 MiB/);
          assert.ok(most > treeLimitMb(96) * 1024 ** 2, `${behaviour}: ${most}`);
          assert.equal([await lives(pid), [...(await runner.running())]], [false, ['fine']]);
        },
        { memoryMs: 100 },
        { controlGroups: false },
      );
  });

  tree(
    'cost little to look at where much else runs, and are never those of a number that was given again',
    async () => {
      const run = newRun();
      const [command = '', ...args] = withTag(run, ['sleep', '1000']);
      const child: ChildProcess = spawn(command, args, { stdio: 'ignore' });
      await once(child, 'spawn');
      const leader = { pid: child.pid ?? 0, began: (await beganAt(child.pid ?? 0)) ?? '' };
      const meter = createTreeMeter();
      assert.ok(((await meter.read([{ run, leader }])).get(run)?.memoryBytes ?? 0) > 0);
      assert.is((await meter.read([{ run, leader: { ...leader, began: 'another boot/1' } }])).get(run), undefined);
      await endTree({ run });
      assert.is((await meter.read([{ run, leader }])).size, 0);
    },
  );
}

tree('are known by more than their numbers', async () => {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const began = (await beganAt(pid)) ?? '';
  assert.is.not(began, '');
  if (process.platform === 'linux')
    assert.ok(began.startsWith(`${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/`), began);
  // The number was given again: this process began at another time, or before the machine did.
  for (const other of [`${began}0`, began.replace(/^[^/]*/, 'another-boot'), '', '0'])
    if (other !== began) {
      assert.is(await isRunning({ pid, began: other }), false, other);
      assert.is(await signal({ pid, began: other }, 'SIGKILL'), false, other);
    }
  assert.ok(await isRunning({ pid, began }));
  const ended = once(child, 'exit');
  assert.ok(await signal({ pid, began }, 'SIGKILL'));
  await ended;
  assert.not(await isRunning({ pid, began }));
});

tree.run();

function groupsOf(at: (id: string, name?: string) => string): string[] {
  return JSON.parse(readFileSync(at('a', 'run.json'), 'utf8')).groups ?? [];
}
