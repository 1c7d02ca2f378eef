// The process that local-bounds.test.ts runs, as root or not: a driver whose instance tries to have more than it may, or to get out of what knows it.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reason } from '../../src/drivers/driver.ts';
import type { Level } from '../../src/drivers/local/isolation/level.ts';
import { tagOf } from '../../src/drivers/local/process-tree.ts';
import { createTreeMeter } from '../../src/drivers/local/tree-meter.ts';
import { localDriver } from '../../src/drivers/local.ts';
import { fakeStacks } from '../support/fake-runtime.ts';
import { until } from '../support/until.ts';
import { never, runOf } from './local-world.ts';

const [folder = '', level = '', groups = '', behaviour = '', memoryMs = ''] = process.argv.slice(2);
const isLevel = (text: string): text is Level => ['none', 'user', 'bwrap'].includes(text);
if (!isLevel(level)) throw new TypeError(level);
const instances = join(folder, 'store', 'instances');
mkdirSync(instances, { recursive: true, mode: 0o700 });
const stacks = await fakeStacks(folder);
const guarded = level === 'none' && groups !== 'grouped';
const awake = setInterval(() => {}, 1000);
const driver = localDriver({
  ...{ instances, store: join(folder, 'store'), stacks: () => stacks, env: process.env, log: () => {} },
  isolation: () => ({ isolation: level, firstUserId: 300_000 }),
  secretOf: () => ({ message: 'there are none' }),
  patience: { startMs: 30_000, stopMs: 2000, answerMs: 5000, lookMs: 50, memoryMs: Number(memoryMs) },
  controlGroups: groups === 'grouped',
});
const at = (name: string) => join(instances, 'a', name);
const heard: Reason[] = [];
driver.runner.onEnd((id, why) => id === 'a' && heard.push(why));

/** By a meter of its own: how many tasks there are when no more can be started. */
async function tasksAtLast(): Promise<number> {
  await until('it has started what it can', () => heard.length > 0 || existsSync(at('home/forked')));
  if (heard.length > 0) return 0;
  const { pid, began, ...tree } = JSON.parse(readFileSync(at('run.json'), 'utf8'));
  const usages = await createTreeMeter().read([{ ...tree, leader: { pid, began } }]);
  return usages.get(tree.run)?.tasks ?? 0;
}

const found: Record<string, unknown> = {};
try {
  // A thousand processes hold more than what one is to have.
  const memoryMb = behaviour === 'forks' ? 8192 : 96;
  await driver.runner.start({ ...runOf('a', behaviour), resources: { memoryMb } }, never);
  if (behaviour === 'forks') {
    found.tasks = await tasksAtLast();
    if (guarded) await until('it is ended', () => heard.length > 0);
    found.other = await driver.runner.start(runOf('b'), never).then(() => true, String);
  }
  if (behaviour === 'stores') {
    const done = () =>
      existsSync(at('home/stored.json')) ? JSON.parse(readFileSync(at('home/stored.json'), 'utf8')) : [];
    await until('all is full', () => done().length === 3 || heard.length > 0);
    found.stored = done();
  }
  if (['stores', 'nests', 'hoards'].includes(behaviour)) await until('it is ended', () => heard.length > 0);
  if (behaviour === 'unmarks' || behaviour === 'lowers') {
    // What it says when it has started it, which may still be on its way to its own command line.
    await until('it is out', () => existsSync(at('home/escaped')) && lingering().length > 0);
    const [out = 0] = lingering();
    const { pid, began, ...tree } = JSON.parse(readFileSync(at('run.json'), 'utf8'));
    const meter = createTreeMeter();
    await meter.read([{ ...tree, leader: { pid, began } }]);
    found.carriesTag = readFileSync(`/proc/${out}/limits`, 'utf8').includes(tagOf(tree.run));
    found.isMetered = meter.membersOf(tree.run).some((member) => member.pid === out);
    await driver.runner.stop('a');
    found.left = lingering().length;
    // With what it started: both are in the group of the shell that is gone.
    for (const left of lingering()) process.kill(-groupOf(left), 'SIGKILL');
  }
} finally {
  for (const id of ['a', 'b']) await driver.runner.remove(id);
}
found.reasons = heard;
driver.close();
clearInterval(awake);
process.stdout.write(`${JSON.stringify(found)}\n`);
process.exit(0);

/** Those that were told to stay, by their command line. */
function lingering(): number[] {
  return readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) && cmdline(name).startsWith(`sh\0-c\0sleep 1000; :\0${at('home/escaped')}`)
      ? [Number(name)]
      : [],
  );
}

function groupOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

function cmdline(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
