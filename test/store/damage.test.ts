// What a store does with files that are not what it wrote: it cuts what was never acknowledged, and refuses all else by file and byte.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { presentFormat } from '../../src/store/format.ts';
import { encodeLine } from '../../src/store/lines.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { createFaultDisk, type FaultDisk } from '../support/fault-file-system.ts';
import { contentOf, counting, labelling } from './samples.ts';
import { batches, folder, momentOf, momentsOf, openOn } from './workload.ts';

const journal = `${folder}/journal-000000000001.jsonl`;

const key = `${folder}/secret.key`;

const damage = suite('a damaged store');

damage('never shows less than was acknowledged, whichever byte of it changed', async () => {
  const whole = await filled();
  const moments = await momentsOf(batches(6).flat());
  const last = JSON.stringify(moments.at(-1));
  const refused = new Set<string>();
  const live = whole.paths().filter((path) => !path.includes('/records/'));
  for (const path of live)
    for (let at = 0; at < (whole.content(path)?.length ?? 0); at += 3) {
      const disk = whole.killed();
      await edit(disk, path, (bytes) => bytes.fill((bytes[at] ?? 0) ^ 4, at, at + 1));
      const error = await openOn(disk)
        .then(async (store) => assert.is(JSON.stringify(await momentOf(store)), last, `${path}, byte ${at}`))
        .catch((error) => error);
      if (error === undefined) continue;
      assert.instance(error, StoreUnavailable, `${path}, byte ${at}: ${error}`);
      if (error.reason === 'newer') continue;
      if (path === key) {
        assert.is(error.reason, 'key', `byte ${at}: ${error}`);
        continue;
      }
      assert.is(error.reason, 'damaged', `${path}, byte ${at}: ${error}`);
      const [, file, byte] = /^the store is damaged: (\S+) at byte (\d+): /.exec(error.message) ?? [];
      assert.is(file, path);
      assert.ok(Number(byte) <= at, `${path}, byte ${at}: ${error}`);
      refused.add(path);
    }
  assert.ok(refused.size > 0);
});

damage('never shows less than was acknowledged, whichever file of it is missing', async () => {
  const whole = await filled();
  const last = JSON.stringify((await momentsOf(batches(6).flat())).at(-1));
  const outcomes = new Set<string>();
  for (const path of whole.paths().filter((path) => !path.includes('/records/'))) {
    const disk = whole.killed();
    await disk.files.unlink(path);
    const error = await openOn(disk)
      .then(async (store) => assert.is(JSON.stringify(await momentOf(store)), last, path))
      .catch((error) => error);
    if (error !== undefined) assert.is(error.reason, path === key ? 'key' : 'damaged', `${path}: ${error}`);
    outcomes.add(error === undefined ? 'whole' : 'refused');
  }
  assert.equal([...outcomes].sort(), ['refused', 'whole']);
});

damage('is refused when its newest segment is missing, also where no snapshot tells of it', async () => {
  const disk = createFaultDisk();
  const store = await openOn(disk, { log: () => {} });
  // The segment is begun, and the snapshot of what stands before it cannot be written.
  disk.before = ({ name, path }) => (name === 'open' && path.includes('snapshot-') ? { code: 'EIO' } : undefined);
  const journals = () => disk.paths().filter((path) => /\/journal-\d+\.jsonl$/.test(path));
  for (let index = 0; journals().length < 3; index += 1) await store.commit(counting('n'), { id: String(index) });
  await store.commit(counting('n'), { id: 'last' });
  const killed = disk.killed();
  const [newest = ''] = journals().toSorted().reverse();
  await killed.files.unlink(newest);
  const error = await refusal(killed);
  assert.is(error.reason, 'damaged');
  assert.match(error.message, `${newest} at byte 0: the file is missing`);
  // The mark itself may be torn: nothing stands in it.
  for (const cut of [1, 10, 30]) {
    const torn = disk.killed();
    const [, before = ''] = journals().toSorted().reverse();
    await edit(torn, before, (bytes) => bytes.subarray(0, bytes.length - cut));
    const again = await openOn(torn);
    assert.equal(await momentOf(again), await momentOf(store), `${cut} bytes`);
    await again.close();
  }
  await store.close();
});

damage('opens with a torn last line, which is cut and told', async () => {
  for (const [cut, shown] of [
    [1, 2],
    [20, 2],
    [0, 3],
  ] as const) {
    const disk = await unclosed(3);
    const { length } = disk.content(journal) ?? [];
    await edit(disk, journal, (bytes) => bytes.subarray(0, bytes.length - cut));
    const said: string[] = [];
    const store = await openOn(disk, { log: (message) => said.push(message) });
    assert.equal(contentOf(store.read()), [`n=${shown}`]);
    assert.is(said.length, cut > 0 ? 1 : 0);
    if (cut > 0)
      assert.match(said[0] ?? '', /journal-000000000001\.jsonl: \d+ bytes at byte \d+ were never acknowledged/);
    await store.commit(counting('n'), { id: 'next' });
    await store.close();
    const again = await openOn(disk);
    assert.equal(contentOf(again.read()), [`n=${shown + 1}`]);
    assert.ok(Number(length) > 0);
    await again.close();
  }
});

damage('never takes a torn group for what came after it, even where new lines are as long as the old', async () => {
  const disk = createFaultDisk();
  const store = await openOn(disk);
  await store.commit(labelling('n', '0'), { id: '0' });
  await Promise.all(['1', '2', '3'].map((label) => store.commit(labelling('n', label), { id: label })));
  const found = disk.killed();
  await edit(found, journal, (bytes) => bytes.fill(0, lineStarts(bytes)[2], (lineStarts(bytes)[2] ?? 0) + 9));
  const next = await openOn(found);
  assert.equal(contentOf(next.read()), ['n=0']);
  await next.commit(labelling('n', '9'), { id: '9' });
  const last = await openOn(found.killed());
  assert.equal(contentOf(last.read()), ['n=9']);
  await last.close();
  await next.close();
  await store.close();
});

damage('is refused when a line before good ones changed, or is missing', async () => {
  const disk = await unclosed(5);
  const starts = lineStarts(disk.content(journal) ?? Buffer.alloc(0));
  const [, , third = 0, fourth = 0] = starts;
  const changed = disk.killed();
  await edit(changed, journal, (bytes) => bytes.fill('x', third + 40, third + 41));
  assert.match((await refusal(changed)).message, `${journal} at byte ${third}: good lines follow it`);
  const missing = disk.killed();
  await edit(missing, journal, (bytes) => Buffer.concat([bytes.subarray(0, third), bytes.subarray(fourth)]));
  assert.match((await refusal(missing)).message, `${journal} at byte ${third}: transaction 2 is missing`);
});

damage('is refused when a closed store lost its last line', async () => {
  const disk = await unclosed(3);
  const store = await openOn(disk, { snapshotBytes: 100_000 });
  await store.close();
  const starts = lineStarts(disk.content(journal) ?? Buffer.alloc(0));
  const last = starts.at(-3) ?? 0;
  await edit(disk, journal, (bytes) => bytes.fill('x', last + 40, last + 41));
  assert.match((await refusal(disk)).message, `at byte ${last}: good lines follow it`);
});

damage('opens by its older snapshot and the journal, says so, and sets the bad one aside', async () => {
  const disk = await filled();
  const before = JSON.stringify((await momentsOf(batches(6).flat())).at(-1));
  const newest = disk.paths().filter(isSnapshot).sort().at(-1) ?? '';
  await edit(disk, newest, (bytes) => bytes.fill('x', 200, 201));
  const said: string[] = [];
  const toldReaders: string[] = [];
  const reading = await openOn(disk.killed(), { readOnly: true, log: (message) => toldReaders.push(message) });
  assert.match(toldReaders.join(), /snapshot-\d+\.jsonl at byte \d+: .*Nothing is lost/);
  assert.is(JSON.stringify(await momentOf(reading)), before);
  const store = await openOn(disk, { log: (message) => said.push(message) });
  assert.is(JSON.stringify(await momentOf(store)), before);
  assert.match(said.join(), /snapshot-\d+\.jsonl at byte \d+: .*Nothing is lost/);
  assert.ok(disk.paths().includes(`${newest}.damaged`));
  for (let index = 0; index < 40; index += 1) await store.commit(counting('n'), { id: String(index) });
  await store.close();
  assert.is(disk.paths().filter(isSnapshot).length, 2);
  const oldest = disk.paths().filter(isSnapshot).sort()[0] ?? '';
  for (const path of disk.paths().filter(isSnapshot)) await edit(disk, path, (bytes) => bytes.fill('x', 200, 201));
  assert.match((await refusal(disk)).message, oldest);
});

damage('is told apart from one that a newer version wrote', async () => {
  const disk = await unclosed(2);
  const newer = encodeLine({ weir: 'journal', version: presentFormat.version + 1, first: 1 });
  await edit(disk, journal, (bytes) => Buffer.concat([Buffer.from(newer), bytes.subarray(lineStarts(bytes)[1])]));
  const error = await refusal(disk);
  assert.is(error.reason, 'newer');
  const { version } = presentFormat;
  const known = `has format ${version + 1}, and this version of Weir knows formats up to ${version}`;
  assert.ok(error.message.includes(`${known}. Start that version.`), error.message);
  const strange = await unclosed(2);
  const body = { from: 3, seq: 3, id: '3', at: '', ops: [{ put: { kind: 'Teapot', id: 't', name: 't', spec: {} } }] };
  await edit(strange, journal, (bytes) => Buffer.concat([bytes, Buffer.from(encodeLine(body))]));
  assert.match((await refusal(strange)).message, /holds a Teapot, a kind that this version of Weir does not know/);
});

damage('gives the records that it can still read, and tells which it cannot', async () => {
  const disk = await filled();
  const said: string[] = [];
  const segment = disk.paths().find((path) => path.includes('/records/history')) ?? '';
  // Its last line is its end: the one before that is a record.
  await edit(disk, segment, (bytes) =>
    bytes.fill('x', (lineStarts(bytes).at(-3) ?? 0) + 30, (lineStarts(bytes).at(-3) ?? 0) + 31),
  );
  const store = await openOn(disk, { log: (message) => said.push(message) });
  const whole = (await momentsOf(batches(6).flat())).at(-1)?.history.length ?? 0;
  assert.is((await store.records({ stream: 'history', limit: 100 })).length, whole - 1);
  assert.match(said.join(), /records\/history-\S+: the line at byte \d+ is damaged; it is left out/);
  await store.close();
});

damage.run();

/** A store with snapshots and record segments, closed. */
async function filled(): Promise<FaultDisk> {
  const disk = createFaultDisk();
  const store = await openOn(disk);
  for (const batch of batches(6))
    await Promise.all(batch.map(({ id, transaction }) => store.commit(transaction, { id })));
  await store.close();
  assert.ok(disk.paths().some(isSnapshot));
  return disk;
}

/** A store with one journal segment and so many transactions, whose process was killed. */
async function unclosed(count: number): Promise<FaultDisk> {
  const disk = createFaultDisk();
  const store = await openOn(disk, { snapshotBytes: 100_000 });
  for (let index = 0; index < count; index += 1) await store.commit(counting('n'), { id: String(index) });
  const found = disk.killed();
  await store.close();
  return found;
}

async function edit(disk: FaultDisk, path: string, change: (bytes: Buffer) => Buffer): Promise<void> {
  const bytes = change(Buffer.from(disk.content(path) ?? []));
  const file = await disk.files.open(path, 'create');
  await file.write(bytes, 0);
  await file.datasync();
}

function lineStarts(bytes: Buffer): number[] {
  const starts = [0];
  for (let feed = bytes.indexOf(10); feed >= 0; feed = bytes.indexOf(10, feed + 1)) starts.push(feed + 1);
  return starts;
}

function isSnapshot(path: string): boolean {
  return /\/snapshot-\d+\.jsonl$/.test(path);
}

async function refusal(disk: FaultDisk): Promise<StoreUnavailable> {
  const error = await openOn(disk).catch((error) => error);
  assert.instance(error, StoreUnavailable);
  return error;
}
