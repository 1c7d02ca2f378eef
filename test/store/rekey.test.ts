// timeout: 400
// Another key for a store: power is lost at every call of it, every call fails once, and nothing wants the key before it any more when it has ended.
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { created } from '../../src/core/model/change.ts';
import { openStore } from '../../src/store/json-file.ts';
import { rekey } from '../../src/store/rekey.ts';
import { sealKeyOf } from '../../src/store/seal.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { createFaultDisk, type FaultDisk, losses } from '../support/fault-file-system.ts';
import { creating, deviceNamed } from './samples.ts';
import { batches, folder, judge, momentsOf, openOn, type Step } from './workload.ts';

const plan = batches(12);
const steps: readonly Step[] = plan.flat();
const noLock = async () => async () => {};
const rekeyOn = ({ files }: FaultDisk) => rekey(folder, { files, lock: noLock });

const crash = suite('a crash while a store is given another key');

crash('at any call, whatever the disk loses, leaves a store that opens, and that the next run finishes', async () => {
  const moments = await momentsOf(steps);
  const disk = await written();
  const before = idsIn(disk, 'secret.key');
  const found: { readonly disk: FaultDisk; readonly where: string }[] = [];
  const calls: string[] = [];
  disk.before = ({ number, name, path }) => {
    const where = `${name} ${path.replace(/.*\//, '')}`;
    calls.push(where);
    found.push({ disk: disk.killed(), where: `${number}: ${where}, killed` });
    for (const loss of losses) found.push({ disk: disk.lost(loss, number), where: `${number}: ${where}, ${loss}` });
    return undefined;
  };
  await rekeyOn(disk);
  disk.before = () => undefined;
  for (const loss of losses) found.push({ disk: disk.lost(loss, 1), where: `the end, ${loss}` });
  for (const call of [
    'rename secret.key.tmp',
    'rename secret.key.old.tmp',
    'unlink ',
    'rename snapshot-',
    'rename journal-',
  ])
    assert.ok(
      calls.some((one) => one.startsWith(call)),
      call,
    );
  const wrong: string[] = [];
  for (const { disk: left, where } of found) {
    const problem = (await judge(left.killed(), steps, moments, steps.length)) ?? (await unfinished(left, before));
    if (problem !== undefined) wrong.push(`${where}: ${problem}`);
  }
  assert.equal(wrong, []);
  console.log(`${calls.length} crash points, ${found.length} disks`);
});

crash('is judged: a key file that is never synced is found out', async () => {
  const moments = await momentsOf(steps);
  const disk = await written();
  const found: FaultDisk[] = [];
  disk.before = ({ number, name, path }) => {
    for (const loss of ['none', 'zeros'] as const) found.push(disk.lost(loss, number));
    return name === 'datasync' && path.includes('secret.key') ? 'forget' : undefined;
  };
  await rekeyOn(disk);
  const wrong = await Promise.all(found.map((left) => judge(left, steps, moments, steps.length)));
  assert.ok(wrong.some((problem) => problem !== undefined));
});

crash('and any call that fails loses nothing', async () => {
  const moments = await momentsOf(steps);
  const whole = await written();
  const before = idsIn(whole, 'secret.key');
  let count = 0;
  const counting = whole.killed();
  counting.before = () => {
    count += 1;
    return undefined;
  };
  await rekeyOn(counting);
  for (let at = 1; at <= count; at += 1)
    for (const code of ['ENOSPC', 'EIO']) {
      const disk = whole.killed();
      disk.before = ({ number }) => (number === at ? { code } : undefined);
      await rekeyOn(disk).catch((error) => assert.instance(error, StoreUnavailable, String(error?.stack)));
      disk.before = () => undefined;
      const problem = (await judge(disk.killed(), steps, moments, steps.length)) ?? (await unfinished(disk, before));
      assert.is(problem, undefined, `${code} at call ${at}`);
    }
});

crash.run();

const another = suite<{ path: string }>('another key for a store');

another.before.each((context) => {
  context.path = mkdtempSync(join(tmpdir(), 'weir-rekey-'));
});
another.after.each(({ path }) => rmSync(path, { recursive: true, force: true }));

another('beside the store is made, private, and the one before it is set aside for backups', async ({ path }) => {
  await fill(path);
  const first = textOf(path, 'secret.key');
  const second = await rekey(path);
  assert.equal(second.former, [idOf(first)]);
  assert.is(second.formerPath, join(path, 'secret.key.old'));
  assert.is(textOf(path, 'secret.key.old'), first);
  assert.equal([textOf(path, 'secret.key')].map(idOf), [second.id]);
  const third = await rekey(path);
  assert.equal(textOf(path, 'secret.key.old').split('\n').map(idOf), [second.id, idOf(first)]);
  if (process.platform !== 'win32')
    for (const name of ['secret.key', 'secret.key.old']) assert.is(statSync(join(path, name)).mode & 0o777, 0o600);
  assert.equal(keysOfFiles(path), [third.id]);
  await holds(path);
});

another('that was named is not written: the first of several is taken, and one alone is refused', async ({ path }) => {
  const [one, two] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string];
  const [store, file] = [join(path, 'store'), join(path, 'key')];
  writeFileSync(file, `${one}\n`, { mode: 0o600 });
  await fill(store, { file });
  const refusal = await rekey(store, { keys: { file } }).catch((error) => error);
  assert.is(refusal.reason, 'key');
  assert.match(
    refusal.message,
    `${file} holds only the key that it has (${idOf(one)}): put a new one on a line before it`,
  );
  writeFileSync(file, `${two}\n${one}\n`);
  const done = await rekey(store, { keys: { file } });
  assert.equal(done, { id: idOf(two), former: [idOf(one)], place: file });
  assert.is(readFileSync(file, 'utf8'), `${two}\n${one}\n`);
  assert.equal(keysOfFiles(store), [idOf(two)]);
  const variable = await rekey(store, { keys: { text: two } }).catch((error) => error);
  assert.match(variable.message, 'put a new one and a comma before it');
  assert.is((await rekey(store, { keys: { text: `${one},${two}` } })).id, idOf(one));
  await holds(store, { text: one });
  assert.not.ok(readdirSync(store).some((name) => name.startsWith('secret.key')));
});

if (process.platform !== 'win32')
  another('that stands behind a link is not replaced by a file', async ({ path }) => {
    const store = join(path, 'store');
    await fill(store);
    renameSync(join(store, 'secret.key'), join(path, 'vault'));
    symlinkSync(join(path, 'vault'), join(store, 'secret.key'));
    const refusal = await rekey(store).catch((error) => error);
    assert.match(refusal.message, 'whoever made the file changes it, and Weir does not');
    await holds(store);
  });

another('is not given to a store that is in use, is not there, or whose key is not there', async ({ path }) => {
  const reasonOf = () =>
    rekey(path).then(
      () => 'done',
      ({ reason }) => reason,
    );
  assert.is(await reasonOf(), 'missing');
  const store = await openStore(path, { create: true, log: () => {} });
  const before = textOf(path, 'secret.key');
  assert.is(await reasonOf(), 'locked');
  await store.close();
  assert.is(textOf(path, 'secret.key'), before);
  writeFileSync(join(path, 'secret.key'), `${Buffer.alloc(32, 9).toString('base64')}\n`);
  assert.is(await reasonOf(), 'key');
  rmSync(join(path, 'secret.key'));
  assert.is(await reasonOf(), 'key');
  assert.not.ok(existsSync(join(path, 'secret.key')));
});

another('goes into a file of its own, whatever was left where it is made', async ({ path }) => {
  if (process.platform === 'win32') return;
  await fill(path);
  writeFileSync(join(path, 'elsewhere'), 'mine\n', { mode: 0o644 });
  symlinkSync(join(path, 'elsewhere'), join(path, 'secret.key.tmp'));
  await rekey(path);
  assert.is(readFileSync(join(path, 'elsewhere'), 'utf8'), 'mine\n');
  assert.is(statSync(join(path, 'secret.key')).mode & 0o777, 0o600);
});

another.run();

/** A disk with the whole workload on it, written in three sessions. */
async function written(): Promise<FaultDisk> {
  const disk = createFaultDisk();
  for (const session of [plan.slice(0, 5), plan.slice(5, 10), plan.slice(10)]) {
    const store = await openOn(disk);
    for (const { id, transaction } of session.flat()) await store.commit(transaction, { id });
    await store.close();
  }
  return disk;
}

/** What is still not as it has to be once a second run has ended, in words. */
async function unfinished(disk: FaultDisk, before: readonly string[]): Promise<string | undefined> {
  try {
    const { id } = await rekeyOn(disk);
    const keys = idsIn(disk, 'secret.key');
    if (String(keys) !== id || before.includes(id)) return `secret.key holds ${keys} and not ${id} alone`;
    for (const one of before)
      if (!idsIn(disk, 'secret.key.old').includes(one)) return `the key ${one} is in no file any more`;
    const others = disk.paths().filter((path) => /jsonl/.test(path) && (keyOf(disk.content(path)) ?? id) !== id);
    return others.length === 0 ? undefined : `${others} want another key than ${id}`;
  } catch (error) {
    return `${error}`;
  }
}

function idsIn(disk: FaultDisk, name: string): readonly string[] {
  const text = disk.content(join(folder, name))?.toString() ?? '';
  return text.split('\n').filter(Boolean).map(idOf);
}

function idOf(text: string): string {
  return sealKeyOf(Buffer.from(text, 'base64')).id;
}

function keyOf(bytes: Buffer | undefined): string | undefined {
  return /"key":"([0-9a-f]{8})"/.exec(bytes?.toString().split('\n', 1)[0] ?? '')?.[1];
}

async function fill(path: string, keys = {}): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    const store = await openStore(path, { create: true, log: () => {}, keys, snapshotBytes: 1 });
    await store.commit(creating(`s${turn}`), { id: `s${turn}` });
    const device = deviceNamed(`d${turn}`, `secret-${turn}`);
    await store.commit(() => ({ changes: [created(device)] }), { id: `d${turn}` });
    await store.close();
  }
}

async function holds(path: string, keys = {}): Promise<void> {
  const store = await openStore(path, { create: false, readOnly: true, log: () => {}, keys });
  assert.equal(
    [...store.read().all('Device')].map(({ spec }) => spec.credentialSecret),
    ['secret-0', 'secret-1', 'secret-2'],
  );
  await store.close();
}

function textOf(path: string, name: string): string {
  return readFileSync(join(path, name), 'utf8').trim();
}

function keysOfFiles(path: string): readonly string[] {
  const files = readdirSync(path).filter((name) => name.includes('.jsonl'));
  assert.ok(files.length > 0);
  return [...new Set(files.map((name) => String(keyOf(readFileSync(join(path, name))))))];
}
