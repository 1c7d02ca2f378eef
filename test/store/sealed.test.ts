// Secrets at rest: no file of a store or a backup holds one in clear, the key is made once and never replaced, a wrong one is told.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type KindName, kindNames } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { patternsOf, sealedPlacesOf } from '../../src/core/model/sealed-places.ts';
import { restore } from '../../src/store/backup/restore.ts';
import { backUp } from '../../src/store/backup/write.ts';
import { type OpenOptions, openStore } from '../../src/store/json-file.ts';
import { openRow, sealKeyOf, sealRow } from '../../src/store/seal.ts';
import { StoreUnavailable } from '../../src/store/store.ts';

const sealing = suite('secrets at rest');
const canary = 'weir:1:canary-in-the-clear';
const at = '2026-01-01T00:00:00.000Z';
const folders: string[] = [];
const quiet = { create: true, log: () => {}, keys: {} };
const [one, other] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));

sealing('are found in every kind, in bookkeeping and below lists too', () => {
  const found = kindNames.flatMap((kind) => patternsOf(kind).map((steps) => `${kind}/${steps.join('/')}`));
  for (const place of [
    'Instance/credentialSecret',
    'Instance/restore/credentialSecret',
    'Instance/started/options/npmrc/value',
    'Instance/started/options/httpAuth/password/value',
    'Instance/options/httpAuth/password/value',
    'Device/credentialSecret',
  ])
    assert.ok(found.includes(place), place);
  for (const field of ['SsoConfig/ldap', 'Template/', 'Platform/', 'Platform/notifications'])
    assert.ok(
      found.some((place) => place.startsWith(field)),
      `${field}: ${found.join(' ')}`,
    );
  assert.not.ok(
    found.some((place) => place.startsWith('Session') || place.startsWith('User')),
    'hashes stay',
  );
});

sealing('stand in no file of a store, nor of its backup, and come back as they were', async () => {
  const path = folder();
  const rows = kindNames.filter((kind) => patternsOf(kind).length > 0).map(rowOf);
  assert.ok(rows.length >= 5);
  const store = await openStore(path, { ...quiet, snapshotBytes: 1 });
  const { name } = await store.blobs.put(Buffer.from('a snapshot'));
  for (const { spec } of rows as { spec: { restore?: { content?: string } } }[])
    if (spec.restore) spec.restore.content = name;
  for (const row of rows) await store.commit(() => ({ changes: [created(row)] }), { id: row.id });
  for (const row of rows) assert.equal(store.read().get(row.kind, row.id), row);
  const out = join(folder(), 'backup.tar.gz');
  await backUp(path, { out, at, madeBy: 'test', keys: {} });
  await store.close();
  for (const name of names(path)) assert.not.ok(readFileSync(join(path, name)).includes(canary), name);
  const bytes = gunzipSync(readFileSync(out));
  assert.not.ok(bytes.includes(canary));
  assert.not.ok(bytes.includes(readFileSync(join(path, 'secret.key'), 'utf8').trim()));
  const target = folder();
  const error = await restore(out, target).catch((error) => error);
  assert.is(error.reason, 'key');
  await restore(out, target, { keys: { file: join(path, 'secret.key') } });
  for (const [where, keys] of [
    [path, {}],
    [target, { file: join(path, 'secret.key') }],
  ] as const) {
    const again = await openStore(where, { ...quiet, create: false, keys });
    for (const row of rows) assert.equal(again.read().get(row.kind, row.id), row);
    await again.close();
  }
});

sealing('have a key that is made once, private, and not by who only reads', async () => {
  const path = folder();
  await (await openStore(path, quiet)).close();
  const file = join(path, 'secret.key');
  const made = readFileSync(file, 'utf8');
  assert.is(Buffer.from(made, 'base64').length, 32);
  if (process.platform !== 'win32') assert.is(statSync(file).mode & 0o777, 0o600);
  await (await openStore(path, quiet)).close();
  assert.is(readFileSync(file, 'utf8'), made);
  rmSync(file);
  for (const readOnly of [true, false]) {
    const error = await openStore(path, { ...quiet, create: !readOnly, readOnly }).catch((error) => error);
    assert.instance(error, StoreUnavailable);
    assert.is(error.reason, 'key');
    assert.match(
      error.message,
      /encrypted with the key [0-9a-f]{8}, and that is not in .*secret\.key, which is not there: put it there, or name its file with --secret-key-file/,
    );
    assert.not.ok(names(path).includes('secret.key'));
  }
});

sealing('are told when the key is another one, or none', async () => {
  const path = folder();
  const text = (value: string | undefined): OpenOptions => ({ ...quiet, create: false, keys: { text: value } });
  await (await openStore(path, { ...text(one), create: true })).close();
  const error = await openStore(path, text(other)).catch((error) => error);
  assert.is(error.reason, 'key');
  assert.match(error.message, new RegExp(`${idOf(one)}, and that is not in WEIR_SECRET_KEY, which has ${idOf(other)}`));
  for (const bad of ['', 'short', `${one}x`]) {
    const error = await openStore(path, text(bad)).catch((error) => error);
    assert.is(error.reason, 'key', bad);
    assert.not.ok(error.message.includes(String(one)));
  }
});

sealing('are encrypted anew with the first of several keys, and the old one can go then', async () => {
  const path = folder();
  const row = rowOf('Device');
  const first = await openStore(path, { ...quiet, keys: { text: one } });
  await first.commit(() => ({ changes: [created(row)] }), { id: 'a' });
  await first.close();
  await (await openStore(path, { ...quiet, keys: { text: `${other},${one}` } })).close();
  const store = await openStore(path, { ...quiet, keys: { text: other } });
  assert.equal(store.read().get('Device', row.id), row);
  await store.close();
});

sealing('that stood in clear are encrypted as the store is opened', async () => {
  const path = folder();
  const row = rowOf('Device');
  const { keys: _, ...clear } = quiet;
  const before = await openStore(path, clear);
  await before.commit(() => ({ changes: [created(row)] }), { id: 'a' });
  await before.close();
  assert.ok(names(path).some((name) => readFileSync(join(path, name)).includes(canary)));
  for (let turn = 0; turn < 4; turn += 1) {
    const store = await openStore(path, { ...quiet, snapshotBytes: 1 });
    assert.equal(store.read().get('Device', row.id), row);
    await store.commit(() => ({ changes: [created({ ...row, id: `more-${turn}` })] }), { id: `more-${turn}` });
    await store.close();
  }
  for (const name of names(path)) assert.not.ok(readFileSync(join(path, name)).includes(canary), name);
});

sealing('open in their own place only', () => {
  const key = sealKeyOf(Buffer.alloc(32, 1));
  const row = rowOf('Device');
  const sealed = sealRow(row, key);
  assert.equal(openRow(structuredClone(sealed), key), row);
  assert.throws(() =>
    openRow({ ...structuredClone(sealed), row: { ...structuredClone(sealed.row), id: 'else' } }, key),
  );
  const plain = rowOf('Stack');
  assert.is(sealRow(plain, key).row, plain);
});

sealing('refuse a key file that is no key', async () => {
  const path = folder();
  writeFileSync(join(path, 'secret.key'), 'not a key\n');
  const error = await openStore(path, quiet).catch((error) => error);
  assert.is(error.reason, 'key');
  assert.match(error.message, /not 32 bytes in Base64/);
});

sealing.after(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});
sealing.run();

/** A resource with a canary wherever its kind may have a secret; lists and maps have one item. */
function rowOf(kind: KindName): Resource {
  const spec = {};
  for (const steps of patternsOf(kind)) put(spec, steps);
  const row = { kind, id: `id-${kind}`, name: kind.toLowerCase(), spec, generation: 1, createdAt: at, updatedAt: at };
  assert.is(sealedPlacesOf(row as unknown as Resource).length, patternsOf(kind).length, kind);
  return row as unknown as Resource;
}

// biome-ignore lint/suspicious/noExplicitAny: a spec in the making
function put(into: any, [step = '', ...rest]: readonly string[]): void {
  const name = step === '*' ? '0' : step;
  if (rest.length === 0) into[name] = canary;
  else {
    into[name] ??= rest[0] === '*' ? [] : {};
    put(into[name], rest);
  }
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'weir-sealed-'));
  folders.push(path);
  return path;
}

function names(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));
}

function idOf(text: string | undefined): string {
  return sealKeyOf(Buffer.from(text ?? '', 'base64')).id;
}
