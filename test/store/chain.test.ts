// The chain over records: whatever is done to a segment is told by a check, by a backup, and by reading where that comes by.
import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { backUp } from '../../src/store/backup/write.ts';
import { checkStore } from '../../src/store/check.ts';
import { type Format, presentFormat } from '../../src/store/format.ts';
import { openStore } from '../../src/store/json-file.ts';
import { encodeLine } from '../../src/store/lines.ts';
import { sealKeyOf } from '../../src/store/seal.ts';
import type { Store } from '../../src/store/store.ts';
import { createFaultDisk, type FaultDisk } from '../support/fault-file-system.ts';
import { auditRecord, labelling } from './samples.ts';

const lock = async () => async () => {};
const format: Format = { ...presentFormat, keyring: { keys: [sealKeyOf(Buffer.alloc(32, 7))], looked: 'the test' } };
const auditCount = 60;

const chain = suite('the chain over records');

chain('is whole after what a store does by itself, and its heads are those of the journal', async () => {
  const disk = await filled();
  const checked = await checkOn(disk);
  assert.equal(checked.damage, []);
  assert.is(checked.records.audit, linesOfSegments(disk));
  assert.is(checked.position, auditCount);
  assert.ok(segmentsOn(disk).length >= 3);
  assert.match(checked.heads?.audit ?? '', /^[0-9a-f]{64}$/);
  assert.is(checked.heads?.history, '0'.repeat(64));
  const again = await filled();
  assert.is((await checkOn(again)).heads?.audit, checked.heads?.audit);
  const { damage } = await backedUp(disk);
  assert.equal(damage, []);
});

chain('shows every byte of a segment that was flipped, by a check and by a backup', async () => {
  const disk = await filled();
  const [, middle = ''] = segmentsOn(disk);
  const { length } = contentOn(disk, middle);
  for (let at = 0; at < length; at += 1) {
    const bent = disk.killed();
    await edit(bent, middle, (bytes) => bytes.fill((bytes[at] ?? 0) ^ 1, at, at + 1));
    const found = (await checkOn(bent)).damage.map(({ path }) => path);
    assert.ok(found.includes(middle), `byte ${at} flipped: ${found}`);
    if (at % 50 === 0) await told(bent, middle, `byte ${at} flipped`);
  }
});

chain('shows where a segment was cut, wherever that is', async () => {
  const disk = await filled();
  const [, middle = ''] = segmentsOn(disk);
  const { length } = contentOn(disk, middle);
  for (let at = 0; at < length; at += 28) {
    const bent = disk.killed();
    await edit(bent, middle, (bytes) => bytes.subarray(0, at));
    await told(bent, middle, `cut at ${at}`);
    if (at % 280 === 0) await toldByReading(bent, middle, `cut at ${at}`);
  }
});

/** Each does to the lines of a segment what leaves every checksum right. */
const edits: Readonly<Record<string, (lines: string[]) => string[]>> = {
  'a line dropped': (lines) => lines.toSpliced(2, 1),
  'the first record dropped': (lines) => lines.toSpliced(1, 1),
  'the last record dropped': (lines) => lines.toSpliced(-2, 1),
  'its end dropped': (lines) => lines.slice(0, -1),
  'its first line dropped': (lines) => lines.slice(1),
  'a line doubled': (lines) => lines.toSpliced(2, 0, lines[2] ?? ''),
  'two lines swapped': (lines) => lines.with(1, lines[2] ?? '').with(2, lines[1] ?? ''),
  'a record changed, with its checksum': (lines) => lines.with(2, other(lines[2] ?? '')),
  'a record put in': (lines) => lines.toSpliced(2, 0, other(lines[2] ?? '')),
  'a record dropped, and the count made to fit': (lines) => recounted(lines.toSpliced(2, 1)),
  'a record behind its end': (lines) => [...lines, lines[2] ?? ''],
  'all records dropped': (lines) => [lines[0] ?? '', lines.at(-1) ?? ''],
  'nothing left': () => [],
};

for (const [what, change] of Object.entries(edits))
  chain(`shows in the oldest, a middle and the newest segment: ${what}`, async () => {
    const disk = await filled();
    const all = segmentsOn(disk);
    assert.ok(all.length >= 3);
    for (const path of [all[0], all[1], all.at(-1)]) {
      const bent = disk.killed();
      await edit(bent, path ?? '', (bytes) => Buffer.from(joined(change(linesIn(bytes)))));
      await told(bent, path ?? '', what);
      await toldByReading(bent, path ?? '', what);
    }
  });

chain('shows a segment that was removed, that took the place of another, or that came from elsewhere', async () => {
  const disk = await filled();
  const all = segmentsOn(disk);
  for (const path of [all[0], all[1], all.at(-1)]) {
    const bent = disk.killed();
    await bent.files.unlink(path ?? '');
    await told(bent, path ?? '', 'removed');
    await toldByReading(bent, path ?? '', 'removed');
  }
  const [first = '', second = ''] = all;
  const swapped = disk.killed();
  await edit(swapped, second, () => contentOn(disk, first));
  await told(swapped, second, 'another in its place');
  const added = disk.killed();
  const stray = first.replace(/-\d{12}\.jsonl$/, '-999999999999.jsonl');
  await edit(added, stray, () => contentOn(disk, first));
  await told(added, stray, 'added');
  const store = await openOn(added);
  assert.is(await countIn(store), auditCount);
  await store.close();
});

chain('shows an older copy of a segment: another store of the same names has another chain', async () => {
  const disk = await filled();
  const others = await filled('other');
  // When the later ones are begun depends on how long a snapshot takes.
  const [, path = ''] = segmentsOn(disk).filter((one) => segmentsOn(others).includes(one));
  assert.ok(path !== '', 'none has the same name');
  await edit(disk, path, () => contentOn(others, path));
  await told(disk, path, 'of another store');
  await toldByReading(disk, path, 'of another store');
});

chain('shows a line of the journal whose records were changed, with its checksum', async () => {
  const running = createFaultDisk();
  const writing = await openOn(running, { create: true, snapshotBytes: 1 << 20 });
  for (let index = 0; index < 5; index += 1) await write(writing, `a${index}`);
  const disk = running.killed();
  await writing.close();
  const journal = '/store/journal-000000000001.jsonl';
  await edit(disk, journal, (bytes) =>
    Buffer.from(joined(linesIn(bytes).map((line) => (line.includes('"records"') ? other(line) : line)))),
  );
  await told(disk, journal, 'the journal');
  const store = await openOn(disk);
  assert.match(store.health().damage?.first ?? '', /journal-.*the records of audit up to here are not those/);
  await store.close();
});

chain('counts what it lists, whatever is missing', async () => {
  const disk = await filled();
  const [first = '', second = '', third = ''] = segmentsOn(disk);
  await disk.files.unlink(first);
  await edit(disk, second, (bytes) => Buffer.from(joined(linesIn(bytes).toSpliced(2, 1))));
  await edit(disk, third, (bytes) => bytes.fill('x', bytes.length - 400, bytes.length - 390));
  for (const readOnly of [true, false]) {
    const store = await openOn(disk, { readOnly });
    const { length } = await store.records({ stream: 'audit', limit: 10_000 });
    assert.is(await store.countRecords({ stream: 'audit' }), length);
    assert.ok(length < auditCount);
    await store.close();
  }
});

chain('goes on where retention has dropped segments, and tells them from removed ones', async () => {
  const disk = await filled();
  const said: string[] = [];
  const retention = { history: { count: 10 }, audit: { count: 12 } };
  const store = await openOn(disk, { retention, log: (message) => said.push(message) });
  for (let index = 0; index < 40; index += 1) await write(store, `later-${index}`);
  await store.close();
  assert.match(said.join('\n'), /\d+ records of audit were dropped, from \S+ to \S+, because the newest 12 are kept/);
  assert.equal((await checkOn(disk)).damage, []);
  // The snapshot before lists what this one dropped, so that its files are still there when this one is lost.
  const newest =
    disk
      .paths()
      .filter((path) => /\/snapshot-\d+\.jsonl$/.test(path))
      .sort()
      .at(-1) ?? '';
  const bent = disk.killed();
  await edit(bent, newest, (bytes) => bytes.fill('x', 200, 201));
  const again = await openOn(bent);
  assert.is(again.health().damage, undefined);
  await again.close();
  const [oldest = ''] = listedIn(contentOn(disk, newest));
  await disk.files.unlink(`/store/records/${oldest}`);
  assert.match((await checkOn(disk)).damage[0]?.why ?? '', /the file is missing/);
});

chain('is kept by a backup of a damaged store, which says what is wrong with it', async () => {
  const disk = await filled();
  const [, path = ''] = segmentsOn(disk);
  await edit(disk, path, (bytes) => Buffer.from(joined(linesIn(bytes).toSpliced(2, 1))));
  const { damage } = await backedUp(disk);
  assert.is(damage.length, 1);
  assert.match(damage[0]?.why ?? '', /records stand before it instead of/);
});

chain.run();

function write(store: Store, id: string, text = ''): Promise<unknown> {
  const record = { ...auditRecord(id), body: { event: 'stack.updated', text } };
  return store.commit(labelling('a', id, [record]), { id });
}

/** A store with several segments of the audit log, closed. */
async function filled(text = ''): Promise<FaultDisk> {
  const disk = createFaultDisk();
  const store = await openOn(disk, { create: true });
  for (let index = 0; index < auditCount; index += 1) await write(store, `a${String(index).padStart(3, '0')}`, text);
  await store.close();
  return disk.killed();
}

function openOn(disk: FaultDisk, more: Partial<Parameters<typeof openStore>[1]> = {}): Promise<Store> {
  const own = { create: false, files: disk.files, lock, log: () => {}, snapshotBytes: 3000, format };
  return openStore('/store', { ...own, ...more });
}

function checkOn({ files }: FaultDisk) {
  return checkStore('/store', { files, pauseMs: 0 });
}

async function backedUp(disk: FaultDisk) {
  const out = '/backups/weir.tar.gz';
  await disk.files.makeFolder('/backups');
  await disk.files.unlink(out).catch(() => {});
  return backUp('/store', { out, at: '2026-01-01T00:00:00.000Z', madeBy: '1.0.0', files: disk.files, format });
}

/** A check and a backup name the file. */
async function told(disk: FaultDisk, path: string, what: string): Promise<void> {
  const { damage } = await checkOn(disk);
  assert.ok(
    damage.some((one) => one.path === path),
    `a check after ${what}: ${JSON.stringify(damage)}`,
  );
  const backup = await backedUp(disk);
  assert.ok(
    backup.damage.some((one) => basename(one.path) === basename(path)),
    `a backup after ${what}: ${JSON.stringify(backup.damage)}`,
  );
}

/** Whoever reads all of it has it verified; the store goes on, counts what it lists, and says that it is damaged. */
async function toldByReading(disk: FaultDisk, path: string, what: string): Promise<void> {
  const store = await openOn(disk);
  const { length } = await store.records({ stream: 'audit', limit: 10_000 });
  await until(() => store.health().damage !== undefined);
  assert.match(store.health().damage?.first ?? '', basename(path), what);
  assert.is(await store.countRecords({ stream: 'audit' }), length, what);
  await write(store, 'afterwards');
  await store.close();
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 2000) assert.unreachable('it never came to be');
    await nextTurn();
  }
}

async function countIn(store: Store): Promise<number> {
  const { length } = await store.records({ stream: 'audit', limit: 10_000 });
  assert.is(await store.countRecords({ stream: 'audit' }), length);
  return length;
}

function segmentsOn(disk: FaultDisk): string[] {
  return disk
    .paths()
    .filter((path) => path.startsWith('/store/records/audit-'))
    .sort();
}

function linesOfSegments(disk: FaultDisk): number {
  return segmentsOn(disk).reduce((sum, path) => sum + linesIn(contentOn(disk, path)).length - 2, 0);
}

function contentOn(disk: FaultDisk, path: string): Buffer {
  return Buffer.from(disk.content(path) ?? []);
}

/** The segments that a snapshot lists. */
function listedIn(snapshot: Buffer): string[] {
  return [...snapshot.toString().matchAll(/"name":"(audit-\d+-\d+\.jsonl)"/g)].map(([, name]) => name ?? '');
}

function linesIn(bytes: Buffer): string[] {
  return bytes.toString().split('\n').slice(0, -1);
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** The same line with another text in its record, and a checksum that is right. */
function other(line: string): string {
  const { crc: _, ...value } = JSON.parse(line.replaceAll('stack.updated', 'stack.deleted'));
  return encodeLine(value).trimEnd();
}

/** Lines whose first and last say how many there are. */
function recounted(lines: string[]): string[] {
  const count = lines.length - 2;
  const changed = (line: string) => {
    const { crc: _, ...value } = JSON.parse(line);
    return encodeLine({ ...value, count }).trimEnd();
  };
  return lines.with(0, changed(lines[0] ?? '')).with(-1, changed(lines.at(-1) ?? ''));
}

async function edit(disk: FaultDisk, path: string, change: (bytes: Buffer) => Buffer): Promise<void> {
  const bytes = change(contentOn(disk, path));
  const file = await disk.files.open(path, 'create');
  if (bytes.length > 0) await file.write(bytes, 0);
  await file.datasync();
}
