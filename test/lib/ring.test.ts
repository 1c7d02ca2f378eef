// A ring of records in a file: what is in it is what was written last, whatever else the file holds.
import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ring, type RingRecord, readRing, ringBytes, writeRing } from '../../src/lib/ring.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ring: Ring = { start: 100, step: 10, slots: 8, columns: 2 };
const rings = suite('a ring of records');
const folder = temporaryFolder();
rings.after(() => folder.remove());
let files = 0;

async function withFile<T>(work: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder.path, `${files++}`);
  await writeFile(path, '');
  return work(path);
}

async function write(path: string, records: readonly RingRecord[]): Promise<void> {
  const file = await open(path, 'r+');
  await writeRing(file, ring, records);
  await file.close();
}

async function read(path: string, from = 0, to = 2 ** 32): Promise<readonly RingRecord[]> {
  const file = await open(path, 'r');
  const found = await readRing(file, ring, from, to);
  await file.close();
  return found;
}

const record = (at: number, ...values: number[]): RingRecord => ({ at, values });

rings('keeps the last record of each place, whatever is written in which order', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 12 }), { maxLength: 6 }),
      fc.integer({ min: 0, max: 400 }),
      fc.integer({ min: 0, max: 400 }),
      (batches, from, to) =>
        withFile(async (path) => {
          const places = new Map<number, RingRecord>();
          for (const batch of batches) {
            const records = batch.map((at, nth) => record(at, nth, at * 2));
            for (const one of records) places.set(Math.floor(one.at / ring.step) % ring.slots, one);
            await write(path, records);
          }
          const all = [...places.values()].sort((a, b) => a.at - b.at);
          assert.equal(await read(path), all);
          const among = all.filter(({ at }) => at >= from && at < to);
          // A stretch that is longer than the ring goes round it.
          if (to - from <= ring.step * (ring.slots - 1)) assert.equal(await read(path, from, to), among);
          assert.ok((await stat(path)).size <= ring.start + ringBytes(ring));
        }),
    ),
    { numRuns: 60 },
  ),
);

rings('passes over a record that was half written or damaged, and over a file of anything else', () =>
  withFile(async (path) => {
    await write(path, [record(10, 1, 2), record(20, 3, 4), record(30, 5, Number.NaN)]);
    const { size } = await stat(path);
    await truncate(path, size - 1);
    assert.equal(await read(path), [record(10, 1, 2), record(20, 3, 4)]);
    const bytes = await readFile(path);
    bytes[ring.start + 16 + 5] = 0xff;
    await writeFile(path, bytes);
    assert.equal(await read(path), [record(20, 3, 4)]);
    await write(path, [record(90, 7, Number.NaN)]);
    assert.equal(await read(path), [record(20, 3, 4), record(90, 7, Number.NaN)]);
    await writeFile(path, Buffer.alloc(1000, 0xa5));
    assert.equal(await read(path), []);
    await writeFile(path, Buffer.alloc(1000));
    assert.equal(await read(path), []);
  }),
);

rings.run();
