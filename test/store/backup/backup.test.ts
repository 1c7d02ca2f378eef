// timeout: 400
// Backups of the file store: whole or not at all, whatever the disk does; read back; and believed in nothing when they are restored.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BackupFailed } from '../../../src/store/backup/failed.ts';
import { restore } from '../../../src/store/backup/restore.ts';
import { textFile } from '../../../src/store/backup/source.ts';
import { backUp } from '../../../src/store/backup/write.ts';
import { formatOf, presentFormat } from '../../../src/store/format.ts';
import { openStore } from '../../../src/store/json-file.ts';
import { encodeLine } from '../../../src/store/lines.ts';
import { type Store, StoreUnavailable } from '../../../src/store/store.ts';
import { createFaultDisk, type FaultDisk, losses } from '../../support/fault-file-system.ts';
import { bytesOf, naming } from '../blob-promises.ts';
import { creating } from '../samples.ts';
import { batches, momentOf, momentsOf, openOn } from '../workload.ts';
import { archiveOf, type Entry, packed, tarOf } from './archives.ts';

// Backups hold no key: who restores them brings it.
const keys = { text: Buffer.alloc(32, 7).toString('base64') };
const [out, elsewhere] = ['/backups/weir.tar.gz', '/elsewhere'];
const steps = batches(9).flat();
const lock = async () => async () => {};

const backup = suite('a backup');

backup('holds the state, history and audit log as they were, whether the store is open or not', async () => {
  const moments = await momentsOf(steps);
  for (const count of [0, 1, 5, steps.length]) {
    const disk = await filled(count);
    await backUpOn(disk);
    assert.equal(
      disk.paths().filter((path) => path.startsWith('/backups')),
      [out],
    );
    const store = await restored(disk);
    assert.equal(await momentOf(store), moments[count]);
    await store.commit(creating('more'), { id: 'more' });
    await store.close();
  }
});

backup('leaves out what was never acknowledged, and a newest snapshot that is damaged', async () => {
  const disk = await filled(steps.length);
  const before = (await momentsOf(steps)).at(-1);
  const newest = pathsOf(disk, 'snapshot-').at(-1) ?? '';
  await edit(disk, newest, (bytes) => bytes.fill('x', 200, 201));
  await edit(disk, pathsOf(disk, 'journal-').at(-1) ?? '', (bytes) => Buffer.concat([bytes, Buffer.from('{"crc":"0')]));
  const { files } = await backUpOn(disk);
  assert.not(files.some(({ path }) => path.endsWith(newest.slice('/store'.length))));
  const said: string[] = [];
  const store = await restored(disk, (message) => said.push(message));
  assert.equal(await momentOf(store), before);
  assert.equal(said, []);
  await store.close();
});

backup('holds the blobs that it names, and what else is said to belong to the store', async () => {
  const disk = await filled(3);
  const open = await openOn(disk, { keys });
  const { name } = await open.blobs.put(bytesOf('blob'));
  const { name: unnamed } = await open.blobs.put(bytesOf('nobody names it'));
  await open.commit(naming('s', name), { id: 'names' });
  await open.close();
  await put(disk, '/store/notes.txt', Buffer.from('of somebody else'));
  const others = async function* () {
    yield textFile('store/instances/i1/home/flows.json', '[]');
    yield textFile(`store/instances/i1/home/${'long/'.repeat(60)}ü.txt`, 'pax');
  };
  const { files } = await backUpOn(disk, { others });
  assert.equal(
    files.flatMap(({ path }) => (path.includes('/blobs/') ? [path] : [])),
    [`store/blobs/${name}`],
  );
  const store = await restored(disk);
  assert.equal(await store.blobs.get(name), bytesOf('blob'));
  assert.is(await store.blobs.get(unnamed), undefined);
  await store.close();
  assert.is(disk.content(`${elsewhere}/instances/i1/home/flows.json`)?.toString(), '[]');
  assert.is(disk.content(`${elsewhere}/instances/i1/home/${'long/'.repeat(60)}ü.txt`)?.toString(), 'pax');
  assert.not(disk.paths().includes(`${elsewhere}/notes.txt`));
});

backup('is none where a blob that is named is lost or damaged', async () => {
  const disk = await filled(3);
  const open = await openOn(disk, { keys });
  const { name } = await open.blobs.put(bytesOf('blob'));
  await open.commit(naming('s', name), { id: 'names' });
  await open.close();
  const bent = disk.killed();
  await put(bent, `/store/blobs/${name}`, Buffer.from('bleb'));
  assert.match((await failureOf(backUpOn(bent))).message, `store/blobs/${name} at byte 0: it is not what was written`);
  await disk.files.unlink(`/store/blobs/${name}`);
  assert.match((await failureOf(backUpOn(disk))).message, `/store/blobs/${name} at byte 0: the file is missing`);
  assert.not(disk.paths().includes(out));
});

backup('is none of a store that is missing, damaged or newer, and never takes the place of a file', async () => {
  const disk = await filled(5);
  assert.is((await failureOf(backUpOn(disk, {}, '/nowhere'))).reason, 'missing');
  const damaged = await filled(steps.length);
  for (const path of pathsOf(damaged, 'journal-')) await edit(damaged, path, (bytes) => bytes.fill('x', 20, 21));
  assert.is((await failureOf(backUpOn(damaged))).reason, 'damaged');
  await (await openOn(disk, { keys, format: formatOf([...presentFormat.steps, (line) => line]) })).close();
  assert.is((await failureOf(backUpOn(disk))).reason, 'newer');
  const other = await filled(1);
  await put(other, out, Buffer.from('precious'));
  const refused = await failureOf(backUpOn(other));
  assert.match(refused.message, `${out} exists already: name another file, or a folder`);
  assert.is(other.content(out)?.toString(), 'precious');
});

backup('that cannot be written, at any call, is told and leaves nothing', async () => {
  const disk = await filled(4);
  const calls = await callsOf(disk.killed(), '/backups', backUpOn);
  for (const [index, { name, path }] of calls.entries()) {
    if (['unlink', 'read', 'close'].includes(name)) continue;
    const full = disk.killed();
    full.before = failing('/backups', index);
    const error = await failureOf(backUpOn(full));
    const where = `${name} ${path}`;
    // Whether the name of a file that was moved is durable is not known when the folder cannot be synced.
    assert.equal(
      full.paths().filter((left) => left.startsWith('/backups') && left !== out),
      [],
      where,
    );
    if (name !== 'syncFolder') assert.not(full.paths().includes(out), where);
    assert.match(error.message, /the disk is full|ENOSPC/, where);
    full.before = () => undefined;
    await (await openOn(full, { keys })).close();
  }
});

backup('has its name only once all of it is durable', async () => {
  const disk = await filled(4);
  const found: { readonly disk: FaultDisk; readonly where: string }[] = [];
  disk.before = ({ number, name, path }) => {
    for (const loss of losses) found.push({ disk: disk.lost(loss, number), where: `${name} ${path}, ${loss}` });
    return undefined;
  };
  await backUpOn(disk);
  found.push({ disk: disk.lost('none', 1), where: 'the end' });
  let whole = 0;
  for (const { disk: left, where } of found) {
    if (!left.paths().includes(out)) continue;
    await (await restored(left).catch((error) => assert.unreachable(`${where}: ${error}`)))?.close();
    whole += 1;
  }
  assert.ok(whole > 0);
  assert.ok(found.at(-1)?.disk.paths().includes(out), 'what was answered is durable');
});

backup.run();

const back = suite('restoring');

back('leaves nothing where it fails, at any call', async () => {
  const disk = await backedUp();
  const calls = await callsOf(disk.killed(), elsewhere, restoreOn);
  for (const [index, { name, path }] of calls.entries()) {
    if (['unlink', 'removeFolder', 'close'].includes(name)) continue;
    // The last word: when the mark is gone everything is durable.
    if (calls.slice(0, index).some((call) => call.name === 'unlink')) continue;
    const full = disk.killed();
    full.before = failing(elsewhere, index);
    const error = await failureOf(restoreOn(full));
    assert.ok(error instanceof BackupFailed || error instanceof StoreUnavailable, `${name} ${path}: ${error}`);
    assert.equal(
      full.paths().filter((left) => left.startsWith(elsewhere)),
      [],
      `${name} ${path}`,
    );
    full.before = () => undefined;
    await (await restored(full)).close();
  }
});

back('is all or nothing wherever the power fails: half of it is no store', async () => {
  const disk = await backedUp();
  const moment = await momentOf(await openOn(disk.killed(), { keys }));
  const found: { readonly disk: FaultDisk; readonly where: string }[] = [];
  disk.before = ({ number, name, path }) => {
    if (path.startsWith(elsewhere))
      for (const loss of losses) found.push({ disk: disk.lost(loss, number), where: `${name} ${path}, ${loss}` });
    return undefined;
  };
  await restoreOn(disk);
  found.push({ disk: disk.lost('none', 1), where: 'the end' });
  const outcomes = new Set<string>();
  for (const { disk: left, where } of found) {
    const store = await openElsewhere(left, false).catch((error) => error);
    if (store instanceof StoreUnavailable) {
      assert.ok(
        store.reason === 'missing' || /restore into .* was interrupted/.test(store.message),
        `${where}: ${store}`,
      );
      outcomes.add(store.reason);
    } else {
      assert.equal(await momentOf(store), moment, where);
      outcomes.add('whole');
    }
  }
  assert.equal([...outcomes].sort(), ['damaged', 'missing', 'whole']);
  assert.instance(await openElsewhere(found.at(-1)?.disk ?? disk, false), Object);
});

back('takes a backup of an older format, which is written anew when it is opened', async () => {
  const disk = await backedUp();
  const later = formatOf([...presentFormat.steps, (line) => line]);
  await restore(out, elsewhere, { keys, files: disk.files, lock, format: later });
  const said: string[] = [];
  const log = (message: string) => said.push(message);
  const store = await openStore(elsewhere, { create: false, keys, files: disk.files, lock, log, format: later });
  assert.equal(said, [
    `${elsewhere}: was written in format ${presentFormat.version}, and is written in format ${later.version} from now on`,
  ]);
  assert.equal(await momentOf(store), (await momentsOf(steps))[7]);
  await store.close();
  assert.is((await failureOf(backUpOn(disk, { out: '/backups/later' }, elsewhere))).reason, 'newer');
});

back('goes into a folder that is empty or missing, and into no other', async () => {
  const disk = await backedUp();
  await disk.files.makeFolder(elsewhere);
  await restoreOn(disk);
  const again = await failureOf(restoreOn(disk));
  assert.is(again.reason, 'occupied');
  assert.match(again.message, 'there is a store in it: name another folder, or move it away');
  const used = await backedUp();
  await used.files.makeFolder(elsewhere);
  await put(used, `${elsewhere}/notes.txt`, Buffer.from('precious'));
  assert.match((await failureOf(restoreOn(used))).message, 'it is not empty (notes.txt): name another folder');
  assert.is(used.content(`${elsewhere}/notes.txt`)?.toString(), 'precious');
  const half = await backedUp();
  await half.files.makeFolder(elsewhere);
  await put(half, `${elsewhere}/restoring`, Buffer.from(''));
  assert.match((await failureOf(restoreOn(half))).message, 'was interrupted: delete what is in it, then restore again');
});

back('refuses a backup that was cut or changed anywhere, and says so', async () => {
  const disk = await backedUp();
  const whole = disk.content(out) ?? Buffer.alloc(0);
  const reasons = new Set<string>();
  let unseen = 0;
  for (let at = 0; at < whole.length; at += 41) {
    const cut = await failureOf(restoreOf(whole.subarray(0, at)));
    assert.ok(['foreign', 'damaged'].includes(cut.reason), `cut at ${at}: ${cut.message}`);
    const bent = Buffer.from(whole);
    bent[at] = (bent[at] ?? 0) ^ 16;
    // What gzip says of itself (its time, its system) may be anything, and so may the last bits of its last byte.
    const error = await restoreOf(bent).then(
      () => undefined,
      (error) => error,
    );
    if (error) assert.ok(['foreign', 'damaged', 'unsafe'].includes(error.reason), `byte ${at}: ${error.stack}`);
    else unseen += 1;
    reasons.add(error?.reason);
  }
  assert.ok(unseen <= 2);
  assert.ok(reasons.has('damaged') && reasons.has('foreign'));
});

back('refuses what is packed well and is not what the manifest says', async () => {
  const disk = await backedUp();
  const tar = tarOf(disk.content(out) ?? Buffer.alloc(0));
  const { gzipSync } = await import('node:zlib');
  for (let at = 0; at < tar.length; at += 97) {
    const bent = Buffer.from(tar);
    bent[at] = (bent[at] ?? 0) ^ 4;
    const error = await restoreOf(gzipSync(bent)).then(
      () => undefined,
      (error) => error,
    );
    if (error) assert.instance(error, BackupFailed, `byte ${at}: ${error.stack}`);
  }
});

back('refuses archives that would write anywhere else', async () => {
  const content = 'x';
  const places: readonly Entry[] = [
    { path: '../evil', content },
    { path: 'store/../../evil', content },
    { path: '/etc/evil', content },
    { path: 'store/instances/../../../evil', content },
    { path: 'store/instances/i/home/../../../../evil', content },
    { path: 'store/instances/i//evil', content },
    { path: 'store/instances/i/..\\evil', content },
    { path: 'store/instances/i/./evil', content },
    { path: 'store/instances/.hidden/evil', content },
    { path: `store/instances/i/${'n'.repeat(256)}`, content },
    { path: 'store/instances/i/new\nline', content },
    { path: 'store/restoring', content },
    { path: 'store/lock-1-00000000.sock', content },
    { path: 'store/journal-000000000001.jsonl.tmp', content },
    { path: 'store/blobs/readme', content },
    { path: 'evil', content },
    { path: '', content },
    { path: 'store/instances/i/link', content: '', type: '2' },
    { path: 'store/instances/i/link', content: '', type: '1' },
    { path: 'store/instances/i/device', content: '', type: '3' },
    { path: 'store/instances/i/folder', content: '', type: '5' },
    { path: 'store/instances/i/sparse', content: '', type: 'S' },
  ];
  for (const entry of places) {
    const error = await failureOf(restoreOf(archiveOf([entry])));
    assert.is(error.reason, 'unsafe', `${JSON.stringify(entry)}: ${error.message}`);
    assert.match(error.message, 'which is not unpacked');
  }
  const twice = { path: 'store/instances/i/home/a', content };
  assert.is((await failureOf(restoreOf(archiveOf([twice, twice])))).reason, 'unsafe');
});

back('refuses what is no backup, or none that this version knows', async () => {
  for (const bytes of [Buffer.from('hello'), Buffer.from('PK\u0003\u0004'), packed([{ path: 'a', content: '' }])])
    assert.is((await failureOf(restoreOf(bytes))).reason, 'foreign');
  for (const bytes of [Buffer.alloc(0), packed([])]) assert.is((await failureOf(restoreOf(bytes))).reason, 'damaged');
  const later = await failureOf(restoreOf(archiveOf([], { version: 2, strange: true })));
  assert.is(later.reason, 'newer');
  assert.match(later.message, 'is a backup of version 2, and this version of Weir knows backups up to 1');
  const store = await failureOf(restoreOf(archiveOf([], { storeVersion: 7, madeBy: '9.0.0' })));
  assert.match(
    store.message,
    `holds a store of format 7, written by Weir 9.0.0, and this version knows formats up to ${presentFormat.version}`,
  );
  // Well packed, and still no store.
  const journal = 'store/journal-000000000001.jsonl';
  const forged = [
    { weir: 'journal', version: 1, first: 1 },
    { from: 1, seq: 1, id: 'a', at: '', ops: [null] },
  ];
  for (const lines of [[], forged]) {
    const entries = lines.length > 0 ? [{ path: journal, content: lines.map(encodeLine).join('') }] : [];
    const error = await failureOf(restoreOf(archiveOf(entries)));
    assert.is(error.reason, 'damaged');
    assert.match(error.message, /is damaged: the store in it cannot be loaded \(/);
  }
});

back.run();

async function filled(count: number): Promise<FaultDisk> {
  const disk = createFaultDisk();
  await disk.files.makeFolder('/backups');
  const store = await openOn(disk, { keys });
  for (const { id, transaction } of steps.slice(0, count)) await store.commit(transaction, { id });
  const found = disk.killed();
  await store.close();
  return found;
}

async function backedUp(): Promise<FaultDisk> {
  const disk = await filled(7);
  await backUpOn(disk, {
    others: async function* () {
      yield textFile('store/instances/i1/home/flows.json', '[]');
    },
  });
  for (const folder of ['/store', '/store/records', '/backups']) await disk.files.syncFolder(folder);
  return disk;
}

function backUpOn(disk: FaultDisk, more: Partial<Parameters<typeof backUp>[1]> = {}, folder = '/store') {
  return backUp(folder, { out, at: '2026-01-01T00:00:00.000Z', madeBy: '0.1.0', files: disk.files, ...more });
}

function restoreOn(disk: FaultDisk) {
  return restore(out, elsewhere, { keys, files: disk.files, lock });
}

/** Restores these bytes; whatever comes of it, nothing may stand anywhere but where it was to be restored. */
async function restoreOf(bytes: Buffer): Promise<void> {
  const disk = createFaultDisk();
  await disk.files.makeFolder('/backups');
  await put(disk, out, bytes);
  try {
    await restoreOn(disk);
  } catch (error) {
    assert.equal(disk.paths(), [out]);
    throw error;
  }
}

async function restored(disk: FaultDisk, log: (message: string) => void = () => {}): Promise<Store> {
  await restoreOn(disk);
  return openElsewhere(disk, true, log);
}

async function openElsewhere(disk: FaultDisk, mayWrite: boolean, log: (message: string) => void = () => {}) {
  return openStore(elsewhere, { create: false, readOnly: !mayWrite, keys, files: disk.files, lock, log });
}

/** The calls in a folder: with others they take turns that differ from run to run. */
async function callsOf(disk: FaultDisk, folder: string, work: (disk: FaultDisk) => Promise<unknown>) {
  const calls: { readonly name: string; readonly path: string }[] = [];
  disk.before = ({ name, path }) => {
    if (path.startsWith(folder)) calls.push({ name, path });
    return undefined;
  };
  await work(disk);
  return calls;
}

/** Fails one of the calls in a folder: 0 is the first. */
function failing(folder: string, chosen: number): FaultDisk['before'] {
  let seen = -1;
  return ({ path }) => {
    if (path.startsWith(folder)) seen += 1;
    return path.startsWith(folder) && seen === chosen ? { code: 'ENOSPC' } : undefined;
  };
}

async function failureOf(work: Promise<unknown>): Promise<BackupFailed | StoreUnavailable> {
  const error = await work.then(
    () => undefined,
    (error) => error,
  );
  assert.ok(error instanceof BackupFailed || error instanceof StoreUnavailable, `${error?.stack}`);
  return error;
}

function pathsOf(disk: FaultDisk, prefix: string): string[] {
  return disk
    .paths()
    .filter((path) => path.startsWith(`/store/${prefix}`))
    .sort();
}

async function edit(disk: FaultDisk, path: string, change: (bytes: Buffer) => Buffer): Promise<void> {
  await put(disk, path, change(Buffer.from(disk.content(path) ?? [])));
}

async function put(disk: FaultDisk, path: string, bytes: Buffer): Promise<void> {
  const file = await disk.files.open(path, 'create');
  await file.write(bytes, 0);
  await file.datasync();
}
