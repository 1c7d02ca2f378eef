// Reading records onward from a place: nothing is left out and nothing comes twice, wherever records move meanwhile; and what is gone is counted.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diskFileSystem, type FileSystem } from '../../src/store/file-system.ts';
import { openStore } from '../../src/store/json-file.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import type { OpenOptions } from '../../src/store/setting.ts';
import type { Onward, Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { auditRecord, historyRecord, labelling } from './samples.ts';

interface World {
  readonly path: string;
  readonly said: string[];
  readonly open: (options?: Partial<OpenOptions>) => Promise<Store>;
}

const onward = suite<World>('records that are read onward');

onward.before.each((world) => {
  const { path } = temporaryFolder();
  const said: string[] = [];
  const options = { create: true, snapshotBytes: 2_000, log: (line: string) => void said.push(line) };
  Object.assign(world, { path, said, open: (more = {}) => openStore(path, { ...options, ...more }) });
});

let made = 0;

function nextNumber(): number {
  made += 1;
  return made;
}

/** Commits with so many entries each; answers their ids. */
async function fill(store: Store, ...counts: readonly number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const count of counts) {
    const own = Array.from({ length: count }, () => `entry-${nextNumber()}`);
    const records = [...own.map((id) => auditRecord(id)), historyRecord(`history-${nextNumber()}`)];
    await store.commit(labelling('a', String(made), records), { id: `fill-${made}` });
    ids.push(...own);
  }
  return ids;
}

/** Commits that tell nothing. */
async function pass(store: Store, commits: number): Promise<void> {
  for (let nth = 0; nth < commits; nth += 1)
    await store.commit(labelling('a', `pass ${nth}`), { id: `pass-${nextNumber()}` });
}

const idsOf = ({ records }: Onward) => records.map(({ record }) => record.id);

/** All there is behind a place, page by page. */
async function rest(store: Store, after: string, limit: number) {
  const ids: string[] = [];
  let lost = 0;
  for (let place = after; ; ) {
    const page = await store.recordsAfter({ stream: 'audit', after: place, limit });
    assert.ok(page.records.length <= limit);
    ids.push(...idsOf(page));
    lost += page.lost;
    place = page.place;
    if (page.records.length < limit) return { ids, lost, place, waiting: page.waiting };
  }
}

const now = (store: Store) => store.recordsAfter({ stream: 'audit', limit: 10 });

function segments(path: string): string[] {
  return readdirSync(join(path, 'records')).filter((name) => name.startsWith('audit-'));
}

onward('begin with what comes from now on, also in an empty store', async ({ open }) => {
  for (const store of [await open(), openMemoryStore()]) {
    const empty = await now(store);
    assert.equal([empty.records, empty.lost, empty.waiting], [[], 0, 0]);
    const first = await fill(store, 2);
    const found = await store.recordsAfter({ stream: 'audit', after: empty.place, limit: 1 });
    assert.equal([idsOf(found), found.waiting], [[first[0]], 1]);
    const late = await now(store);
    const second = await fill(store, 1);
    assert.equal((await rest(store, late.place, 10)).ids, second);
    assert.equal((await rest(store, found.place, 10)).ids, [first[1], ...second]);
    await store.close();
  }
});

onward(
  'come in order and once, across segments, memory and commits of many, from any place',
  async ({ open, path }) => {
    const store = await open();
    const { place: origin } = await now(store);
    const all = await fill(store, ...Array.from({ length: 90 }, (_, nth) => (nth % 9 === 0 ? 25 : nth % 4)));
    assert.ok(segments(path).length > 2, `${segments(path)}`);
    for (const limit of [1, 7, 25, 1000])
      assert.equal(
        await rest(store, origin, limit).then(({ ids, lost }) => [ids, lost]),
        [all, 0],
        `pages of ${limit}`,
      );
    const { records } = await store.recordsAfter({ stream: 'audit', after: origin, limit: 1000 });
    const check = async (opened: Store) => {
      for (const [nth, { place }] of records.entries()) {
        const found = await opened.recordsAfter({ stream: 'audit', after: place, limit: 3 });
        assert.equal(idsOf(found), all.slice(nth + 1, nth + 4), `after ${nth}`);
        assert.is(found.waiting, Math.max(0, all.length - nth - 4));
        assert.is(found.lost, 0);
      }
    };
    await check(store);
    await store.close();
    const again = await open();
    await check(again);
    await again.close();
    const reading = await open({ readOnly: true, create: false });
    await check(reading);
    await reading.close();
  },
);

onward('are all there though segments are made while they are read', async ({ open }) => {
  const plan = fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 9 })), {
    minLength: 20,
    maxLength: 40,
  });
  const store = await open();
  await fc.assert(
    fc.asyncProperty(plan, async (steps) => {
      let { place } = await now(store);
      const [expected, found]: [string[], string[]] = [[], []];
      for (const [count, limit] of steps) {
        const writing = fill(store, count, 1);
        const page = await store.recordsAfter({ stream: 'audit', after: place, limit });
        found.push(...idsOf(page));
        assert.is(page.lost, 0);
        place = page.place;
        expected.push(...(await writing));
      }
      found.push(...(await rest(store, place, 5)).ids);
      assert.equal(found, expected);
    }),
    { numRuns: 8 },
  );
  await store.close();
});

onward('count what retention dropped, and nothing else', async ({ open, path }) => {
  const retention = { history: { count: 1 }, audit: { count: 10 } };
  const store = await open({ retention });
  const { place: origin } = await now(store);
  const first = await fill(store, 3, 3, 3);
  const known = (await store.recordsAfter({ stream: 'audit', after: origin, limit: 4 })).place;
  const later = await fill(store, ...Array.from({ length: 60 }, () => 2));
  await store.close();
  const again = await open({ retention });
  const all = [...first, ...later];
  const whole = await rest(again, origin, 7);
  assert.ok(whole.lost > 50, `${whole.lost} lost`);
  assert.is(whole.lost + whole.ids.length, all.length);
  assert.equal(whole.ids, all.slice(whole.lost));
  const part = await rest(again, known, 7);
  assert.equal([part.ids, part.lost], [whole.ids, whole.lost - 4]);
  assert.equal(await rest(again, whole.place, 7).then(({ ids, lost }) => [ids, lost]), [[], 0]);
  assert.ok(segments(path).length > 0);
  await again.close();
});

onward('are not missed where what was dropped had been read to its end, also after a restart', async ({ open }) => {
  const retention = { history: { count: 1 }, audit: { count: 1 } };
  const first = await open({ retention });
  const { place: origin } = await now(first);
  await fill(first, 3, 3);
  const { place } = await rest(first, origin, 2);
  // Nothing is told for a while, so that the segment reaches further than its last entry.
  await pass(first, 60);
  await fill(first, 1);
  await pass(first, 120);
  await first.close();
  const again = await open({ retention });
  const found = await rest(again, place, 2);
  assert.equal([found.ids.length, found.lost], [1, 0]);
  assert.ok((await rest(again, origin, 2)).lost === 6, 'they were dropped indeed');
  await again.close();
});

onward('are counted where a line cannot be read, or a file is gone', async ({ open, path, said }) => {
  const store = await open();
  const { place: origin } = await now(store);
  const all = await fill(store, ...Array.from({ length: 60 }, () => 2));
  await store.close();
  const [, second = '', third = ''] = segments(path).map((name) => join(path, 'records', name));
  const text = readFileSync(second, 'utf8');
  const [, id] = /"id":"(entry-\d+)"/.exec(text) ?? [];
  writeFileSync(second, text.replace(`"id":"${id}"`, `"id":"${String(id).replace('entry', 'other')}"`));
  const again = await open();
  const damaged = await rest(again, origin, 9);
  assert.equal([damaged.ids.length, damaged.lost], [all.length - 1, 1]);
  assert.not.ok(damaged.ids.includes(String(id)));
  assert.ok(said.some((line) => line.includes('is damaged; it is left out')));
  const entries = (readFileSync(third, 'utf8').match(/"stream":"audit","id"/g) ?? []).length;
  rmSync(third);
  const fewer = await rest(again, origin, 9);
  assert.ok(entries > 0);
  assert.equal([fewer.ids.length, fewer.lost], [all.length - 1 - entries, 1 + entries]);
  await again.close();
});

onward('cost what they answer, however long the log is', async ({ path }) => {
  let read = 0;
  const files: FileSystem = {
    ...diskFileSystem,
    open: async (at, mode) => {
      const file = await diskFileSystem.open(at, mode);
      const counted = async (into: Uint8Array, position: number) => {
        const count = await file.read(into, position);
        read += count;
        return count;
      };
      return { ...file, read: counted };
    },
  };
  const options = { create: true, snapshotBytes: 1 << 20, log: () => {}, files };
  const store = await openStore(path, options);
  const { place: origin } = await now(store);
  const all = await fill(store, 9_000, ...Array.from({ length: 40 }, () => 300), 9_000);
  const { records } = await store.recordsAfter({ stream: 'audit', after: origin, limit: all.length });
  await store.close();
  const again = await openStore(path, options);
  const place = String(records[12_000]?.place);
  await again.recordsAfter({ stream: 'audit', after: place, limit: 1 });
  const pages: number[] = [];
  let after = place;
  for (let nth = 0; nth < 12; nth += 1) {
    const before = read;
    const page = await again.recordsAfter({ stream: 'audit', after, limit: 100 });
    assert.equal(idsOf(page), all.slice(12_001 + nth * 100, 12_101 + nth * 100));
    after = page.place;
    pages.push(read - before);
  }
  pages.sort((a, b) => a - b);
  assert.ok((pages[6] ?? Number.POSITIVE_INFINITY) < 300_000, `bytes a page: ${pages}`);
  await again.close();
});

onward('are refused for a place of another store', async ({ open }) => {
  const store = await open();
  for (const after of ['', 'x', '1.2', '99.0.0', '-1.0.0']) {
    const error = await store.recordsAfter({ stream: 'audit', after, limit: 1 }).catch((thrown: unknown) => thrown);
    assert.instance(error, RangeError, after);
  }
  await store.close();
});

onward('are counted in memory, too, where it keeps the newest alone', async () => {
  const store = openMemoryStore();
  const { place } = await now(store);
  const all = await fill(store, ...Array.from({ length: 9 }, () => 5_000));
  await fill(store, 0);
  const found = await rest(store, place, 10_000);
  assert.ok(found.lost > 0);
  assert.equal(found.ids, all.slice(found.lost));
  await store.close();
});

onward.run();
