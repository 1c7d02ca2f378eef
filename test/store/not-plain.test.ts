// Whatever stands where a file of a store should: nothing of it is waited for, and what cannot be is told with its path.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, cpSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkStore } from '../../src/store/check.ts';
import { openStore } from '../../src/store/json-file.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { auditRecord, labelling } from './samples.ts';

const notPlain = suite('a pipe in place of a file of a store');

const places = ['writing', 'reading', 'checking'] as const;

for (const place of places)
  notPlain(`holds up nothing: ${place}`, async () => {
    const here = temporaryFolder();
    const whole = join(here.path, 'whole');
    const store = await openStore(whole, { create: true, log: () => {}, snapshotBytes: 2048 });
    for (let nth = 0; nth < 60; nth += 1)
      await store.commit(labelling('a', `${nth}`, [auditRecord(`r${nth}`)]), { id: `${nth}` });
    await until('there are segments of records', () => filesOf(whole).some((name) => name.startsWith('records/')));
    await store.close();
    let told = 0;
    for (const name of filesOf(whole)) {
      const path = join(here.path, 'store');
      cpSync(whole, path, { recursive: true });
      const pipe = join(path, name);
      rmSync(pipe);
      execFileSync('mkfifo', ['-m', '600', pipe]);
      let outcome: unknown;
      void settled(place, path).then((end) => {
        outcome = end;
      });
      try {
        await until(`${place} ends with ${name} being a pipe`, () => outcome, { patienceMs: 15_000 });
      } finally {
        // Whoever waits for a writer has one now, so that a failing test ends.
        closeSync(openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK));
      }
      if (outcome instanceof Error) {
        assert.match(outcome.message, name.split('/').at(-1) ?? '', `${name}: ${outcome}`);
        assert.match(outcome.message, /no plain file|damaged/, name);
        told += 1;
      }
      rmSync(path, { recursive: true });
    }
    assert.ok(told > 0);
    await here.remove();
  });

async function settled(place: (typeof places)[number], path: string): Promise<unknown> {
  const read = async (store: Store) => {
    try {
      await store.records({ stream: 'audit', limit: 100 });
      return 'whole';
    } finally {
      await store.close();
    }
  };
  const log = () => {};
  try {
    if (place === 'checking') return await checkStore(path);
    return await read(await openStore(path, { create: false, readOnly: place === 'reading', log }));
  } catch (error) {
    return error;
  }
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
}

notPlain.run();
