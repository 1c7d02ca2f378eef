// What Weir adds to the start of a runtime, ten of them side by side, and what a thousand instances cost that move to another stack.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startConverge } from '../../src/control/converge.ts';
import { submit } from '../../src/control/submit.ts';
import { kinds } from '../../src/core/kinds/index.ts';
import { created, updated } from '../../src/core/model/change.ts';
import type { Proposal } from '../../src/core/model/proposal.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { actOnInstance } from '../../src/core/proposals/act-on-instance.ts';
import type { Driver } from '../../src/drivers/driver.ts';
import { driversAt } from '../../src/drivers/index.ts';
import { freePort } from '../../src/drivers/local/ports.ts';
import { stubDriver } from '../../src/drivers/stub.ts';
import { newId } from '../../src/lib/id.ts';
import { openStore } from '../../src/store/json-file.ts';
import { facts, living, made } from '../control/world.ts';
import { runtimes, stacksWith } from '../support/stacks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { against, cpuOf, type Row, told } from './measure.ts';

/** Measures with real runtimes and, for the thousand, with a stub; takes a minute. */
export async function benchInstances({ rounds = 3, many = 1_000 } = {}): Promise<Row[]> {
  const stacks = await stacksWith(runtimes.five);
  const bare: number[] = [];
  const weir: number[] = [];
  // In turns, so that what else the machine does hurts both.
  for (let round = 0; round < rounds; round++) {
    bare.push(await bareStart(stacks));
    weir.push(await weirStart(stacks, 1));
  }
  // What else the machine does only ever makes it longer.
  const [own, one] = [Math.min(...bare), Math.min(...weir)];
  const ten = await weirStart(stacks, 10);
  return [
    { name: 'instances: the runtime’s own start, best of several', value: own, unit: 's' },
    { name: 'instances: start by Weir, from the wish to `running`, best of several', value: one, unit: 's' },
    against('instances: what Weir adds ÷ the runtime’s own start', one - own, own, { atMost: 0.25 }),
    { name: 'instances: ten side by side, until all run', value: ten, unit: 's' },
    { name: 'instances: ten side by side ÷ one', value: ten / one, unit: '×', atMost: 10 },
    ...(await thousand(many)),
  ];
}

/** Seconds from the start of a runtime alone until its flows have started. */
async function bareStart(stacks: string): Promise<number> {
  const folder = temporaryFolder();
  const port = await freePort(new Set());
  writeFileSync(
    join(folder.path, 'settings.cjs'),
    `module.exports = {uiHost: '127.0.0.1', uiPort: ${port}, telemetry: {enabled: false}};`,
  );
  mkdirSync(join(folder.path, 'home'));
  const script = join(stacks, runtimes.five, 'node_modules/node-red/red.js');
  const start = performance.now();
  const args = [script, '--settings', join(folder.path, 'settings.cjs'), '--userDir', join(folder.path, 'home')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const chunk of child.stdout) {
    said += chunk;
    if (/Started flows/.test(said)) break;
  }
  const seconds = (performance.now() - start) / 1000;
  child.kill('SIGKILL');
  await folder.remove();
  return seconds;
}

/** Seconds from the commit that wants instances until all of them run. */
async function weirStart(stacks: string, amount: number): Promise<number> {
  const folder = temporaryFolder();
  const drivers = driversAt({
    instances: join(folder.path, 'instances'),
    stacks: () => stacks,
    env: process.env,
    secretOf: () => ({ message: 'there is none' }),
    log: () => {},
  });
  const plant = await newPlant(join(folder.path, 'store'), drivers);
  const awake = setInterval(() => {}, 1000);
  const start = performance.now();
  await plant.make(amount);
  await plant.all('running', amount);
  const seconds = (performance.now() - start) / 1000;
  await plant.close();
  for (const { runner } of drivers.values()) for (const id of (await runner?.running()) ?? []) await runner?.remove(id);
  clearInterval(awake);
  await folder.remove();
  return seconds;
}

/** CPU from the first wish to upgrade to the last instance that runs on the new stack, each wish a durable write of its own. */
async function thousand(amount: number): Promise<Row[]> {
  const folder = temporaryFolder();
  const drivers = new Map<string, Driver>([['local', stubDriver()]]);
  const plant = await newPlant(folder.path, drivers);
  const ids = await plant.make(amount);
  await plant.all('running', amount);
  const { ms } = await cpuOf(async () => {
    await Promise.all(ids.map((id) => plant.keep(actOnInstance({ id, action: 'upgrade-stack' }, drivers))));
    await plant.all('running', amount);
  });
  // The least that it takes to write down: what is wanted of each, and what came of it.
  const { ms: bare } = await cpuOf(async () => {
    for (let time = 0; time < 2; time++) await Promise.all(ids.map((id) => plant.touch(id)));
  });
  await plant.close();
  await folder.remove();
  const name = `instances: ${told(amount)} converge after a stack upgrade (stub driver)`;
  return [
    { name, value: ms / 1000, unit: 's CPU' },
    against(`${name} ÷ two durable writes of each`, ms, bare, { atMost: 8 }),
  ];
}

async function newPlant(folder: string, drivers: ReadonlyMap<string, Driver>) {
  const store = await openStore(folder, { create: true });
  const door = { store, facts: () => ({ ...facts, drivers }) };
  const clock = () => new Date().toISOString();
  const context = () => ({ now: clock(), newId, actor: { kind: 'job', name: 'bench' }, origin: 'api' }) as const;
  const put = (resources: readonly Resource[]) =>
    store.commit(() => ({ changes: resources.map((resource) => created(resource)) }), { id: newId() });
  const catalogue = [
    made('Stack', 'a', { runtime: runtimes.five }),
    made('Stack', 'b', { runtime: runtimes.five, replaces: 'a' }),
    made('InstanceType', 'small', { stacks: ['a'] }),
    made('Template', 'plain'),
    made('TeamType', 'starter', { instanceTypes: [{ name: 'small' }] }),
  ];
  const idOf = (name: string) => catalogue.find((one) => one.name === name)?.id ?? '';
  await put([...catalogue, living('Team', 'core', { displayName: 'Core', type: idOf('starter') })]);
  const plan = { team: 'Team-core', instanceType: idOf('small'), template: idOf('plain'), stack: idOf('a') };
  const converging = startConverge({ door, drivers, clock, newId, log: () => {} });
  const at = { generation: 1, createdAt: clock(), updatedAt: clock() };
  return {
    touch: (id: string) =>
      store.commit(
        (view) => {
          const before = view.get('Instance', id);
          return { changes: before ? [updated(before, { ...before, generation: before.generation + 1 })] : [] };
        },
        { id: newId() },
      ),
    keep: async (proposal: Proposal) => void (await submit(door, proposal, context())),
    make: async (amount: number) => {
      const spec = kinds.Instance.spec.parse(plan);
      const ids = Array.from({ length: amount }, () => newId());
      await put(ids.map((id): Resource<'Instance'> => ({ kind: 'Instance', id, name: id, spec, ...at })));
      return ids;
    },
    all: async (state: string, amount: number) => {
      const count = () => [...store.read().having('Instance', `state=${state}`)].length;
      for (await converging.settled(); count() < amount; await converging.settled()) await sleep(5);
    },
    close: async () => {
      await converging.close();
      await store.close();
    },
  };
}
