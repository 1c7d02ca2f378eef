// The ids of recent commits: the last 10 000 are known, also to a snapshot that is written while ids come and go.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { created } from '../../src/core/model/change.ts';
import { openStore } from '../../src/store/json-file.ts';
import { createRecent } from '../../src/store/recent.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const remembering = suite('ids of recent commits');

const most = 10_000;

remembering('are the last 10 000 at least, and not many more', () => {
  const recent = createRecent();
  for (let seq = 1; seq <= 45_000; seq += 1) recent.add(`id-${seq}`, { seq, changes: [] });
  for (let seq = 45_000; seq > 45_000 - most; seq -= 1) assert.is(recent.get(`id-${seq}`)?.seq, seq);
  const known = [...recent.ids()];
  assert.ok(known.length <= 2 * most, `${known.length} ids`);
  assert.equal(
    known.map(([, seq]) => seq),
    known.map(([, seq]) => seq).toSorted((a, b) => a - b),
    'oldest first',
  );
});

remembering('are all told to whoever reads them while others come', () => {
  const recent = createRecent();
  let seq = 0;
  const add = () => {
    seq += 1;
    recent.add(`id-${seq}`, { seq, changes: [] });
  };
  for (let count = 0; count < 2 * most - 30; count += 1) add();
  const begun = seq;
  const told = new Set<string>();
  for (const [id] of recent.ids()) {
    told.add(id);
    if (seq < begun + most / 2) add();
  }
  const missing = Array.from({ length: most }, (_, nth) => `id-${begun - nth}`).filter((id) => !told.has(id));
  assert.is(missing.length, 0, `${missing.length} of the last ${most} are not told`);
});

remembering('are known after a start from a snapshot that was written meanwhile', async () => {
  const folder = temporaryFolder();
  const quiet = { create: true, log: () => {} };
  const at = '2026-11-21T10:00:00.000Z';
  const store = await openStore(folder.path, { ...quiet, snapshotBytes: 1 << 20 });
  const commit = (nth: number) =>
    store.commit(
      () => ({
        changes: [
          created({
            kind: 'User',
            id: `u-${nth}`,
            name: `u-${nth}`,
            spec: { email: `u${nth}@example.com` } as never,
            generation: 1,
            createdAt: at,
            updatedAt: at,
          }),
        ],
      }),
      { id: `commit-${nth}` },
    );
  const total = 26_000;
  for (let first = 0; first < total; first += 500)
    await Promise.all(Array.from({ length: 500 }, (_, nth) => commit(first + nth)));
  await store.close();
  const again = await openStore(folder.path, quiet);
  let repeated = 0;
  for (let nth = total - most; nth < total; nth += 1) {
    const receipt = await again.commit(() => ({ changes: [] }), { id: `commit-${nth}` });
    if (receipt.repeated) repeated += 1;
  }
  assert.is(repeated, most);
  await again.close();
  await folder.remove();
});

remembering.run();
