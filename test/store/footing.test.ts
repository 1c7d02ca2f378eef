// A store whose folder is deleted, moved or replaced, or whose lock is removed, acknowledges nothing that nobody would find.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openStore } from '../../src/store/json-file.ts';
import { NotKept, OutcomeUnknown, type Store, StoreUnavailable } from '../../src/store/store.ts';
import { createFaultDisk } from '../support/fault-file-system.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { counting } from './samples.ts';
import { folder, openOn } from './workload.ts';

const footing = suite<{ here: TemporaryFolder; path: string; logged: string[] }>('the footing of a store');

footing.before.each((context) => {
  const here = temporaryFolder();
  Object.assign(context, { here, path: join(here.path, 'store'), logged: [] });
});
footing.after.each(({ here }) => here.remove());

const open = (path: string, log: (message: string) => void = () => {}): Promise<Store> =>
  openStore(path, { create: true, log });

const noLock = async () => async () => {};

/** Commits one after another; answers how many were acknowledged, and why the first was not. */
async function write(store: Store, name: string, count: number) {
  let kept = 0;
  let refused: unknown;
  for (let nth = 0; nth < count; nth += 1)
    await store.commit(counting(name), { id: `${name}-${nth}-${Math.random()}` }).then(
      () => {
        kept += 1;
      },
      (error: unknown) => {
        refused ??= error;
      },
    );
  return { kept, refused };
}

const countIn = (store: Store, name: string): number =>
  Number(store.read().get('Stack', `id-${name}`)?.spec.label ?? 0);

footing('deleted under it, a folder takes nothing any more, and is not made again', async ({ path, logged }) => {
  const store = await open(path, (message) => logged.push(message));
  await write(store, 'a', 3);
  rmSync(path, { recursive: true });
  const { kept, refused } = await write(store, 'a', 10);
  assert.is(kept, 0);
  assert.instance(refused, NotKept);
  assert.match((refused as Error).message, /nothing was kept: the folder .*store is gone \(deleted, moved/);
  const { state, reason } = store.health();
  assert.is(state, 'read-only');
  assert.match(reason ?? '', /bring it back, and writes go on/);
  await assertRejects(store.blobs.put(new TextEncoder().encode('flows')), NotKept);
  await store.close();
  assert.is(existsSync(path), false);
  assert.is(logged.filter((line) => line.includes('nothing is kept for now')).length, 1, logged.join('\n'));
});

footing('moved away it takes nothing, and goes on where it was as soon as it is back', async ({ path }) => {
  const store = await open(path);
  await write(store, 'a', 3);
  renameSync(path, `${path}-away`);
  assert.is((await write(store, 'a', 10)).kept, 0);
  renameSync(`${path}-away`, path);
  await until(() => store.health().state === 'ready');
  assert.is((await write(store, 'a', 2)).kept, 2);
  await store.close();
  const again = await open(path);
  assert.is(countIn(again, 'a'), 5);
  await again.close();
});

footing('is told also while nobody writes', async ({ path }) => {
  const store = await open(path);
  renameSync(path, `${path}-away`);
  await until(() => store.health().state === 'read-only');
  await store.close();
  assert.is(existsSync(path), false);
});

footing('replaced by another store it writes into neither', async ({ path }) => {
  const store = await open(path);
  await write(store, 'a', 3);
  renameSync(path, `${path}-away`);
  const other = await open(path);
  await write(other, 'b', 2);
  const { kept, refused } = await write(store, 'a', 10);
  assert.is(kept, 0);
  assert.match(
    (refused as Error).message,
    /another process has taken the store, or another folder stands in the place of/,
  );
  assert.is((await write(other, 'b', 2)).kept, 2);
  await Promise.all([store.close(), other.close()]);
  for (const [place, name, count] of [
    [path, 'b', 4],
    [`${path}-away`, 'a', 3],
  ] as const) {
    const again = await open(place);
    assert.equal([countIn(again, name), again.read().count('Stack')], [count, 1], place);
    await again.close();
  }
});

footing('replaced by an empty folder it leaves nothing there', async ({ path }) => {
  const store = await open(path);
  await write(store, 'a', 3);
  renameSync(path, `${path}-away`);
  mkdirSync(path);
  assert.is((await write(store, 'a', 3)).kept, 0);
  await store.close();
  assert.equal(readdirSync(path), []);
});

footing('keeps others out by another lock when its own is removed', async ({ path, logged }) => {
  const store = await open(path, (message) => logged.push(message));
  const locks = () => readdirSync(path).filter((name) => name.endsWith('.sock'));
  const [first = ''] = locks();
  rmSync(join(path, first));
  await until(() => locks().length === 1 && locks()[0] !== first);
  const refused = await open(path).catch((error: unknown) => error);
  assert.instance(refused, StoreUnavailable);
  assert.is((refused as StoreUnavailable).reason, 'locked');
  assert.is((await write(store, 'a', 2)).kept, 2);
  await store.close();
  assert.equal(locks(), []);
  assert.ok(
    logged.some((line) => line.includes('was removed while this process held the store')),
    logged.join('\n'),
  );
});

footing('loses nothing acknowledged where two write although only one may', async ({ path }) => {
  for (let round = 0; round < 8; round += 1) {
    const first = await openStore(path, { create: true, log: () => {}, lock: noLock });
    const before = countIn(first, 'a');
    const writing = Array.from({ length: 8 }, (_, nth) => write(first, 'a', 20 + nth));
    for (let turn = 0; turn < round; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const second = await openStore(path, { create: true, log: () => {}, lock: noLock });
    const results = await Promise.all(writing);
    const acknowledged = results.reduce((sum, { kept }) => sum + kept, 0);
    for (const { refused } of results)
      assert.ok(
        refused === undefined || refused instanceof NotKept || refused instanceof OutcomeUnknown,
        String(refused),
      );
    const others = await write(second, 'b', 5);
    assert.is(others.kept, 5, String(others.refused));
    await Promise.all([first.close(), second.close()]);
    const again = await openStore(path, { create: false, log: () => {}, lock: noLock });
    assert.ok(
      countIn(again, 'a') - before >= acknowledged,
      `${countIn(again, 'a') - before} of ${acknowledged}, round ${round}`,
    );
    assert.is(countIn(again, 'b'), 5 * (round + 1));
    await again.close();
  }
});

footing(
  'taken between the write and its end, the outcome of the write is not known, and no more is written',
  async () => {
    for (const moment of ['write', 'datasync'] as const) {
      const disk = createFaultDisk();
      const store = await openOn(disk);
      await write(store, 'a', 2);
      await (await disk.files.open(`${folder}/other`, 'create')).close();
      let isArmed = true;
      disk.before = ({ name, path }) => {
        if (isArmed && name === moment && path.includes('journal-')) {
          isArmed = false;
          // As another process does that opens the store now.
          void disk.files.rename(`${folder}/other`, path);
        }
        return undefined;
      };
      const { kept, refused } = await write(store, 'a', 1);
      assert.is(kept, 0, moment);
      assert.instance(refused, OutcomeUnknown, moment);
      assert.instance((await write(store, 'a', 1)).refused, NotKept, moment);
      const before = disk.paths().join();
      await store.close();
      assert.is(disk.paths().join(), before, 'closing writes nothing there');
    }
  },
);

footing('moved away between the write and its end, it goes on without the write once it is back', async () => {
  for (const [moment, whenBack] of [
    ['write', 'goes on'],
    ['datasync', 'goes on'],
    ['datasync', 'is closed'],
    ['datasync', 'is killed'],
  ] as const) {
    const words = `${moment}, ${whenBack}`;
    const disk = createFaultDisk();
    const store = await openOn(disk);
    await write(store, 'a', 2);
    let journal = '';
    disk.before = ({ name, path }) => {
      if (name !== moment || !path.includes('journal-') || journal !== '') return undefined;
      journal = path;
      void disk.files.rename(path, `${folder}/away`);
      return undefined;
    };
    const unknown = await store.commit(counting('a'), { id: 'lost' }).catch((error: unknown) => error);
    assert.instance(unknown, OutcomeUnknown, words);
    assert.is(store.health().state, 'read-only', words);
    const again = await store.commit(counting('a'), { id: 'lost' }).catch((error: unknown) => error);
    assert.instance(again, OutcomeUnknown, words);
    assert.instance((await write(store, 'a', 1)).refused, NotKept, words);
    await disk.files.rename(`${folder}/away`, journal);
    if (whenBack === 'is killed') {
      const killed = await openOn(disk.killed());
      assert.is(countIn(killed, 'a'), 3, 'its outcome was not known, and it was kept');
      await killed.close();
    }
    await until(() => store.health().state === 'ready');
    if (whenBack !== 'is closed') {
      await store.commit(counting('a'), { id: 'lost' });
      assert.is(countIn(store, 'a'), 3, words);
      assert.is((await write(store, 'a', 1)).kept, 1, words);
    }
    await store.close();
    const opened = await openOn(disk);
    assert.is(countIn(opened, 'a'), whenBack === 'is closed' ? 2 : 4, words);
    await opened.close();
  }
});

footing('that cannot be looked at for a moment is no end', async () => {
  const disk = createFaultDisk();
  const store = await openOn(disk);
  await write(store, 'a', 2);
  let isArmed = true;
  disk.before = ({ name }) => (isArmed && name === 'isAt' ? { code: 'EMFILE' } : undefined);
  const { kept, refused } = await write(store, 'a', 2);
  assert.is(kept, 0);
  assert.match(String(refused), /it cannot be told whether .* is where it was \(EMFILE/);
  isArmed = false;
  await until(() => store.health().state === 'ready');
  assert.is((await write(store, 'a', 2)).kept, 2);
  await store.close();
});

async function assertRejects(work: Promise<unknown>, type: new (...args: never[]) => Error): Promise<void> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.instance(error, type);
}

footing.run();
