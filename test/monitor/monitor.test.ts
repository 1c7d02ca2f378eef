// timeout: 400
// Measuring what instances use: by a driver that is told what to say, and by real processes.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deleted } from '../../src/core/model/change.ts';
import type { Driver, Usage } from '../../src/drivers/driver.ts';
import { stubDriver } from '../../src/drivers/stub.ts';
import { createMonitor, type Monitor, type MonitorOptions } from '../../src/monitor/monitor.ts';
import { living, newWorld, put, type World, write } from '../control/world.ts';
import { localWorld, never, runOf } from '../drivers/local-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const noon = Date.parse('2026-11-21T12:00:00.000Z') / 1000;

interface Desk {
  readonly world: World;
  readonly monitor: Monitor;
  readonly folder: string;
  readonly logged: string[];
  /** What the driver says. */
  readonly usages: Map<string, Usage>;
  /** Lets time pass, on the clock and in fact. */
  pass(seconds: number, inFact?: number): void;
  again(more?: Partial<MonitorOptions>): Monitor;
}

async function deskWith(test: (desk: Desk) => Promise<void>): Promise<void> {
  const temporary = temporaryFolder();
  const folder = join(temporary.path, 'usage');
  const world = newWorld();
  await put(world, ...['a', 'b'].map((id) => instance(id)));
  const logged: string[] = [];
  const usages = new Map<string, Usage>();
  let now = noon;
  let elapsed = 0;
  const driver: Driver = { ...stubDriver(), meter: { read: async () => new Map(usages) } };
  const again = (more: Partial<MonitorOptions> = {}) =>
    createMonitor({
      store: world.store,
      drivers: new Map([['local', driver]]),
      folder,
      clock: () => new Date(now * 1000).toISOString(),
      elapsed: () => elapsed * 1000,
      log: (_level, message) => logged.push(message),
      ...more,
    });
  const pass = (seconds: number, inFact = seconds) => {
    now += seconds;
    elapsed += inFact;
  };
  try {
    await test({ world, monitor: again(), folder, logged, usages, pass, again });
  } finally {
    await temporary.remove();
  }
}

function instance(id: string) {
  const spec = { team: 'core', instanceType: 'small', template: 'standard', stack: 'nr-4', state: 'running' };
  return { ...living('Instance', id, spec), id };
}

const used = (cpuSeconds: number, run = 'first', memoryBytes = 1024): Usage => ({ memoryBytes, cpuSeconds, run });

/** Seconds after noon, and the processor's share in each sample. */
async function sharesOf(monitor: Monitor, id: string): Promise<(number | undefined)[][]> {
  const { stretches } = await monitor.past(id, { from: noon, to: noon + 3600 });
  return stretches.map(({ at, cpuPercent }) => [at - noon, cpuPercent]);
}

const measuring = suite('measuring');

measuring('tells the share of the processor from one look to the next, of the same run', () =>
  deskWith(async ({ monitor, usages, pass }) => {
    for (const usage of [used(1), used(4), used(4), used(0.5, 'second'), used(8, 'second')]) {
      usages.set('a', usage);
      await monitor.measure();
      pass(15);
    }
    usages.clear();
    await monitor.measure();
    assert.equal(await sharesOf(monitor, 'a'), [
      [0, undefined],
      [15, 20],
      [30, 0],
      [45, undefined],
      [60, 50],
    ]);
    assert.equal(await sharesOf(monitor, 'b'), []);
  }),
);

measuring('is not misled by a clock that is set', () =>
  deskWith(async ({ monitor, usages, pass }) => {
    usages.set('a', used(1));
    await monitor.measure();
    pass(1800, 15);
    usages.set('a', used(4));
    await monitor.measure();
    pass(-1770, 15);
    usages.set('a', used(7));
    await monitor.measure();
    assert.equal(await sharesOf(monitor, 'a'), [
      [0, undefined],
      [30, 20],
      [1800, 20],
    ]);
  }),
);

measuring('writes within a minute, and what is left when it ends', () =>
  deskWith(async ({ monitor, usages, pass, again }) => {
    for (let nth = 0; nth < 6; nth++) {
      usages.set('a', used(nth));
      usages.set('b', used(nth));
      await monitor.measure();
      pass(15);
    }
    for (const id of ['a', 'b']) assert.ok((await sharesOf(again(), id)).length >= 3, 'after a kill');
    await monitor.close();
    for (const id of ['a', 'b']) assert.is((await sharesOf(again(), id)).length, 6);
  }),
);

measuring('keeps nothing of an instance that is deleted, whenever that was', () =>
  deskWith(async ({ monitor, world, usages, folder, again }) => {
    for (const id of ['a', 'b', 'gone']) usages.set(id, used(1));
    monitor.start();
    await monitor.measure();
    await write(world, (view) => {
      const found = view.get('Instance', 'a');
      return found ? [deleted(found)] : [];
    });
    await monitor.close();
    assert.equal(await readdir(folder), ['b']);
    await writeFile(join(folder, 'old'), 'of an instance that went while Weir was stopped');
    const next = again();
    next.start();
    await next.close();
    assert.equal(await readdir(folder), ['b']);
  }),
);

measuring('says once that nothing can be written, goes on, and writes it later', () =>
  deskWith(async ({ monitor, usages, logged, folder, pass, again }) => {
    await writeFile(folder, 'in the way');
    for (let nth = 0; nth < 12; nth++) {
      usages.set('a', used(nth));
      await monitor.measure();
      pass(15);
    }
    assert.is(logged.length, 1);
    assert.match(logged[0] ?? '', /^what instances use cannot be kept: E/);
    await rm(folder);
    await mkdir(folder);
    await monitor.close();
    assert.is((await sharesOf(again(), 'a')).length, 12);
  }),
);

measuring('goes on when the driver cannot measure', () =>
  deskWith(async ({ again, logged }) => {
    const read = () => Promise.reject(new Error('no such thing'));
    const broken = again({ drivers: new Map([['local', { ...stubDriver(), meter: { read } }]]) });
    await broken.measure();
    await again({ drivers: new Map() }).measure();
    assert.equal(logged, ['what instances use cannot be measured: no such thing']);
  }),
);

measuring('measures real processes', async () => {
  const local = await localWorld();
  const world = newWorld();
  await put(world, instance('a'));
  const folder = join(local.instances, '..', 'usage');
  const clock = () => new Date().toISOString();
  const monitor = createMonitor({
    store: world.store,
    drivers: new Map([['local', local.driver]]),
    folder,
    clock,
    // As if a second passed between two looks.
    elapsed: () => performance.now() * 1000,
    log: (_level, message) => assert.unreachable(message),
  });
  try {
    await local.driver.runner.start(runOf('a'), never);
    const found = await until('a share of the processor is known', async () => {
      await monitor.measure();
      const to = Math.floor(Date.now() / 1000) + 60;
      const { stretches } = await monitor.past('a', { from: to - 3600, to });
      return stretches.find(({ cpuPercent }) => cpuPercent !== undefined);
    });
    assert.ok(found.memoryBytes > 1e6 && (found.cpuPercent ?? -1) >= 0);
    assert.ok(existsSync(join(folder, 'a')));
  } finally {
    await monitor.close();
    await local.close();
  }
});

measuring.run();
