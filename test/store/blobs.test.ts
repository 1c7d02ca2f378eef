// Blobs in files: under a disk that loses power, is full, or gives back other bytes than it was given.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createState } from '../../src/core/model/state.ts';
import { createBlobs, memoryShelf } from '../../src/store/blobs.ts';
import { DamagedBlob, NotKept } from '../../src/store/store.ts';
import { createFaultDisk, type FaultDisk, losses } from '../support/fault-file-system.ts';
import { bytesOf, naming } from './blob-promises.ts';
import { folder, openOn } from './workload.ts';

const blobs = suite('blobs in files');

blobs('are on the disk before anything that names them, wherever the power is lost', async () => {
  const disk = createFaultDisk();
  const found: { readonly disk: FaultDisk; readonly acked: number; readonly where: string }[] = [];
  let acked = 0;
  const store = await openOn(disk);
  disk.before = ({ number, name, path }) => {
    for (const loss of losses)
      found.push({ disk: disk.lost(loss, number), acked, where: `${number}: ${name} ${path}` });
    return undefined;
  };
  for (let round = 0; round < 4; round += 1) {
    const { name, release } = await store.blobs.put(bytesOf(`content ${round}`));
    await store.commit(naming(`s${round}`, name), { id: `${round}` });
    release();
    acked += 1;
  }
  disk.before = () => undefined;
  await store.close();
  for (const { disk: left, acked: least, where } of found) {
    const again = await openOn(left);
    const named = [...again.read().all('Snapshot')];
    assert.ok(named.length >= least, where);
    for (const { name, spec } of named)
      assert.equal(await again.blobs.get(spec.content), bytesOf(`content ${name.slice(1)}`), where);
    await again.blobs.collect();
    for (const { spec } of named) assert.ok(await again.blobs.get(spec.content), where);
    await again.close();
  }
  assert.ok(found.length > 100);
});

blobs('are collected without looking at all that names any, and what is named meanwhile stays', async () => {
  const shelf = memoryShelf();
  const state = createState();
  const removed: string[] = [];
  const all = () => {
    throw new Error('all snapshots were looked at');
  };
  const put = createBlobs(shelf, { view: () => state, refusal: () => undefined, hasRoom: () => true });
  const names: string[] = [];
  for (const text of ['one', 'two', 'three']) {
    const { name, release } = await put.put(bytesOf(text));
    names.push(name);
    release();
  }
  const watching = {
    ...shelf,
    remove: async (name: string) => {
      removed.push(name);
      await shelf.remove(name);
      // Somebody restores what names another one while the first goes.
      const other = names.find((one) => !removed.includes(one)) ?? '';
      state.apply(naming('again', other)({ ...state, position: '0' }).changes);
    },
  };
  const around = { view: () => ({ ...state, all }), refusal: () => undefined, hasRoom: () => true };
  assert.is(await createBlobs(watching, around).collect(), 2);
  assert.is(removed.length, 2);
  assert.equal((await shelf.tidy()).length, 1);
});

blobs('that cannot be written leave nothing, and the store goes on', async () => {
  for (const failing of ['open', 'write', 'datasync', 'rename', 'syncFolder'] as const) {
    const disk = createFaultDisk();
    const store = await openOn(disk);
    disk.before = ({ name, path }) => (name === failing && path.includes('blobs') ? { code: 'ENOSPC' } : undefined);
    const error = await store.blobs.put(bytesOf('flows')).catch((thrown: unknown) => thrown);
    assert.is((error as { code?: string }).code, 'ENOSPC', failing);
    disk.before = () => undefined;
    assert.is(store.health().state, 'ready');
    await store.blobs.collect();
    assert.equal(
      disk.paths().filter((path) => path.includes('blobs/')),
      [],
      failing,
    );
    await store.close();
  }
});

blobs('that are not what was written are told, and mended when they are put again', async () => {
  const disk = createFaultDisk();
  const store = await openOn(disk);
  const { name } = await store.blobs.put(bytesOf('flows'));
  const path = `${folder}/blobs/${name}`;
  const file = await disk.files.open(path, 'write');
  await file.write(bytesOf('F'), 0);
  await file.close();
  assert.instance(await store.blobs.get(name).catch((error: unknown) => error), DamagedBlob);
  await store.blobs.put(bytesOf('flows'));
  assert.equal(await store.blobs.get(name), bytesOf('flows'));
  await store.close();
});

blobs('are read, and not written, by who opens the store for reading', async () => {
  const disk = createFaultDisk();
  const store = await openOn(disk);
  const { name } = await store.blobs.put(bytesOf('flows'));
  await store.close();
  const reader = await openOn(disk, { create: false, readOnly: true });
  assert.equal(await reader.blobs.get(name), bytesOf('flows'));
  assert.instance(await reader.blobs.put(bytesOf('x')).catch((error: unknown) => error), NotKept);
  await reader.close();
});

blobs.run();
