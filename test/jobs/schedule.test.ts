// The schedule: jobs run at their times, one run at a time, again after a failure, and no more once it is closed.
import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jobs } from '../../src/jobs/index.ts';
import type { Job } from '../../src/jobs/job.ts';
import { startJobs } from '../../src/jobs/schedule.ts';
import { NotKept } from '../../src/store/store.ts';
import { newWorld } from '../control/world.ts';

const schedule = suite('the schedule');

/** Starts one job with a crontab of seconds; answers what was logged, too. */
function start(run: Job['run'], pattern = '* * * * * *', world = newWorld()) {
  const logged: string[] = [];
  const options = { door: world.door, clock: () => new Date().toISOString(), newId: () => 'id' };
  const log = (_level: string, message: string) => logged.push(message);
  return { ...startJobs({ ...options, log }, [{ name: 'test', pattern, run }]), logged, world };
}

schedule('runs a job at its times, never twice at once, and again after it failed', async () => {
  let runs = 0;
  let atOnce = 0;
  const { logged, close } = start(async () => {
    runs += 1;
    assert.is(++atOnce, 1);
    if (runs === 1) await sleep(1200);
    atOnce -= 1;
    throw new NotKept('the store is closed');
  });
  while (runs < 2) await sleep(20);
  await close();
  const said = 'the job test failed, and is tried again when its time comes: the store is closed';
  assert.equal(new Set(logged), new Set([said]));
});

schedule('tells a run that is under way to stop, waits for it, and begins no other', async () => {
  let runs = 0;
  let ended = false;
  const { close, logged } = start(async (_desk, stop) => {
    runs += 1;
    while (!stop.aborted) await sleep(5);
    await sleep(50);
    ended = true;
  });
  while (runs === 0) await sleep(20);
  await close();
  assert.ok(ended);
  await sleep(1100);
  assert.equal([runs, logged], [1, []]);
});

schedule('ends with the store, and runs nothing on one that takes no writes', async () => {
  let runs = 0;
  const { world, close } = start(async () => {
    runs += 1;
  });
  await world.store.close();
  await sleep(1100);
  await close();
  const readOnly = newWorld();
  const health = () => ({ state: 'read-only', position: '0' }) as const;
  const door = { ...readOnly.door, store: { ...readOnly.store, health } };
  const other = start(
    async () => {
      runs += 1;
    },
    '* * * * * *',
    { ...readOnly, door },
  );
  await sleep(1100);
  await other.close();
  assert.is(runs, 0);
});

schedule('runs every registered job in its time, and once the clock that was set back has caught up', async () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      mock.timers.tick(1000);
      await turn();
    }
  };
  for (const { name, pattern } of jobs) {
    const period = pattern.startsWith('*') ? 60 : 3600;
    // Half a period before the first turn.
    const minute = Number.parseInt(pattern, 10) || 0;
    const now = Date.parse('2026-11-21T12:00:00.000Z') + (minute * 60 + period / 2) * 1000;
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now });
    try {
      let runs = 0;
      const { close } = start(async () => {
        runs += 1;
      }, pattern);
      await pass(period);
      assert.is(runs, 1, name);
      await pass(period);
      assert.is(runs, 2, name);
      mock.timers.setTime(Date.now() - 10 * period * 1000);
      await pass(9.5 * period);
      assert.is(runs, 2, `${name}: silent as long as the clock is behind`);
      await pass(2 * period);
      assert.ok(runs >= 3, name);
      await close();
    } finally {
      mock.timers.reset();
    }
  }
});

schedule.run();
