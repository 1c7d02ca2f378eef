// What every store engine promises of blobs; `conformance` asks it of each.
import { createHash } from 'node:crypto';
import * as assert from 'uvu/assert';
import { created, deleted } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { NotKept, type Store, type Transaction } from '../../src/store/store.ts';

type Tests = (sentence: string, body: (opened: Store) => Promise<void>) => void;

const at = '2026-01-01T00:00:00.000Z';
export const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);

/** A snapshot that names a blob. */
export function naming(id: string, content: string): Transaction {
  const spec = { team: 'core', instance: 'one', kind: 'manual', createdBy: { kind: 'user' }, modules: {}, content };
  const row = { kind: 'Snapshot', id, name: id, spec, generation: 1, createdAt: at, updatedAt: at };
  return () => ({ changes: [created(row as Resource<'Snapshot'>)] });
}

function dropping(id: string): Transaction {
  return (view) => {
    const before = view.get('Snapshot', id);
    return { changes: before ? [deleted(before)] : [] };
  };
}

export function blobPromises(test: Tests): void {
  test('keeps bytes by their SHA-256, once each, and gives them back', async (store) => {
    const first = await store.blobs.put(bytesOf('flows'));
    assert.is(first.name, createHash('sha256').update('flows').digest('hex'));
    assert.is((await store.blobs.put(bytesOf('flows'))).name, first.name);
    assert.is.not((await store.blobs.put(bytesOf('others'))).name, first.name);
    assert.is(textOf(await store.blobs.get(first.name)), 'flows');
    assert.is(textOf(await store.blobs.get((await store.blobs.put(bytesOf(''))).name)), '');
  });

  test('has no blob of another name, or of what is no name', async (store) => {
    for (const name of ['0'.repeat(64), '', '..', '../journal', 'A'.repeat(64)])
      assert.is(await store.blobs.get(name), undefined, name);
  });

  test('collects the blobs that nothing names and nobody holds, and no others', async (store) => {
    const [named, held, left] = await Promise.all(
      ['named', 'held', 'left'].map((text) => store.blobs.put(bytesOf(text))),
    );
    await store.commit(naming('a', named?.name ?? ''), { id: '1' });
    named?.release();
    left?.release();
    assert.is(await store.blobs.collect(), 1);
    const found = await Promise.all([named, held, left].map((blob) => store.blobs.get(blob?.name ?? '')));
    assert.equal(found.map(textOf), ['named', 'held', undefined]);
    held?.release();
    held?.release();
    await store.commit(dropping('a'), { id: '2' });
    assert.is(await store.blobs.collect(), 2);
    assert.is(await store.blobs.get(named?.name ?? ''), undefined);
  });

  test('holds a blob as often as it was put', async (store) => {
    const [one, two] = [await store.blobs.put(bytesOf('x')), await store.blobs.put(bytesOf('x'))];
    one.release();
    one.release();
    assert.is(await store.blobs.collect(), 0);
    two.release();
    assert.is(await store.blobs.collect(), 1);
  });

  test('loses nothing that is named while it is collected', async (store) => {
    const writer = async (writer: number) => {
      for (let round = 0; round < 10; round += 1) {
        const { name, release } = await store.blobs.put(bytesOf(`${(writer + round) % 5}`));
        await store.commit(naming(`${writer}`, name), { id: `${writer}-${round}` });
        release();
        assert.is(textOf(await store.blobs.get(name)), `${(writer + round) % 5}`);
        await store.commit(dropping(`${writer}`), { id: `${writer}-${round}-gone` });
      }
    };
    let done = false;
    const collecting = (async () => {
      for (; !done; await new Promise((resolve) => setImmediate(resolve))) await store.blobs.collect();
    })();
    await Promise.all(Array.from({ length: 6 }, (_, index) => writer(index)));
    done = true;
    await collecting;
    await store.blobs.collect();
    assert.is(await store.blobs.collect(), 0);
  });

  test('takes and collects no blobs once it is closed', async (store) => {
    const { name } = await store.blobs.put(bytesOf('before'));
    await store.close();
    for (const work of [() => store.blobs.put(bytesOf('after')), () => store.blobs.collect()])
      assert.instance(
        await work().then(
          () => undefined,
          (error: unknown) => error,
        ),
        NotKept,
      );
    assert.is(textOf(await store.blobs.get(name)), 'before');
  });
}
