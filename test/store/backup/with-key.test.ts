// The key of a store and its backups: which it takes to restore one is told by its id, and it is in one only where that was asked for.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { created } from '../../../src/core/model/change.ts';
import { restore } from '../../../src/store/backup/restore.ts';
import { backUp } from '../../../src/store/backup/write.ts';
import { diskFileSystem, type FileSystem } from '../../../src/store/file-system.ts';
import { openStore } from '../../../src/store/json-file.ts';
import { rekey } from '../../../src/store/rekey.ts';
import { sealKeyOf } from '../../../src/store/seal.ts';
import { deviceNamed } from '../samples.ts';

const keys = suite<{ path: string }>('a backup and the key of its store');
const made = { at: '2026-01-01T00:00:00.000Z', madeBy: 'test' };

keys.before.each(async (context) => {
  context.path = mkdtempSync(join(tmpdir(), 'weir-with-key-'));
  const store = await openStore(join(context.path, 'store'), { create: true, log: () => {} });
  await store.commit(() => ({ changes: [created(deviceNamed('d', 'canary-in-clear'))] }), { id: 'a' });
  await store.close();
});
keys.after.each(({ path }) => rmSync(path, { recursive: true, force: true }));

keys('holds it where that was asked for, and is restored with nothing else', async ({ path }) => {
  const [store, out, target] = ['store', 'b.tar.gz', 'target'].map((name) => join(path, name)) as [
    string,
    string,
    string,
  ];
  const key = readFileSync(join(store, 'secret.key'), 'utf8');
  const { heading, files } = await backUp(store, { ...made, out, withKeys: {} });
  assert.equal(heading.keys, [idOf(key)]);
  assert.ok(files.some((file) => file.path === 'store/secret.key'));
  const { keyPath } = await restore(out, target);
  assert.is(keyPath, join(target, 'secret.key'));
  assert.is(readFileSync(String(keyPath), 'utf8'), key);
  if (process.platform !== 'win32') assert.is(statSync(String(keyPath)).mode & 0o777, 0o600);
  await holds(target);
});

keys('does not hold it else, and wants it by its id before anything is written', async ({ path }) => {
  const [store, out, target] = ['store', 'b.tar.gz', 'target'].map((name) => join(path, name)) as [
    string,
    string,
    string,
  ];
  const key = readFileSync(join(store, 'secret.key'), 'utf8').trim();
  const { heading } = await backUp(store, { ...made, out });
  assert.equal(heading.keys, [idOf(key)]);
  assert.not.ok(gunzipSync(readFileSync(out)).includes(key));
  const calls: string[] = [];
  const files: FileSystem = {
    ...diskFileSystem,
    makeFolder: async (name) => void calls.push(name),
    open: (name, mode) => {
      if (mode !== 'read') calls.push(name);
      return diskFileSystem.open(name, mode);
    },
  };
  const error = await restore(out, target, { files }).catch((error) => error);
  assert.is(error.reason, 'key');
  assert.match(error.message, `the secrets in ${out} are encrypted with the key ${idOf(key)}, and that is not in`);
  assert.equal(calls, []);
  assert.not.ok(existsSync(target));
});

keys(
  'that came with it is not put beside another that opens it, nor in the place of one that does not',
  async ({ path }) => {
    const [store, out] = ['store', 'b.tar.gz'].map((name) => join(path, name)) as [string, string];
    await backUp(store, { ...made, out, withKeys: {} });
    const { keyPath } = await restore(out, join(path, 'one'), { keys: { file: join(store, 'secret.key') } });
    assert.is(keyPath, undefined);
    assert.not.ok(existsSync(join(path, 'one/secret.key')));
    const text = Buffer.alloc(32, 7).toString('base64');
    const error = await restore(out, join(path, 'two'), { keys: { text } }).catch((error) => error);
    assert.is(error.reason, 'key');
    assert.match(error.message, `which is in it, and WEIR_SECRET_KEY holds ${idOf(text)}`);
    assert.not.ok(existsSync(join(path, 'two')));
  },
);

keys('that is not at hand is told, and nothing is left', async ({ path }) => {
  const [store, out] = ['store', 'b.tar.gz'].map((name) => join(path, name)) as [string, string];
  const text = Buffer.alloc(32, 7).toString('base64');
  const error = await backUp(store, { ...made, out, withKeys: { text } }).catch((error) => error);
  assert.is(error.reason, 'key');
  assert.not.ok(existsSync(out) || existsSync(`${out}.tmp`));
});

keys(
  'is the one of then: a backup from before another key was made is opened with what was set aside',
  async ({ path }) => {
    const [store, out] = ['store', 'b.tar.gz'].map((name) => join(path, name)) as [string, string];
    await backUp(store, { ...made, out });
    const { formerPath = '' } = await rekey(store);
    await restore(out, join(path, 'then'), { keys: { file: formerPath } });
    await holds(join(path, 'then'), { file: formerPath });
  },
);

keys('is in it though another is made while the picture is taken', async ({ path }) => {
  const [store, out, target] = ['store', 'b.tar.gz', 'target'].map((name) => join(path, name)) as [
    string,
    string,
    string,
  ];
  let isDone = false;
  const files: FileSystem = {
    ...diskFileSystem,
    open: async (name, mode) => {
      if (!isDone && name.includes('journal-')) {
        isDone = true;
        await rekey(store);
      }
      return diskFileSystem.open(name, mode);
    },
  };
  await backUp(store, { ...made, out, withKeys: {}, files });
  assert.ok(isDone);
  await restore(out, target);
  await holds(target);
});

keys('that is none, or is far too long, is refused in words', async ({ path }) => {
  const [store, out] = ['store', 'b.tar.gz'].map((name) => join(path, name)) as [string, string];
  for (const [text, says] of [
    ['no key', /the backup .* cannot be used: it holds something that is not 32 bytes in Base64/],
    ['x'.repeat(1 << 17), /its store\/secret\.key is too long to hold keys/],
  ] as const) {
    const others = async function* () {
      const bytes = Buffer.from(text);
      const content = (async function* () {
        yield bytes;
      })();
      yield { path: 'store/secret.key', open: async () => ({ size: bytes.length, content, close: async () => {} }) };
    };
    rmSync(out, { force: true });
    await backUp(store, { ...made, out, others });
    const error = await restore(out, join(path, 'target')).catch((error) => error);
    assert.match(error.message, says);
    assert.not.ok(existsSync(join(path, 'target')));
  }
});

keys.run();

function idOf(text: string): string {
  return sealKeyOf(Buffer.from(text, 'base64')).id;
}

async function holds(path: string, source = {}): Promise<void> {
  const store = await openStore(path, { create: false, log: () => {}, keys: source });
  assert.is(store.read().get('Device', 'id-d')?.spec.credentialSecret, 'canary-in-clear');
  await store.close();
}
