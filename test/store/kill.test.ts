// timeout: 1200
// kill -9 while 16 writers write: nothing acknowledged is lost. `node test/store/kill.test.ts 50` runs 50 rounds instead of 4.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openStore } from '../../src/store/json-file.ts';
import { type Store, StoreUnavailable } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { labelling } from './samples.ts';

const rounds = Number(process.argv[2] ?? 4);

/** An acknowledged commit. */
interface Acknowledged {
  readonly position: number;
  readonly name: string;
  readonly label: string;
  readonly id: string;
}

const kill = suite('kill -9');

kill(`in ${rounds} rounds of 16 writers loses nothing that was acknowledged`, async () => {
  const { path } = temporaryFolder();
  const all: Acknowledged[] = [];
  for (let round = 0; round < rounds; round += 1) {
    all.push(...(await writeUntilKilled(path, round, 50 + Math.random() * 400)));
    // Every other round only looks: then the next writer finds the folder just as the kill left it.
    const readOnly = round % 2 === 1;
    const store = await openStore(path, { create: false, readOnly, log: () => {} });
    assert.equal(lost(store, all), []);
    await repeats(store, all.slice(-16));
    await store.close();
  }
  const store = await openStore(path, { create: false, readOnly: true, log: () => {} });
  const kept = new Set((await store.records({ stream: 'history', limit: 1e9 })).map(({ id }) => id));
  // By default the newest 10 000 are kept, at least.
  assert.equal(
    all.slice(-10_000).filter(({ id }) => !kept.has(id)),
    [],
  );
  await store.close();
  assert.ok(all.length > rounds * 50, `only ${all.length} writes`);
  console.log(`${rounds} kills, ${all.length} writes acknowledged, 0 lost`);
});

kill('lets the next process take the folder, which was refused while the first lived', async () => {
  const { path } = temporaryFolder();
  const writer = startWriter(path, 0);
  await writer.opened;
  const error = await openStore(path, { create: true, log: () => {} }).catch((error) => error);
  assert.instance(error, StoreUnavailable);
  assert.is(error.reason, 'locked');
  assert.match(error.message, `is in use by process ${writer.child.pid} (started `);
  assert.match(error.message, 'killed-writer.ts');
  writer.child.kill('SIGSTOP');
  assert.match(
    String(await openStore(path, { create: true }).catch((error) => error)),
    `process ${writer.child.pid}, which`,
  );
  writer.child.kill('SIGKILL');
  await writer.ended;
  const store = await openStore(path, { create: false, log: () => {} });
  assert.is(store.health().state, 'ready');
  await store.close();
});

kill.run();

/** What is missing of what was acknowledged: the state has to be the one at its position, and that not before the last acknowledged. */
function lost(store: Store, all: readonly Acknowledged[]): string[] {
  const position = Number(store.read().position);
  const newest = new Map(all.map((write) => [write.name, write]));
  const last = all.at(-1)?.position ?? 0;
  const problems = position < last ? [`position ${position}, but ${last} was acknowledged`] : [];
  for (const { name, label, position: at } of newest.values()) {
    const found = store.read().named('Stack', name)?.spec.label;
    // One write of each writer may have been kept and not acknowledged any more.
    if (found !== label && !follows(found, label, position > last))
      problems.push(`${name} is ${found}, not ${label} (${at})`);
  }
  return problems;
}

/** Whether `found` is what the same writer wrote next under this name: twenty counts later, or the first of a new round. */
function follows(found: string | undefined, label: string, possible: boolean): boolean {
  const [round, count] = (found ?? '').split('.').map(Number);
  const [oldRound, oldCount] = label.split('.').map(Number);
  return possible && ((round === oldRound && count === Number(oldCount) + 20) || Number(round) > Number(oldRound));
}

async function repeats(store: Store, last: readonly Acknowledged[]): Promise<void> {
  for (const { id, position } of last) {
    const receipt = await store.commit(labelling('never', 'made'), { id });
    assert.ok(receipt.repeated);
    assert.is(receipt.position, String(position));
  }
}

async function writeUntilKilled(path: string, round: number, after: number): Promise<Acknowledged[]> {
  const writer = startWriter(path, round);
  await writer.opened;
  await sleep(after);
  // A slow disk takes longer for as many.
  while (writer.acknowledged() < 100 && writer.child.exitCode === null) await sleep(5);
  writer.child.kill('SIGKILL');
  const lines = (await writer.ended).split('\n').slice(1, -1);
  return lines.map((line) => {
    const [position = '', name = '', label = '', id = ''] = line.split(' ');
    return { position: Number(position), name, label, id };
  });
}

function startWriter(
  path: string,
  round: number,
): { child: ChildProcess; opened: Promise<unknown>; acknowledged: () => number; ended: Promise<string> } {
  const script = join(import.meta.dirname, 'killed-writer.ts');
  const child = spawn(process.execPath, [script, path, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
  let said = '';
  let lines = 0;
  const opened = new Promise((resolve) => child.stdout.once('data', resolve));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    lines += text.split('\n').length - 1;
  });
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(said)));
  // The first line only says that the store is open.
  return { child, opened: Promise.race([opened, ended]), acknowledged: () => lines - 1, ended };
}
