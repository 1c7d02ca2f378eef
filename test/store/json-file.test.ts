// The file engine: the conformance suite, with and without snapshots all the time, and what a folder adds.
import { randomUUID } from 'node:crypto';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openStore } from '../../src/store/json-file.ts';
import type { OpenOptions } from '../../src/store/setting.ts';
import { NotKept, type Store, StoreUnavailable } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { conformance } from './conformance.ts';
import { auditRecord, contentOf, counting, creating, deleting, historyRecord, labelling } from './samples.ts';

const quiet = { create: true, log: () => {} } as const;

const stores = temporaryFolder().path;
const plain = conformance('the file store', () => openStore(join(stores, randomUUID()), quiet));
const busy = conformance('the file store that takes snapshots all the time', () =>
  openStore(join(stores, randomUUID()), { ...quiet, snapshotBytes: 600 }),
);
plain.run();
busy.run();

const folder = suite('the folder of a file store');

folder('holds after a new start what it held before', async () => {
  const { path } = temporaryFolder();
  const first = await openStore(path, quiet);
  await first.commit(creating('a', 'b', 'c'), { id: '1' });
  await first.commit(deleting('b'), { id: '2' });
  await first.commit(labelling('a', 'x', [historyRecord('h1')]), { id: '3' });
  const { position } = first.read();
  await first.close();
  const second = await openStore(path, { ...quiet, create: false });
  assert.equal(contentOf(second.read()), ['a=x', 'c=c']);
  assert.is(second.read().position, position);
  assert.equal(await second.records({ stream: 'history', limit: 9 }), [historyRecord('h1')]);
  const again = await second.commit(counting('a'), { id: '3' });
  assert.ok(again.repeated);
  assert.equal(
    again.changes.map(({ before, after }) => [before?.spec, after?.spec].map((spec) => Object(spec).label)),
    [['a', 'x']],
  );
  assert.equal(contentOf(second.read()), ['a=x', 'c=c']);
  await second.close();
});

folder('remembers ids, records and order through many snapshots and starts', async () => {
  const { path } = temporaryFolder();
  const expected = Array.from({ length: 120 }, (_, index) => `h${index}`).reverse();
  for (let round = 0; round < 6; round += 1) {
    const store = await openStore(path, { ...quiet, snapshotBytes: 2000 });
    for (let index = 0; index < 20; index += 1) {
      const id = `h${round * 20 + index}`;
      await store.commit(labelling(`s${index % 6}`, id, [historyRecord(id)]), { id });
    }
    await store.close();
  }
  const store = await openStore(path, quiet);
  assert.ok((await store.commit(counting('s0'), { id: 'h0' })).repeated);
  assert.equal(contentOf(store.read()), ['s0=h118', 's1=h119', 's2=h114', 's3=h115', 's4=h116', 's5=h117']);
  assert.equal(await pages(store, 7), expected);
  assert.equal(await pages(store, 100), expected);
  await store.close();
  const names = await readdir(path);
  assert.is(names.filter((name) => name.startsWith('snapshot-')).length, 2);
  assert.is(names.filter((name) => name.endsWith('.tmp')).length, 0);
});

folder('is for its owner alone', async () => {
  const path = join(temporaryFolder().path, 'new', 'store');
  const store = await openStore(path, { ...quiet, snapshotBytes: 100 });
  for (let index = 0; index < 5; index += 1)
    await store.commit(labelling('a', String(index), [historyRecord(`${index}`)]), { id: String(index) });
  await store.close();
  assert.is((await stat(path)).mode & 0o777, 0o700);
  assert.is((await stat(join(path, 'records'))).mode & 0o777, 0o700);
  for (const name of await readdir(path, { recursive: true })) {
    const { mode } = await stat(join(path, name));
    assert.is(mode & 0o077, 0, name);
  }
});

folder('is told to be missing, and is not made, unless it may be', async () => {
  const { path } = temporaryFolder();
  for (const options of [{ create: false }, { create: false, readOnly: true }, { create: true, readOnly: true }]) {
    assert.is((await refusal(join(path, 'none'), options)).reason, 'missing');
    assert.is((await refusal(path, options)).reason, 'missing');
  }
  assert.equal(await readdir(path), []);
});

folder('may hold what belongs to others, and keeps it', async () => {
  const { path } = temporaryFolder();
  await chmod(path, 0o755);
  await writeFile(join(path, 'notes.txt'), 'mine');
  await writeFile(join(path, 'journal-notes.jsonl.tmp'), 'mine too');
  const store = await openStore(path, { ...quiet, snapshotBytes: 100 });
  for (let index = 0; index < 9; index += 1) await store.commit(counting('a'), { id: String(index) });
  await store.close();
  assert.is(await readFile(join(path, 'notes.txt'), 'utf8'), 'mine');
  assert.is(await readFile(join(path, 'journal-notes.jsonl.tmp'), 'utf8'), 'mine too');
  assert.is((await stat(path)).mode & 0o777, 0o755);
});

folder('that everybody may read is told of, with the command that closes it', async () => {
  const { path } = temporaryFolder();
  const fill = await openStore(path, { ...quiet, snapshotBytes: 1 });
  for (let index = 0; index < 9; index += 1)
    await fill.commit(() => ({ changes: [], records: [historyRecord(`h${index}`)] }), { id: String(index) });
  await fill.close();
  const said = async (): Promise<string> => {
    const lines: string[] = [];
    const store = await openStore(path, { ...quiet, log: (message) => lines.push(message) });
    await store.close();
    return lines.filter((line) => line.includes('everybody')).join('\n');
  };
  const [journal = ''] = (await readdir(path)).filter((name) => name.startsWith('journal-')).sort();
  assert.is(await said(), '');
  await chmod(path, 0o755);
  assert.is(await said(), '', 'its files are private by their own modes');
  await chmod(join(path, journal), 0o640);
  assert.is(await said(), '', 'whom a group has was decided by somebody');
  const [open = ''] = (await readdir(join(path, 'records'))).sort();
  await chmod(join(path, 'records'), 0o755);
  await chmod(join(path, 'records', open), 0o644);
  const told = await said();
  assert.ok(told.includes(`${join(path, 'records', open)} of the store, password hashes included`), told);
  assert.ok(told.endsWith(`run chmod -R o= ${path}`), told);
  await chmod(path, 0o700);
  assert.is(await said(), '', 'nobody else comes so far');
});

folder('that is a file, or below one, is refused with what to do', async () => {
  const { path } = temporaryFolder();
  await writeFile(join(path, 'file'), '');
  for (const place of ['file', 'file/store']) {
    const error = await refusal(join(path, place), { create: true });
    assert.is(error.reason, 'unreadable');
    assert.match(error.message, /is not a folder: name a folder for the store/);
  }
});

folder('keeps no more records than it has to', async () => {
  const { path } = temporaryFolder();
  const retention = { history: { count: 20 }, audit: { days: 30 } } as const;
  const store = await openStore(path, { ...quiet, snapshotBytes: 1000, retention });
  const recently = new Date().toISOString();
  for (let index = 0; index < 200; index += 1) {
    const records = [historyRecord(`h${index}`), auditRecord(`a${index}`, index < 100 ? undefined : recently)];
    await store.commit(labelling('a', String(index), records), { id: String(index) });
  }
  await store.close();
  const again = await openStore(path, { ...quiet, retention });
  const history = await again.records({ stream: 'history', limit: 1000 });
  const audit = await again.records({ stream: 'audit', limit: 1000 });
  assert.ok(history.length >= 20 && history.length < 60, String(history.length));
  assert.ok(audit.length >= 100 && audit.length < 130, String(audit.length));
  assert.is(history[0]?.id, 'h199');
  await again.close();
});

folder('knows after a new start how many records it has, without those that it no longer keeps', async () => {
  const { path } = temporaryFolder();
  const retention = { history: { count: 20 }, audit: { days: 30 } } as const;
  for (let round = 0; round < 4; round += 1) {
    const store = await openStore(path, { ...quiet, snapshotBytes: 1000, retention });
    for (let index = round * 25; index < round * 25 + 25; index += 1)
      await store.commit(labelling('a', String(index), [historyRecord(`h${index}`), auditRecord(`a${index}`)]), {
        id: String(index),
      });
    for (const stream of ['history', 'audit'] as const) {
      // A snapshot may be under way, and drop what is not kept while this looks.
      const most = await store.countRecords({ stream });
      const { length } = await store.records({ stream, limit: 1000 });
      const least = await store.countRecords({ stream });
      assert.ok(length <= most && length >= least, `${most} ${length} ${least}`);
    }
    await store.close();
  }
  const reading = await openStore(path, { create: false, readOnly: true });
  const count = await reading.countRecords({ stream: 'history' });
  assert.ok(count >= 20 && count < 60, String(count));
  assert.is(count, (await reading.records({ stream: 'history', limit: 1000 })).length);
  await reading.close();
});

folder('lets others go first while it looks through many records', async () => {
  const { path } = temporaryFolder();
  const store = await openStore(path, { ...quiet, snapshotBytes: 1 << 20 });
  for (let round = 0; round < 60; round += 1) {
    const records = Array.from({ length: 500 }, (_, index) => ({
      ...auditRecord(`a${round}-${index}`),
      body: { event: 'stack.updated', text: 'x'.repeat(100), round },
    }));
    await store.commit(labelling('a', String(round), records), { id: String(round) });
  }
  // The processor time between two turns of the event loop: what others take of the machine meanwhile is not ours.
  let [longest, turns] = [0, 0];
  let last = process.threadCpuUsage();
  const watching = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    turns += 1;
    last = process.threadCpuUsage();
  }, 1);
  assert.is(await store.countRecords({ stream: 'audit', where: ({ body }) => body.round === 7 }), 500);
  clearInterval(watching);
  assert.ok(turns > 0 && longest < 100, `${longest} ms in ${turns} turns`);
  await store.close();
});

folder.run();

const reader = suite('a store opened for reading');

reader('shows the last durable state, and takes no lock and no writes', async () => {
  const { path } = temporaryFolder();
  const store = await openStore(path, quiet);
  await store.commit(labelling('a', '1', [historyRecord('h')]), { id: '1' });
  const before = await readdir(path);
  const reading = await openStore(path, { create: false, readOnly: true });
  assert.equal(contentOf(reading.read()), ['a=1']);
  assert.equal(await reading.records({ stream: 'history', limit: 9 }), [historyRecord('h')]);
  assert.is(reading.health().state, 'read-only');
  const error = await reading.commit(creating('b'), { id: '2' }).catch((error) => error);
  assert.instance(error, NotKept);
  await reading.close();
  assert.equal(await readdir(path), before);
  await store.close();
});

reader('finds a whole state at any moment while another writes and takes snapshots', async () => {
  const { path } = temporaryFolder();
  const store = await openStore(path, { ...quiet, snapshotBytes: 3000 });
  await store.commit(labelling('n', '0'), { id: 'first' });
  let done = false;
  const writing = (async () => {
    for (let round = 0; !done; round += 1)
      await Promise.all(
        Array.from({ length: 8 }, (_, index) => store.commit(counting('n'), { id: `${round}-${index}` })),
      );
  })();
  let last = 0;
  // However slow the writer is: a hundred writes at least are to go on meanwhile.
  for (let round = 0; round < 60 || last <= 100; round += 1) {
    const reading = await openStore(path, { create: false, readOnly: true, log: assert.unreachable });
    const value = Number(reading.read().named('Stack', 'n')?.spec.label);
    assert.is(value, Number(reading.read().position) - 1);
    assert.ok(value >= last, `${value} after ${last}`);
    last = value;
    await reading.close();
  }
  done = true;
  await writing;
  await store.close();
});

reader.run();

/** All history ids, page by page. */
async function pages(store: Store, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const before = ids.at(-1);
    const page = await store.records({ stream: 'history', limit, ...(before !== undefined && { before }) });
    if (page.length === 0) return ids;
    ids.push(...page.map(({ id }) => id));
  }
}

async function refusal(path: string, options: OpenOptions): Promise<StoreUnavailable> {
  const error = await openStore(path, options).catch((error) => error);
  assert.instance(error, StoreUnavailable);
  return error;
}
