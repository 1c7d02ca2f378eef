// timeout: 300
// The audit log in a file: whole lines that are on the disk, each entry once as far as that can be known, rotated by Weir or by others.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { type AuditOffice, auditOffice } from './audit-office.ts';

interface Context {
  office: AuditOffice;
  folder: string;
  path: string;
}

const files = suite<Context>('a file of the audit log');

files.before.each((context) => {
  context.office = auditOffice();
  context.folder = temporaryFolder().path;
  context.path = join(context.folder, 'audit.jsonl');
});
files.after.each(async ({ office }) => {
  await office.close();
  await office.store.close();
});

const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []);
const idsIn = (path: string): string[] => linesOf(path).map((line) => JSON.parse(line).id);
const has = (path: string, ids: readonly string[]) =>
  until('the file has all of it', () => idsIn(path).at(-1) === ids.at(-1), { now: () => idsIn(path) });
const reason = (office: AuditOffice) => office.standing('file')?.failing?.reason;

files('has a line of JSON for each entry, for the eyes of its owner alone', async ({ office, path }) => {
  await office.declare({ auditFile: { path } });
  office.start();
  const ids = [...(await office.entries(150)), ...(await office.entries(1, { reason: 'a\nb' }))];
  await has(path, ids);
  assert.equal(idsIn(path), ids);
  assert.is(JSON.parse(String(linesOf(path).at(-1))).reason, 'a\nb');
  if (process.platform !== 'win32') assert.is(statSync(path).mode & 0o777, 0o600);
  assert.is(office.standing('file')?.failing, undefined);
});

files('does nothing without a path', async ({ office, folder }) => {
  await office.declare({ auditFile: {} });
  office.start();
  await office.entries(1);
  assert.equal(office.standings(), []);
  assert.equal(readdirSync(folder), []);
});

files('is mended where a crash left half an entry, and has each entry once', async ({ office, path }) => {
  await office.declare({ auditFile: { path } });
  office.start();
  const ids = await office.entries(3);
  await has(path, ids);
  await office.close();
  const whole = readFileSync(path);
  const more = await office.entries(2);
  // What a crash leaves: a whole entry that was not noted, and half of the next.
  const [next = '', half = ''] = await writtenBy(office, more);
  appendFileSync(path, `${next}\n${half.slice(0, 20)}`);
  office.start();
  await has(path, more);
  assert.equal(idsIn(path), [...ids, ...more]);
  assert.ok(readFileSync(path).subarray(0, whole.length).equals(whole));
  assert.ok(office.logged.some((line) => /the last 20 bytes were no whole entry, and are cut off/.test(line)));
});

/** The lines of entries as they stand in a file. */
async function writtenBy(office: AuditOffice, ids: readonly string[]): Promise<string[]> {
  const records = await office.store.records({ stream: 'audit', limit: 100 });
  return ids.map((id) => JSON.stringify(records.find((record) => record.id === id)?.body));
}

files('is no file that somebody else has written, and that would be cut', async ({ office, path }) => {
  writeFileSync(path, 'root:x:0:0');
  await office.declare({ auditFile: { path } });
  office.start();
  const ids = await office.entries(1);
  await until(() => reason(office)?.includes('it is not a file of the audit log'));
  assert.is(readFileSync(path, 'utf8'), 'root:x:0:0');
  writeFileSync(path, 'a line of somebody\n');
  await until(() => linesOf(path).length === 2);
  assert.ok(linesOf(path)[1]?.includes(String(ids[0])));
});

files('is rotated by size, and so many of before are kept', async ({ office, folder, path }) => {
  await office.declare({ auditFile: { path, maxMegabytes: 1, keep: 2 } });
  office.start();
  const ids: string[] = [];
  for (let nth = 0; nth < 45; nth += 1) ids.push(...(await office.entries(1, { reason: 'x'.repeat(100_000) })));
  await has(path, ids);
  const names = readdirSync(folder).toSorted();
  assert.equal(names, ['audit.jsonl', 'audit.jsonl.1', 'audit.jsonl.2']);
  const all = ['.2', '.1', ''].flatMap((end) => idsIn(path + end));
  assert.equal(all, ids.slice(-all.length));
  for (const name of names) assert.ok(statSync(join(folder, name)).size <= 1 << 20, name);
  assert.ok(statSync(`${path}.1`).size > 900_000);
});

files('fills the gap that a rotation left which was interrupted', async ({ office, folder, path }) => {
  writeFileSync(`${path}.2`, 'the oldest\n');
  writeFileSync(path, `${JSON.stringify({ id: 'x'.repeat(1 << 20) })}\n`);
  await office.declare({ auditFile: { path, maxMegabytes: 1, keep: 2 } });
  office.start();
  await has(path, await office.entries(1));
  assert.is(readFileSync(`${path}.2`, 'utf8'), 'the oldest\n');
  assert.equal(readdirSync(folder).toSorted(), ['audit.jsonl', 'audit.jsonl.1', 'audit.jsonl.2']);
});

files('is made anew where others moved or removed it', async ({ office, path }) => {
  await office.declare({ auditFile: { path } });
  office.start();
  const first = await office.entries(2);
  await has(path, first);
  renameSync(path, `${path}.old`);
  const second = await office.entries(2);
  await has(path, second);
  assert.equal([idsIn(`${path}.old`), idsIn(path)], [first, second]);
  unlinkSync(path);
  const third = await office.entries(1);
  await has(path, third);
  assert.equal(idsIn(path), third);
});

files('is another from the next entry on where another path is declared', async ({ office, folder, path }) => {
  await office.declare({ auditFile: { path } });
  office.start();
  const first = await office.entries(2);
  await has(path, first);
  const other = join(folder, 'other.jsonl');
  await office.declare({ auditFile: { path: other } });
  const second = await office.entries(1);
  await has(other, second);
  assert.equal([idsIn(path), idsIn(other)], [first, second]);
});

files(
  'is no folder, link, pipe or device, nor inside of the store; and says so until it is',
  async ({ office, folder, path }) => {
    const inStore = join(office.storeFolder, 'audit.jsonl');
    mkdirSync(join(office.storeFolder, 'below'));
    const linked = join(folder, 'linked');
    symlinkSync(office.storeFolder, linked);
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'aim'), '');
    symlinkSync(join(folder, 'aim'), join(folder, 'link'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await office.declare({});
    office.start();
    const refused: [string, RegExp][] = [
      [join(folder, 'folder'), /is a folder, and no file/],
      [join(folder, 'link'), /is a symbolic link/],
      [join(folder, 'pipe'), /is a named pipe, and no file/],
      ['/dev/null', /is a device, and no file/],
      [inStore, /is inside of the store/],
      [join(office.storeFolder, 'below', 'audit.jsonl'), /is inside of the store/],
      [join(linked, 'audit.jsonl'), /is inside of the store/],
      [join(folder, 'none', 'audit.jsonl'), /the folder \S+none does not exist/],
      [join(folder, 'aim', 'audit.jsonl'), /is no folder/],
    ];
    await office.declare({ auditFile: { path: String(refused[0]?.[0]) } });
    const ids = await office.entries(1);
    for (const [declared, words] of refused) {
      await office.declare({ auditFile: { path: declared } });
      await until(`${declared}: ${words}`, () => words.test(reason(office) ?? ''), { now: () => reason(office) });
    }
    assert.is(statSync(join(folder, 'aim')).size, 0);
    assert.not.ok(existsSync(inStore));
    await office.declare({ auditFile: { path } });
    await has(path, ids);
    assert.equal(idsIn(path), ids, 'nothing is lost meanwhile');
  },
);

files(
  'is written on where it was cut or linked, and its rights are left to whoever gave them',
  async ({ office, folder, path }) => {
    await office.declare({ auditFile: { path } });
    office.start();
    await has(path, await office.entries(2));
    chmodSync(path, 0o640);
    linkSync(path, join(folder, 'twin'));
    truncateSync(path, 0);
    const ids = await office.entries(2);
    await has(path, ids);
    assert.equal(idsIn(path), ids);
    assert.is(statSync(path).mode & 0o777, 0o640);
  },
);

files('takes back what it could not write whole, tells why, and has it once in the end', async ({ office, path }) => {
  await office.declare({ auditFile: { path } });
  office.start({ retryMs: [20, 3_600_000] });
  const first = await office.entries(1);
  await has(path, first);
  const handle = await open(path);
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const { write, datasync } = prototype;
  const failed = (code: string) => Object.assign(new Error(`${code}: it fails`), { code });
  const sizes: number[] = [];
  try {
    prototype.write = async function half(bytes: Buffer, offset: number, length: number) {
      await Reflect.apply(write, this, [bytes, offset, Math.floor(length / 2)]);
      sizes.push((await this.stat()).size);
      prototype.write = write;
      throw failed('ENOSPC');
    };
    prototype.datasync = async () => {
      prototype.datasync = datasync;
      throw failed('EIO');
    };
    const ids = await office.entries(3);
    await until(() => reason(office) === `the disk of ${path} fails`, { now: () => office.logged });
    assert.ok(office.logged.some((line) => line.includes(`because the disk of ${path} is full; next try`)));
    assert.ok(Number(sizes[0]) > statSync(path).size, 'half of it was there');
    assert.equal(idsIn(path), first);
    await office.declare({ auditFile: { path, keep: 3 } });
    await has(path, ids);
    assert.equal(idsIn(path), [...first, ...ids]);
  } finally {
    Object.assign(prototype, { write, datasync });
  }
});

files.run();
