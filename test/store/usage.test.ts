// How the disk of a store is, what the store takes of it, and the mark of a backup.
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { backupMark, leaveMark } from '../../src/store/backup-mark.ts';
import { diskFileSystem } from '../../src/store/file-system.ts';
import { openStore } from '../../src/store/json-file.ts';
import type { Sync } from '../../src/store/timed-files.ts';
import { timedFiles } from '../../src/store/timed-files.ts';
import { watchUsage } from '../../src/store/usage.ts';
import { createFaultDisk } from '../support/fault-file-system.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { counting } from './samples.ts';
import { openOn } from './workload.ts';

const GiB = 2 ** 30;

const using = suite('the disk of a store');

using('is told of once as it fills up, and once as there is room again', async () => {
  const disk = createFaultDisk();
  const said: string[] = [];
  let snapshotBytes = 0;
  Object.assign(disk.room, { free: 30 * GiB, size: 100 * GiB });
  const watch = watchUsage({
    files: disk.files,
    folder: '/',
    log: (message) => said.push(message),
    snapshotBytes: () => snapshotBytes,
    lookMs: 2,
  });
  const goesTo = async (free: number, isFilling: boolean) => {
    disk.room.free = free;
    await until(() => watch.usage().disk?.free === free);
    assert.is(watch.usage().filling !== undefined, isFilling, `${free / GiB}`);
  };
  await goesTo(1.01 * GiB, false);
  await goesTo(0.99 * GiB, true);
  // What goes up and down around the limit is not told each time.
  await goesTo(1.05 * GiB, true);
  await goesTo(0.5 * GiB, true);
  await goesTo(1.11 * GiB, false);
  // A large store needs more for its next two snapshots, and a small disk counts by its tenth.
  snapshotBytes = GiB;
  await goesTo(1.9 * GiB, true);
  await goesTo(2.3 * GiB, false);
  snapshotBytes = 0;
  Object.assign(disk.room, { size: GiB });
  await goesTo(0.2 * GiB, false);
  await goesTo(0.09 * GiB, true);
  await watch.close();
  assert.equal(said, [
    'the disk of the store has 1013 MiB left of 102400 MiB, and below 1024 MiB it counts as filling up: make room, or nothing is kept once it is full',
    'the disk of the store has 1136 MiB left again',
    'the disk of the store has 1945 MiB left of 102400 MiB, and below 2048 MiB it counts as filling up: make room, or nothing is kept once it is full',
    'the disk of the store has 2355 MiB left again',
    'the disk of the store has 92 MiB left of 1024 MiB, and below 102 MiB it counts as filling up: make room, or nothing is kept once it is full',
  ]);
});

using('is measured by its parts, which are all that is there', async () => {
  const folder = temporaryFolder();
  const options = { create: true, watched: true, reserveBytes: 1 << 20, snapshotBytes: 2000, log: () => {} };
  const first = await openStore(folder.path, options);
  for (let index = 0; index < 40; index += 1) await first.commit(counting('n'), { id: `${index}` });
  const blob = await first.blobs.put(Buffer.from('a blob of twenty-four bytes'));
  await first.close();
  blob.release();
  await leaveMark(diskFileSystem, folder.path, 'now');
  const store = await openStore(folder.path, options);
  await until(() => store.health().usage?.bytes !== undefined);
  const { usage } = store.health();
  const { bytes, disk, snapshotAt = 0, backupAt = 0 } = usage ?? {};
  assert.ok(bytes && disk && disk.free > 0 && disk.size > disk.free);
  const named = (prefix: string) => readdirSync(folder.path).filter((name) => name.startsWith(prefix));
  const taken = (prefix: string) =>
    named(prefix).reduce((sum, name) => sum + statSync(join(folder.path, name)).size, 0);
  assert.ok(bytes.snapshots > 0);
  assert.is(bytes.snapshots, taken('snapshot-'));
  assert.is(bytes.journal, taken('journal-'));
  assert.is(bytes.blobs, 27);
  assert.ok(Math.abs(snapshotAt - Date.now()) < 60_000);
  assert.ok(Math.abs(backupAt - Date.now()) < 60_000);
  await store.close();
  await folder.remove();
});

using('tells each sync, and each that failed', async () => {
  const disk = createFaultDisk();
  const syncs: Sync[] = [];
  const store = await openOn(disk, { log: () => {}, onSync: (sync) => syncs.push(sync), snapshotBytes: 1 << 20 });
  syncs.length = 0;
  await store.commit(counting('n'), { id: '1' });
  assert.equal(
    syncs.map(({ failed }) => failed),
    [false],
  );
  assert.ok(syncs.every(({ seconds }) => seconds >= 0 && seconds < 60));
  disk.before = ({ name }) => (name === 'datasync' ? { code: 'EIO' } : undefined);
  await store.commit(counting('n'), { id: '2' }).catch(() => {});
  assert.equal(
    syncs.map(({ failed }) => failed),
    [false, true],
  );
  await store.close();
});

using('is as it was below the clock of syncs', async () => {
  const folder = temporaryFolder();
  const files = timedFiles(diskFileSystem, () => {});
  const path = join(folder.path, 'file');
  const file = await files.open(path, 'create');
  await file.write(Buffer.from('text'), 0);
  await file.datasync();
  assert.is(await file.size(), 4);
  assert.is(await file.isAt(path), true);
  await file.close();
  assert.equal((await files.stat(path))?.size, 4);
  assert.is(await files.stat(join(folder.path, 'none')), undefined);
  await folder.remove();
});

using('takes the mark of a backup for nothing but a mark, whatever link stands there', async () => {
  const own = temporaryFolder();
  const folder = own.path;
  const other = join(folder, 'other');
  writeFileSync(other, 'of somebody else');
  symlinkSync(other, join(folder, backupMark));
  await leaveMark(diskFileSystem, folder, 'then');
  assert.is(readFileSync(other, 'utf8'), 'of somebody else');
  assert.is(readFileSync(join(folder, backupMark), 'utf8'), 'then\n');
  await leaveMark(diskFileSystem, folder, 'later');
  assert.is(readFileSync(join(folder, backupMark), 'utf8'), 'later\n');
  assert.equal(readdirSync(folder).sort(), [backupMark, 'other']);
  await own.remove();
});

using.run();
