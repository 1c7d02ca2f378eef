// Secrets at rest: no file of a store or a backup holds one in clear, the key is made once and never replaced, a wrong one is told.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { type KindName, kindNames } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { patternsOf, sealedPlacesOf, sealedStepsBelow } from '../../src/core/model/sealed-places.ts';
import { restore } from '../../src/store/backup/restore.ts';
import { backUp } from '../../src/store/backup/write.ts';
import { diskFileSystem, type FileSystem } from '../../src/store/file-system.ts';
import { openStore } from '../../src/store/json-file.ts';
import { encodeLine } from '../../src/store/lines.ts';
import { openRow, sealKeyOf, sealRow } from '../../src/store/seal.ts';
import type { OpenOptions } from '../../src/store/setting.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { deviceNamed } from './samples.ts';

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
  await backUp(path, { out, at, madeBy: 'test' });
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
  const lines = [
    { weir: 'journal', version: 1, first: 1 },
    { from: 1, seq: 1, id: 'a', at, ops: [{ put: row }] },
  ];
  writeFileSync(join(path, 'journal-000000000001.jsonl'), lines.map(encodeLine).join(''));
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

sealing('are never written without a key, whoever opened the store', async () => {
  assert.throws(() => sealRow(rowOf('Device'), undefined), /a Device with secrets cannot be written: .* without a key/);
  assert.is(sealRow(rowOf('Stack'), undefined).sealed, undefined);
  const path = folder();
  const { keys: _, ...unsaid } = quiet;
  const told: string[] = [];
  const store = await openStore(path, { ...unsaid, onKeyMade: (...made) => told.push(...made) });
  await store.commit(() => ({ changes: [created(rowOf('Device'))] }), { id: 'a' });
  await store.close();
  for (const name of names(path)) assert.not.ok(readFileSync(join(path, name)).includes(canary), name);
  const made = readFileSync(join(path, 'secret.key'), 'utf8').trim();
  assert.equal(told, [join(path, 'secret.key'), idOf(made)]);
  await (await openStore(path, { ...unsaid, onKeyMade: (...made) => told.push(...made) })).close();
  assert.is(told.length, 2, 'told once');
});

sealing('are encrypted in steps by a long commit', async () => {
  const path = folder();
  const store = await openStore(path, quiet);
  const rows = Array.from({ length: 150 }, (_, index) => ({ ...rowOf('Device'), id: `id-${index}` }));
  await store.commit(
    function* () {
      yield;
      return { changes: rows.map((row) => created(row)), records: [] };
    },
    { id: 'long' },
  );
  await store.close();
  for (const name of names(path)) assert.not.ok(readFileSync(join(path, name)).includes(canary), name);
  const again = await openStore(path, quiet);
  assert.equal([...again.read().all('Device')], rows);
  await again.close();
});

sealing('that a long commit encrypts leave turns of the event loop to others in between', async () => {
  const count = 6000;
  const inTurns = new Map<number, number>();
  let turn = 0;
  const rows = Array.from({ length: count }, (_, index) => {
    const row = deviceNamed(`d-${index}`, '');
    // Encrypting reads it; showing and indexing do not.
    const read = () => {
      inTurns.set(turn, (inTurns.get(turn) ?? 0) + 1);
      return 'x'.repeat(4096);
    };
    Object.defineProperty(row.spec, 'credentialSecret', { get: read, enumerable: true });
    return row;
  });
  const store = await openStore(folder(), { ...quiet, keys: { text: one } });
  let isOver = false;
  const turning = (async () => {
    for (; !isOver; await nextTurn()) turn += 1;
  })();
  await store.commit(
    function* () {
      yield;
      return { changes: rows.map((row) => created(row)) };
    },
    { id: 'long' },
  );
  isOver = true;
  await turning;
  const reads = [...inTurns.values()];
  await store.close();
  const all = reads.reduce((sum, one) => sum + one, 0);
  assert.ok(all >= count);
  const most = Math.max(...reads);
  assert.ok(most < all / 3, `${most} of ${all} values were read for encrypting in one turn`);
});

sealing('are looked for in every type of schema, or refused', () => {
  for (const kind of kindNames) assert.ok(Array.isArray(patternsOf(kind)), kind);
  const text = z.string();
  for (const schema of [
    text.pipe(text),
    text.transform((value) => value),
    z.tuple([text]),
    z.intersection(z.object({}), z.object({})),
    z.map(text, text),
    z.set(text),
    z.lazy(() => text),
    z.promise(text),
    z.any(),
    z.unknown(),
    z.looseObject({}),
    z.object({}).catchall(text),
  ])
    assert.throws(
      () => [...sealedStepsBelow(z.object({ list: z.array(schema) }), [])],
      /cannot be looked for in a schema of type/,
    );
});

sealing('go into a backup by who has no key', async () => {
  const path = folder();
  const store = await openStore(path, { ...quiet, keys: { text: one } });
  await store.commit(() => ({ changes: [created(rowOf('Device'))] }), { id: 'a' });
  await store.close();
  const out = join(folder(), 'backup.tar.gz');
  await backUp(path, { out, at, madeBy: 'test' });
  const target = folder();
  await restore(out, target, { keys: { text: one } });
  const again = await openStore(target, { ...quiet, create: false, keys: { text: one } });
  assert.equal(again.read().get('Device', 'id-Device'), rowOf('Device'));
  await again.close();
});

sealing('are read with a key that was made, or changed, after it was first looked for', async () => {
  const path = folder();
  writeFileSync(join(path, 'key'), `${other}\n`, { mode: 0o600 });
  const store = join(path, 'store');
  const writer = await openStore(store, { ...quiet, keys: { text: one } });
  await writer.commit(() => ({ changes: [created(rowOf('Device'))] }), { id: 'a' });
  await writer.close();
  const keys = { file: join(path, 'key') };
  let looks = 0;
  // The key comes between the look for it and the look at what wants it.
  const files: FileSystem = {
    ...diskFileSystem,
    open: async (name, mode) => {
      if (name.includes('journal') && looks++ === 0) writeFileSync(join(path, 'key'), `${one}\n${other}\n`);
      return diskFileSystem.open(name, mode);
    },
  };
  const reader = await openStore(store, { ...quiet, create: false, readOnly: true, keys, files });
  assert.equal(reader.read().get('Device', 'id-Device'), rowOf('Device'));
  await reader.close();
  assert.ok(looks > 1);
});

sealing('want the file that was named, and never make it', async () => {
  const path = folder();
  const file = join(path, 'keys', 'key');
  for (const readOnly of [false, true]) {
    const error = await openStore(join(path, 'store'), { ...quiet, readOnly, keys: { file } }).catch((error) => error);
    assert.is(error.reason, 'key');
    assert.match(error.message, /there is no file .*: openssl rand -base64 32 > .*key; chmod 600 .*key$/);
  }
  assert.not.ok(names(path).some((name) => name.includes('key') || name.includes('journal')));
});

if (process.platform !== 'win32')
  sealing('refuse a key file that everybody may write, and warn of one that everybody may read', async () => {
    const path = folder();
    const file = join(path, 'key');
    writeFileSync(file, `${one}\n`);
    const said: string[] = [];
    const open = () => openStore(join(path, 'store'), { ...quiet, keys: { file }, log: (line) => said.push(line) });
    chmodSync(file, 0o666);
    const error = await open().catch((error) => error);
    assert.is(error.reason, 'key');
    assert.match(error.message, /everybody on this machine may write to it.*chmod 600/);
    chmodSync(file, 0o644);
    await (await open()).close();
    assert.ok(
      said.some((line) => line === `${file}: everybody on this machine may read the key of the store: run chmod 600`),
    );
    said.length = 0;
    chmodSync(file, 0o600);
    await (await open()).close();
    assert.equal(said, []);
  });

sealing('refuse a key file that is no key', async () => {
  const path = folder();
  writeFileSync(join(path, 'secret.key'), 'not a key\n');
  const error = await openStore(path, quiet).catch((error) => error);
  assert.is(error.reason, 'key');
  assert.match(error.message, /not 32 bytes in Base64/);
});

sealing('have one key though several make the store at once', async () => {
  const path = folder();
  const all = await Promise.allSettled(Array.from({ length: 5 }, () => openStore(path, quiet)));
  const opened = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  assert.is(opened.length, 1);
  for (const one of all) if (one.status === 'rejected') assert.is(one.reason.reason, 'locked');
  await opened[0]?.commit(() => ({ changes: [created(rowOf('Device'))] }), { id: 'a' });
  await opened[0]?.close();
  assert.is(Buffer.from(readFileSync(join(path, 'secret.key'), 'utf8'), 'base64').length, 32);
  const again = await openStore(path, quiet);
  assert.equal(again.read().get('Device', 'id-Device'), rowOf('Device'));
  await again.close();
});

sealing('want a key file that is whole: cut anywhere it is refused, and left as it is', async () => {
  const path = folder();
  await (await openStore(path, { ...quiet, keys: { text: one } })).close();
  const file = join(path, 'secret.key');
  const whole = `${other}\n${one}\n`;
  for (let length = 0; length < whole.length - 1; length += 1) {
    const cut = whole.slice(0, length);
    for (const text of [cut, `${cut}${'\0'.repeat(whole.length - length)}`]) {
      writeFileSync(file, text, { mode: 0o600 });
      for (const readOnly of [false, true]) {
        const error = await openStore(path, { ...quiet, create: !readOnly, readOnly }).catch((error) => error);
        assert.is(error.reason, 'key', `${length}: ${error}`);
      }
      assert.is(readFileSync(file, 'utf8'), text);
    }
  }
  writeFileSync(file, whole.slice(0, -1));
  await (await openStore(path, quiet)).close();
});

sealing('that are put elsewhere in a file are told as damage, and never taken for what they are not', async () => {
  const key = sealKeyOf(Buffer.from(String(one), 'base64'));
  const [a, b] = ['a', 'b'].map((name) => sealRow(deviceNamed(name, `${canary}-${name}`), key));
  if (!a || !b) throw new Error('there are two');
  const secretOf = ({ row }: typeof a) => (row as Resource<'Device'>).spec.credentialSecret;
  const withSecret = (sealed: typeof a, credentialSecret: string | undefined) => ({
    put: { ...sealed.row, spec: { ...sealed.row.spec, credentialSecret } },
    sealed: sealed.sealed,
  });
  const named = { weir: 'journal', version: 2, first: 1, key: key.id };
  const { key: _, ...unnamed } = named;
  const swapped = withSecret(a, secretOf(b));
  const cut = withSecret(a, secretOf(a)?.slice(0, -4));
  const inClear = withSecret(a, canary);
  const elsewhere = { ...withSecret(a, secretOf(a)), sealed: [['name']] };
  const nowhere = { ...withSecret(a, secretOf(a)), sealed: [['spec', 'none', 'at', 'all']] };
  const cases: readonly (readonly [object, object])[] = [
    ...[swapped, cut, inClear, elsewhere, nowhere].map((op) => [named, op] as const),
    [unnamed, withSecret(a, secretOf(a))],
    [{ ...unnamed, version: 1 }, withSecret(a, secretOf(a))],
  ];
  for (const [header, op] of cases) {
    const path = folder();
    const line = { from: 1, seq: 1, id: 'a', at, ops: [op] };
    writeFileSync(join(path, 'journal-000000000001.jsonl'), [header, line].map(encodeLine).join(''));
    const error = await openStore(path, { ...quiet, keys: { text: one } }).catch((error) => error);
    assert.is(error.reason, 'damaged', JSON.stringify([header, op]));
    assert.not.ok(String(error.message).includes(canary));
  }
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
