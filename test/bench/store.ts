// The benchmark of the file store: durable writes and starts at three sizes, and plain lowdb beside it.
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { JSONFilePreset } from 'lowdb/node';
import { created, updated } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { openStore } from '../../src/store/json-file.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Row, told } from './measure.ts';

/** `seconds`: how long each rate is measured. */
export interface StoreBenchOptions {
  readonly seconds?: number;
}

/** Measures; takes about half a minute. `store: rate at 100 000 / rate at 1 000` has to be at least 0.5. */
export async function benchStore({ seconds = 1.5 }: StoreBenchOptions = {}): Promise<Row[]> {
  const small = await benchSize(1_000, seconds);
  const middle = await benchSize(10_000, seconds);
  const large = await benchSize(100_000, seconds);
  const ratio = (writers: number) =>
    Math.round((100 * (large.rates[writers] ?? 0)) / (small.rates[writers] ?? 1)) / 100;
  return [
    ...small.rows,
    ...middle.rows,
    ...large.rows,
    { name: 'store: rate at 100 000 / rate at 1 000, 1 writer', value: ratio(1), unit: '×', atLeast: 0.5 },
    { name: 'store: rate at 100 000 / rate at 1 000, 32 writers', value: ratio(32), unit: '×', atLeast: 0.5 },
    ...(await benchLowdb(1_000, seconds)),
    ...(await benchLowdb(10_000, seconds)),
    ...(await benchLowdb(100_000, seconds)),
  ];
}

interface Measured {
  readonly rows: Row[];
  readonly rates: Readonly<Record<number, number>>;
}

async function benchSize(size: number, seconds: number): Promise<Measured> {
  const folder = temporaryFolder();
  const quiet = { create: true, log: () => {} } as const;
  const filling = await openStore(folder.path, quiet);
  await fill(filling, size);
  await filling.close();

  const started = performance.now();
  const store = await openStore(folder.path, quiet);
  const loaded = performance.now() - started;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const rates = { 1: await rate(store, size, 1, seconds), 32: await rate(store, size, 32, seconds) };
  delay.disable();
  await store.close();
  const bytes = await bytesOf(folder.path);
  await folder.remove();
  const at = `${told(size)} records`;
  const rows = [
    { name: `store: durable writes, 1 writer, ${at}`, value: rates[1], unit: '/s' },
    {
      name: `store: durable writes, 32 writers, ${at}`,
      value: rates[32],
      unit: '/s',
      growth: { of: 'store write', size },
    },
    { name: `store: start, ${at}`, value: Math.round(loaded), unit: 'ms' },
    { name: `store: longest event-loop delay while writing, ${at}`, value: milliseconds(delay.max), unit: 'ms' },
    { name: `store: 99.9th percentile of it, ${at}`, value: milliseconds(delay.percentile(99.9)), unit: 'ms' },
    { name: `store: folder, ${at}`, value: Math.round(bytes / 1e5) / 10, unit: 'MB' },
  ];
  return { rows, rates };
}

async function fill(store: Store, size: number): Promise<void> {
  for (let first = 0; first < size; first += 1000) {
    const changes = Array.from({ length: Math.min(1000, size - first) }, (_, index) =>
      created(instance(first + index, 0)),
    );
    await store.commit(() => ({ changes }), { id: `fill-${first}` });
  }
}

async function rate(store: Store, size: number, writers: number, seconds: number): Promise<number> {
  const started = performance.now();
  let count = 0;
  const write = async (writer: number) => {
    for (let turn = writer; performance.now() - started < seconds * 1000; turn += 7919) {
      await store.commit(
        (view) => {
          const before = view.get('Stack', `id-${turn % size}`);
          const after = instance(turn % size, turn);
          return { changes: [before ? updated(before, after) : created(after)] };
        },
        { id: `${writers}-${writer}-${turn}` },
      );
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return Math.round((count * 1000) / (performance.now() - started));
}

/** lowdb as it comes: every write is the whole store, and none is durable. */
async function benchLowdb(size: number, seconds: number): Promise<Row[]> {
  const folder = temporaryFolder();
  await mkdir(folder.path, { recursive: true });
  const rows: Record<string, Resource<'Stack'>> = {};
  for (let index = 0; index < size; index += 1) rows[`id-${index}`] = instance(index, 0);
  const low = await JSONFilePreset(join(folder.path, 'db.json'), rows);
  await low.write();
  const started = performance.now();
  let count = 0;
  for (; performance.now() - started < seconds * 1000; count += 1)
    await low.update((data) => {
      data[`id-${count % size}`] = instance(count % size, count);
    });
  const value = Math.round((count * 10_000) / (performance.now() - started)) / 10;
  await folder.remove();
  const at = `${told(size)} records`;
  const name = `plain lowdb: writes that are not durable, 1 writer, ${at}`;
  return [{ name, value, unit: '/s', growth: { of: 'plain lowdb write', size } }];
}

function instance(index: number, turn: number): Resource<'Stack'> {
  const at = '2026-01-01T00:00:00.000Z';
  const spec = {
    label: `Runtime ${index} as of turn ${turn}`,
    active: true,
    runtime: `registry.example.com/flow-runtime:4.${index}`,
    resources: { memoryMb: 256 + (turn % 512), cpuPercent: 50 },
  };
  return { kind: 'Stack', id: `id-${index}`, name: `s-${index}`, spec, generation: turn, createdAt: at, updatedAt: at };
}

async function bytesOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function milliseconds(nanoseconds: number): number {
  return Math.round(nanoseconds / 1e5) / 10;
}
