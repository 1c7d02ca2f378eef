// Versions of the store's format: a real store of each is opened for ever, steps between them are taken line by line, newer ones are refused.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Format, formatOf, presentFormat } from '../../src/store/format.ts';
import { openStore } from '../../src/store/json-file.ts';
import { sealKeyOf } from '../../src/store/seal.ts';
import type { Step } from '../../src/store/steps/step.ts';
import { type Store, StoreUnavailable } from '../../src/store/store.ts';
import { createFaultDisk, type FaultDisk, losses } from '../support/fault-file-system.ts';
import { contentOf, labelling } from './samples.ts';

const fixtures = join(import.meta.dirname, 'fixtures');

/** Made up: it writes labels in capitals, and calls the target of an audit entry otherwise. */
const shout: Step = (line, sort) => {
  if (sort === 'snapshot') return line.row ? { ...line, row: louder(line.row) } : line;
  const records = line.records?.map(renamed);
  if (sort === 'records') return { ...line, record: renamed(line.record) };
  const ops = line.ops?.map((op: { put?: Row }) => (op.put ? { put: louder(op.put) } : op));
  return { ...line, ops, ...(records && { records }) };
};
/** Made up as well: the one after it. */
const ask: Step = (line, sort) =>
  JSON.parse(JSON.stringify(line).replaceAll('"LABEL 2"', '"LABEL 2?"').replaceAll('"SORT"', `"${sort}"`));

// The key of the fixtures, which stands in their README.
const keyring = { keys: [sealKeyOf(Buffer.alloc(32, 7))], looked: 'the test' };

const second = formatOf([...presentFormat.steps, shout]);
const third = formatOf([...second.steps, ask]);

const format = suite('a store of an older format');

format('is there as a fixture for each version, and opens as it was', async () => {
  const versions = readdirSync(fixtures).flatMap((name) => /^format-(\d+)$/.exec(name)?.[1] ?? []);
  assert.equal(
    versions.map(Number).sort(),
    Array.from({ length: presentFormat.version }, (_, index) => index + 1),
  );
  for (const version of versions) {
    const store = await openOn(await diskWith(`format-${version}`), { ...presentFormat, keyring });
    assert.is(
      [...store.read().all('Instance')][0]?.spec.credentialSecret,
      'GcuECc0HScYu9Xr0uKo9bKyyeD5C44tzPH2b7pKYHBiz',
    );
    assert.is(store.read().position, '13', version);
    assert.is(store.read().named('Stack', 'by-api')?.spec.label, 'label 2');
    assert.is(store.read().named('User', 'ann')?.spec.email, 'ann@example.com');
    assert.is(store.read().count('TeamType'), 3);
    assert.is((await store.records({ stream: 'audit', limit: 1000 })).length, 27);
    assert.is(await store.countRecords({ stream: 'history' }), 2);
    await store.close();
  }
});

format('is taken up all steps that it needs, in order, wherever its lines stand', async () => {
  const disk = await diskWith('format-1');
  const before = await openOn(disk.killed(), presentFormat);
  for (const [wanted, label] of [
    [second, 'LABEL 2'],
    [third, 'LABEL 2?'],
  ] as const) {
    const store = await openOn(disk.killed(), wanted);
    assert.is(store.read().named('Stack', 'by-api')?.spec.label, label);
    assert.is(store.read().named('Stack', 'nr-4-0')?.spec.label, 'NODE-RED 4.0');
    assert.is(store.read().count('TeamType'), before.read().count('TeamType'));
    const entries = await store.records({ stream: 'audit', limit: 1000 });
    assert.is(entries.length, 27);
    assert.ok(entries.every(({ body }) => 'objective' in body && !('target' in body)));
    // What is sought in the words of this version is found in lines that were written in others.
    const holding = ['"objective"'];
    const where = ({ body }: (typeof entries)[number]) => 'objective' in body;
    assert.is(await store.countRecords({ stream: 'audit', where, holding }), 27);
    await store.close();
  }
  await before.close();
});

format('is read by commands that take no lock, and not changed by them', async () => {
  const disk = await diskWith('format-1');
  const before = bytesOn(disk);
  const store = await openOn(disk, third, { readOnly: true });
  assert.is(store.read().named('Stack', 'by-api')?.spec.label, 'LABEL 2?');
  assert.is((await store.records({ stream: 'audit', limit: 1000 })).length, 27);
  await store.close();
  assert.equal(bytesOn(disk), before);
});

format('is written anew as it is opened; its files stay until two snapshots of the new one are durable', async () => {
  const disk = await diskWith('format-1');
  const said: string[] = [];
  const store = await openOn(disk, second, { log: (message) => said.push(message) });
  assert.is(said[0], `/store: was written in format 1, and is written in format ${second.version} from now on`);
  assert.match(said[1] ?? '', /^\/store: secrets are encrypted with the key [0-9a-f]{8} from now on/);
  assert.equal(versionsOn(disk), {
    'journal-000000000012.jsonl': 1,
    'journal-000000000014.jsonl': second.version,
    'snapshot-000000000011.jsonl': 1,
    'snapshot-000000000013.jsonl': second.version,
  });
  for (let index = 0; index < 40; index += 1)
    await store.commit(labelling('more', String(index)), { id: `more-${index}` });
  await store.close();
  assert.equal([...new Set(Object.values(versionsOn(disk)))], [second.version]);
  const again = await openOn(disk, second, { log: (message) => said.push(message) });
  assert.is(again.read().named('Stack', 'by-api')?.spec.label, 'LABEL 2');
  assert.is((await again.records({ stream: 'audit', limit: 1000 })).length, 27);
  await again.close();
  assert.is(said.length, 2);
});

format('that is empty is written anew, too', async () => {
  const disk = createFaultDisk();
  await (await openOn(disk, presentFormat, { create: true })).close();
  const store = await openOn(disk, second);
  await store.commit(labelling('a', 'b'), { id: 'a' });
  await store.close();
  const again = await openOn(disk, second);
  assert.equal(contentOf(again.read()), ['a=b']);
  await again.close();
});

format('is refused by versions that are older than it, and both are named', async () => {
  const disk = await diskWith('format-1');
  await (await openOn(disk, third)).close();
  for (const readOnly of [true, false]) {
    const error = await openOn(disk, second, { readOnly }).catch((error) => error);
    assert.instance(error, StoreUnavailable);
    assert.is(error.reason, 'newer');
    const known = `has format ${third.version}, and this version of Weir knows formats up to ${second.version}`;
    assert.ok(error.message.includes(`${known}. Start that version.`), error.message);
  }
});

format('is never lost, wherever the power fails while it is written anew', async () => {
  const disk = await diskWith('format-1');
  const found: { readonly disk: FaultDisk; readonly where: string }[] = [];
  disk.before = ({ number, name, path }) => {
    for (const loss of losses)
      found.push({ disk: disk.lost(loss, number), where: `${number}: ${name} ${path}, ${loss}` });
    return undefined;
  };
  await (await openOn(disk, second)).close();
  assert.ok(found.length > 100);
  for (const { disk: left, where } of found) {
    const store = await openOn(left, second).catch((error) => assert.unreachable(`${where}: ${error}`));
    assert.is(store?.read().named('Stack', 'by-api')?.spec.label, 'LABEL 2', where);
    assert.is((await store?.records({ stream: 'audit', limit: 1000 }))?.length, 27, where);
    await store?.commit(labelling('after', 'wards'), { id: 'afterwards' });
    await store?.close();
  }
});

format('is not harmed where there is no room to write it anew', async () => {
  const disk = await diskWith('format-1');
  const full = disk.killed();
  full.before = ({ name }) => (name === 'write' ? { code: 'ENOSPC' } : undefined);
  const error = await openOn(full, second).catch((error) => error);
  assert.instance(error, StoreUnavailable);
  assert.match(error.message, /full disk/);
  full.before = () => undefined;
  const store = await openOn(full, second);
  assert.is(store.read().named('Stack', 'by-api')?.spec.label, 'LABEL 2');
  await store.close();
});

format.run();

interface Row {
  readonly spec: { readonly label?: string };
}

function louder(row: Row): Row {
  const { label } = row.spec;
  return label === undefined ? row : { ...row, spec: { ...row.spec, label: label.toUpperCase() } };
}

function renamed(record: { readonly stream: string; readonly body: { readonly target?: unknown } }) {
  if (record.stream !== 'audit') return record;
  const { target: objective, ...body } = record.body;
  return { ...record, body: { ...body, objective } };
}

function openOn(disk: FaultDisk, wanted: Format, more: Partial<Parameters<typeof openStore>[1]> = {}): Promise<Store> {
  const lock = async () => async () => {};
  // The fixtures get older, and their audit logs have to stay.
  const retention = { history: { count: 10_000 }, audit: { days: 100_000 } };
  const own = { create: false, files: disk.files, lock, log: () => {}, retention, snapshotBytes: 2000, format: wanted };
  return openStore('/store', { ...own, ...more });
}

/** A fixture on a disk that can fail. */
async function diskWith(name: string): Promise<FaultDisk> {
  const { files, ...disk } = createFaultDisk();
  for (const folder of ['/store', '/store/records']) await files.makeFolder(folder);
  const paths = readdirSync(join(fixtures, name), { recursive: true }).map(String);
  for (const path of paths.filter((path) => path.endsWith('.jsonl'))) {
    const file = await files.open(`/store/${path}`, 'create');
    await file.write(readFileSync(join(fixtures, name, path)), 0);
    await file.datasync();
  }
  for (const folder of ['/store', '/store/records']) await files.syncFolder(folder);
  return disk.killed();
}

function bytesOn(disk: FaultDisk): Record<string, string> {
  return Object.fromEntries(disk.paths().map((path) => [path, disk.content(path)?.toString() ?? '']));
}

/** The versions in the first lines of journals and snapshots. */
function versionsOn(disk: FaultDisk): Record<string, number> {
  const own = disk.paths().filter((path) => /\/(?:journal|snapshot)-\d+\.jsonl$/.test(path));
  const version = (path: string) => Number(/"version":(\d+)/.exec(disk.content(path)?.toString() ?? '')?.[1]);
  return Object.fromEntries(own.sort().map((path) => [path.slice('/store/'.length), version(path)]));
}
