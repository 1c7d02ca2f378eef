// The picture that a backup is made of, taken while the store turns its files over: of one moment, whatever moves meanwhile.
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { restore } from '../../../src/store/backup/restore.ts';
import { backUp } from '../../../src/store/backup/write.ts';
import { diskFileSystem, type FileSystem } from '../../../src/store/file-system.ts';
import { openStore } from '../../../src/store/json-file.ts';
import type { Store } from '../../../src/store/store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { historyRecord, labelling } from '../samples.ts';

const picture = suite('the picture of a store');

picture('is taken anew where records have moved, or are let go, after its files were listed', async () => {
  const here = temporaryFolder();
  const folder = join(here.path, 'store');
  const retention = { history: { count: 20 }, audit: { days: 30 } };
  const store = await openStore(folder, { create: true, log: () => {}, retention, snapshotBytes: 1500 });
  let kept = 0;
  const write = async (count: number) => {
    for (let nth = 0; nth < count; nth += 1) {
      kept += 1;
      await store.commit(labelling('a', String(kept), [historyRecord(`r-${kept}`)]), { id: `c-${kept}` });
    }
  };
  await write(40);
  let looks = 0;
  const files: FileSystem = {
    ...diskFileSystem,
    list: async (path) => {
      // The first look is at what is there; by the second, the snapshots and the journal are held.
      if (path === join(folder, 'records')) looks += 1;
      if (looks === 2) {
        looks += 1;
        await write(120);
      }
      return diskFileSystem.list(path);
    },
  };
  const out = join(here.path, 'backup.tar.gz');
  const { damage } = await backUp(folder, { out, at: '2026-11-21T10:00:00.000Z', madeBy: '0.1.0', files });
  assert.equal(damage, []);
  assert.ok(looks > 4, 'it looked again');
  const restored = join(here.path, 'restored');
  await restore(out, restored, { keys: { file: join(folder, 'secret.key') } });
  const again = await openStore(restored, {
    create: false,
    log: (line) => assert.unreachable(line),
    keys: { file: join(folder, 'secret.key') },
    retention,
  });
  assert.is(again.read().named('Stack', 'a')?.spec.label, '160');
  assert.equal(
    await newest(again),
    Array.from({ length: 20 }, (_, nth) => `r-${160 - nth}`),
  );
  await again.close();
  await store.close();
  await here.remove();
});

picture.run();

async function newest(store: Store): Promise<string[]> {
  return (await store.records({ stream: 'history', limit: 20 })).map(({ id }) => id);
}
