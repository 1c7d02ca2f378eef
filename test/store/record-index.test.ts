// The index of the audit log: whatever is asked, the answer is what reading all of it would give; and it is found without reading all of it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditFilter } from '../../src/control/audit.ts';
import type { AuditEntry } from '../../src/core/audit/entry.ts';
import { type AuditFilter, isAskedFor } from '../../src/core/audit/filter.ts';
import { diskFileSystem, type FileSystem } from '../../src/store/file-system.ts';
import { openStore } from '../../src/store/json-file.ts';
import type { OpenOptions } from '../../src/store/setting.ts';
import type { RecordFilter, Store, StoreRecord } from '../../src/store/store.ts';
import { randomFrom } from '../support/fault-file-system.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { labelling } from './samples.ts';

interface World {
  readonly path: string;
  readonly said: string[];
  readonly open: (options?: Partial<OpenOptions>) => Promise<Store>;
}

const index = suite<World>('the index of the audit log');

index.before.each((world) => {
  const { path } = temporaryFolder();
  const said: string[] = [];
  const options = { create: true, snapshotBytes: 4_000, log: (line: string) => void said.push(line) };
  Object.assign(world, { path, said, open: (more = {}) => openStore(path, { ...options, ...more }) });
});

const hours = 3_600_000;

/** The nth entry; a few of each thing are much used, and most things little. */
function entryOf(nth: number, random: () => number): AuditEntry {
  const pick = (most: number) => Math.floor(random() ** 3 * most);
  const [team, instance] = [`team-${pick(40)}`, `instance-${pick(30)}`];
  // Clocks go back sometimes.
  const at = new Date(Date.UTC(2026, 0, 1) + nth * hours - (nth % 17 === 0 ? 30 * hours : 0)).toISOString();
  const kind = ['Team', 'Instance', 'Snapshot'][pick(3)] ?? 'Team';
  return {
    id: `entry-${nth}`,
    at,
    event: `${kind.toLowerCase()}.${['created', 'updated', 'deleted'][pick(3)]}`,
    actor: { kind: random() < 0.5 ? 'user' : 'token', id: `user-${pick(20)}`, name: `name ${pick(10)}` },
    target: { kind, id: kind === 'Instance' ? instance : `${kind}-${pick(50)}`, name: `thing-${pick(60)}` },
    changes: kind === 'Snapshot' ? [{ path: '/spec/instance', before: null, after: instance }] : [],
    requestId: `request-${nth}`,
    ...(random() < 0.3 ? { revision: `${'abc'[pick(3)]}`.repeat(16) + pick(4) } : {}),
    team,
  };
}

/** Fills a store, a few entries a commit; answers all of them, oldest first. */
async function fill(store: Store, from: number, to: number, random: () => number): Promise<StoreRecord[]> {
  const all: StoreRecord[] = [];
  for (let nth = from; nth < to; ) {
    const made = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, more) => entryOf(nth + more, random));
    const records = made.map((body): StoreRecord => ({ stream: 'audit', id: body.id, at: body.at, body }));
    await store.commit(labelling('a', String(nth), records), { id: `fill-${nth}` });
    all.push(...records);
    nth += records.length;
  }
  return all;
}

function segmentNames(path: string): string[] {
  return readdirSync(join(path, 'records')).filter((name) => name.startsWith('audit-'));
}

function runNames(path: string): string[] {
  return readdirSync(join(path, 'index')).sort();
}

/** What the first lines of runs say that they cover; one that is being written, or was changed, says nothing. */
function coveredBy(path: string): string[] {
  return runNames(path).flatMap((name) => {
    try {
      const [first = ''] = readFileSync(join(path, 'index', name), 'latin1').split('\n', 1);
      const { covered } = JSON.parse(first) as { covered: { name: string }[] };
      return covered.map((segment) => segment.name);
    } catch {
      return [];
    }
  });
}

async function indexed(path: string): Promise<void> {
  const look = () => {
    const [segments, covered] = [segmentNames(path).sort(), coveredBy(path).sort()];
    const isWritten = runNames(path).every((name) => name.endsWith('.idx'));
    return isWritten && JSON.stringify(segments) === JSON.stringify(covered);
  };
  await until('all segments are covered', look, { now: () => [segmentNames(path), coveredBy(path), runNames(path)] });
}

const words = (record: StoreRecord) => record.id;

function bodyOf(record: StoreRecord | undefined): AuditEntry {
  if (!record) throw new Error('there is no such record');
  return record.body as unknown as AuditEntry;
}

interface Asked extends AuditFilter {
  readonly since?: string;
  readonly until?: string;
}

function anyFilter(all: readonly StoreRecord[], random: () => number): Asked {
  const some = bodyOf(all[Math.floor(random() * all.length)]);
  const other = bodyOf(all[Math.floor(random() * all.length)]);
  const choices: Asked = {
    actor: random() < 0.5 ? some.actor.id : random() < 0.5 ? some.actor.name : some.actor.kind,
    event: random() < 0.5 ? some.event : some.event.split('.')[0],
    target: random() < 0.5 ? some.target.id : some.target.name,
    requestId: some.requestId,
    revision: some.revision?.slice(0, [3, 12, 14, 17][Math.floor(random() * 4)]),
    team: some.team,
    instance: some.target.kind === 'Instance' ? some.target.id : undefined,
    since: some.at,
    until: other.at,
  };
  const names = Object.keys(choices) as (keyof Asked)[];
  const chance = random() * 0.5;
  return Object.fromEntries(names.filter(() => random() < chance).map((name) => [name, choices[name]]));
}

function expected(all: readonly StoreRecord[], { since, until: end, ...filter }: Asked): string[] {
  const fits = ({ at, body }: StoreRecord) =>
    (since === undefined || at >= since) && (end === undefined || at < end) && isAskedFor(body as AuditEntry, filter);
  return all.filter(fits).map(words).reverse();
}

/** Asks many things, each by pages; answers how many of them found something. */
async function compare(
  store: Store,
  all: readonly StoreRecord[],
  random: () => number,
  tries: number,
): Promise<number> {
  let found = 0;
  for (let nth = 0; nth < tries; nth += 1) {
    const asked = anyFilter(all, random);
    const wanted = expected(all, asked);
    const filter = auditFilter(asked);
    assert.is(await store.countRecords(filter), wanted.length, JSON.stringify(asked));
    assert.equal(
      await paged(store, filter, 1 + Math.floor(random() * 40), wanted.length),
      wanted.slice(0, 200),
      JSON.stringify(asked),
    );
    if (wanted.length > 0) found += 1;
  }
  return found;
}

async function paged(store: Store, filter: RecordFilter, limit: number, most: number): Promise<string[]> {
  const found: string[] = [];
  while (found.length < Math.min(most + 1, 200)) {
    const before = found.at(-1);
    const page = await store.records({ ...filter, ...(before === undefined ? {} : { before }), limit });
    if (page.length === 0) break;
    found.push(...page.map(words));
  }
  return found.slice(0, 200);
}

for (const seed of [1, 2, 3])
  index(
    `answers what reading all of it would, while it is made, merged, and read by the next process (seed ${seed})`,
    async ({ path, open, said }) => {
      const random = randomFrom(seed);
      const first = await open();
      const all = await fill(first, 0, 300, random);
      await compare(first, all, random, 20);
      all.push(...(await fill(first, 300, 900, random)));
      await indexed(path);
      assert.ok(segmentNames(path).length > 20, String(segmentNames(path).length));
      await until('runs are merged', () => runNames(path).length < 16);
      assert.ok((await compare(first, all, random, 80)) > 30);
      await first.close();
      const next = await open();
      await indexed(path);
      assert.ok((await compare(next, all, random, 40)) > 15);
      all.push(...(await fill(next, 900, 1000, random)));
      await compare(next, all, random, 20);
      await next.close();
      const reading = await open({ create: false, readOnly: true });
      await compare(reading, all, random, 10);
      await reading.close();
      assert.equal(said, []);
    },
  );

/** Counts what is read of record segments. */
function counting(): { readonly files: FileSystem; readonly count: { bytes: number } } {
  const count = { bytes: 0 };
  const open: FileSystem['open'] = async (path, mode) => {
    const file = await diskFileSystem.open(path, mode);
    if (!path.includes('/records/') || mode !== 'read') return file;
    const read: typeof file.read = async (into, position) => {
      const done = await file.read(into, position);
      count.bytes += done;
      return done;
    };
    return { ...file, read };
  };
  return { files: { ...diskFileSystem, open }, count };
}

index(
  'finds what is rare, counts it, and goes on after any entry, without reading the segments',
  async ({ path, open }) => {
    const random = randomFrom(7);
    const filling = await open({ snapshotBytes: 100_000 });
    const all = await fill(filling, 0, 6000, random);
    await indexed(path);
    await filling.close();
    const { files, count } = counting();
    const store = await open({ files, snapshotBytes: 100_000 });
    const bytes = segmentNames(path).reduce((sum, name) => sum + readFileSync(join(path, 'records', name)).length, 0);
    // Whatever is read of a segment has it verified, once: that is over after this.
    await store.countRecords({ stream: 'audit', where: () => true });
    let settled = -1;
    await until('all is verified', async () => {
      const before = settled;
      settled = count.bytes;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return before === count.bytes && count.bytes > 0;
    });
    const cost = async (work: () => Promise<unknown>) => {
      const before = count.bytes;
      await work();
      return count.bytes - before;
    };
    const one = bodyOf(all[100]);
    const middle = all[3000]?.at ?? '';
    const wholeCost: Record<string, number> = {
      team: await cost(() => store.countRecords(auditFilter({ team: one.team }))),
      two: await cost(() => store.countRecords(auditFilter({ team: one.team, event: one.event }))),
      absent: await cost(() => store.records({ ...auditFilter({ team: 'nobody' }), limit: 50 })),
      none: await cost(() => store.records({ stream: 'audit', before: 'none of ours', limit: 50 })),
    };
    for (const [what, read] of Object.entries(wholeCost)) assert.is(read, 0, what);
    const someCost: Record<string, number> = {
      request: await cost(() => store.records({ ...auditFilter({ requestId: one.requestId }), limit: 50 })),
      after: await cost(() => store.records({ stream: 'audit', before: 'entry-2000', limit: 1 })),
      time: await cost(() => store.countRecords(auditFilter({ since: middle }))),
      revision: await cost(() => store.countRecords(auditFilter({ target: 'thing-55', revision: 'aa' }))),
    };
    for (const [what, read] of Object.entries(someCost))
      assert.ok(read > 0 && read < Math.min(bytes / 4, 300_000), `${what}: ${read} of ${bytes}`);
    const common: Record<string, number> = {
      count: await cost(() => store.countRecords(auditFilter({ revision: 'aa' }))),
      page: await cost(() => store.records({ ...auditFilter({ revision: 'zz' }), limit: 50 })),
    };
    for (const [what, read] of Object.entries(common))
      assert.ok(read > bytes / 2 && read < bytes * 1.2, `${what}: ${read} of ${bytes}, in one go`);
    assert.is(await store.countRecords(auditFilter({ since: middle })), expected(all, { since: middle }).length);
    await store.close();
  },
);

index('is made anew where any of it was changed, and never believed', async ({ path, open, said }) => {
  const random = randomFrom(11);
  const filling = await open();
  const all = await fill(filling, 0, 400, random);
  await indexed(path);
  await filling.close();
  const whole = new Map(runNames(path).map((name) => [name, readFileSync(join(path, 'index', name))]));
  for (let nth = 0; nth < 40; nth += 1) {
    for (const [name, bytes] of whole) {
      const changed = Buffer.from(bytes);
      const at = Math.floor(random() * changed.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      writeFileSync(join(path, 'index', name), nth % 4 === 3 ? changed.subarray(0, at) : changed);
    }
    const store = await open();
    await compare(store, all, random, 4);
    assert.equal(said, []);
    await indexed(path);
    await compare(store, all, random, 4);
    await store.close();
  }
  assert.equal(said, []);
});

index(
  'is made anew where it is missing, half-written or of nobody, and forgets what retention drops',
  async ({ path, open }) => {
    const random = randomFrom(13);
    const filling = await open();
    const all = await fill(filling, 0, 200, random);
    await indexed(path);
    await filling.close();
    rmSync(join(path, 'index', runNames(path)[0] ?? ''));
    const torn = 'audit-000000000001-000000000009.idx';
    writeFileSync(join(path, 'index', `${torn}.tmp`), 'half');
    writeFileSync(join(path, 'index', torn), '{"weir":"record-index","version":99}\n');
    const store = await open();
    await indexed(path);
    await compare(store, all, random, 20);
    rmSync(join(path, 'index'), { recursive: true });
    await compare(store, all, random, 20);
    all.push(...(await fill(store, 200, 300, random)));
    await store.close();
    const few = { retention: { history: { count: 1 }, audit: { count: 50 } } };
    const dropping = await open(few);
    await fill(dropping, 300, 500, random);
    await dropping.close();
    const short = await open(few);
    await until('what was dropped is forgotten', () => {
      const covered = coveredBy(path);
      return covered.length > 0 && covered.every((name) => segmentNames(path).includes(name));
    });
    const kept = await short.records({ stream: 'audit', limit: 1000 });
    assert.ok(kept.length >= 50 && kept.length < 150, String(kept.length));
    await compare(short, kept.toReversed(), random, 20);
    await short.close();
  },
);

index(
  'takes no room that commits need, and is told of once where it cannot be written',
  async ({ path, open, said }) => {
    const random = randomFrom(17);
    const failing: FileSystem = {
      ...diskFileSystem,
      open: async (name, mode) => {
        if (name.includes('/index/') && mode === 'create')
          throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
        return diskFileSystem.open(name, mode);
      },
    };
    const store = await open({ files: failing });
    const all = await fill(store, 0, 300, random);
    await until('it was tried', () => said.length > 0);
    await compare(store, all, random, 20);
    await store.close();
    assert.is(said.length, 1, said.join('\n'));
    assert.match(
      said[0] ?? '',
      /the index of the audit log is not kept up, so that to look something up in it takes longer: ENOSPC/,
    );
    const next = await open();
    await indexed(path);
    await compare(next, all, random, 20);
    await next.close();
  },
);

index('says nothing of a segment that was damaged since: it is read', async ({ path, open }) => {
  const random = randomFrom(19);
  const filling = await open();
  const all = await fill(filling, 0, 200, random);
  await indexed(path);
  await filling.close();
  const [name = ''] = segmentNames(path).sort();
  const file = join(path, 'records', name);
  const bytes = readFileSync(file);
  const hurt = all[2]?.id ?? '';
  const place = bytes.indexOf(`"${hurt}"`);
  assert.ok(place > 0);
  bytes[place + 3] = 0x58;
  writeFileSync(file, bytes);
  const store = await open();
  const left = all.filter(({ id }) => id !== hurt);
  const { requestId } = bodyOf(all[2]);
  assert.equal(await store.records({ ...auditFilter({ requestId }), limit: 5 }), []);
  assert.is(await store.countRecords(auditFilter({ requestId })), 0);
  await compare(store, left, random, 30);
  await store.close();
});

index.run();
