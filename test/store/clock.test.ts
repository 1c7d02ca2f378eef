// Retention by age: a clock that is wrong drops no more than two days' worth, what is dropped is told, and what rested for long is dropped in time.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openStore } from '../../src/store/json-file.ts';
import { passed } from '../../src/store/passing.ts';
import { createFaultDisk, type FaultDisk } from '../support/fault-file-system.ts';
import { auditRecord, labelling } from './samples.ts';

const clock = suite('the clock of a store');

clock(
  'drops next to nothing of the audit log where it was 500 days ahead for a start, and all of it is there again afterwards',
  async () => {
    const disk = createFaultDisk();
    const said: string[] = [];
    await use(disk, 0, 60, said);
    const before = await entries(disk, 60);
    await use(disk, 60 + 500, 60 + 501, said);
    const after = await entries(disk, 61);
    assert.ok(before.length >= 30 * 4, String(before.length));
    const lost = before.filter((id) => !after.includes(id));
    // Five days of four: two for the jump, and two for each day that the store was in use since.
    assert.ok(lost.length <= 20, `${lost.length} of ${before.length}`);
  },
);

clock('drops what is older than it has to be as days go by, and tells what', async () => {
  const disk = createFaultDisk();
  const said: string[] = [];
  await use(disk, 0, 60, said);
  const kept = await entries(disk, 60);
  assert.ok(kept.length < 40 * 4, String(kept.length));
  assert.match(
    said.join('\n'),
    /\d+ records of audit were dropped, from 2026-01-\S+ to 2026-\S+, because they are kept for 30 days/,
  );
});

clock('makes up for what was not counted while the store rested, at twice the pace', () => {
  const day = 86_400_000;
  const at = (days: number) => new Date(days * day).toISOString();
  const start = passed(undefined, at(1000));
  const rested = passed(start, at(1100));
  assert.equal(rested, { time: 1002 * day, last: 1100 * day });
  let now = rested;
  for (let days = 1101; days <= 1200; days += 1) now = passed(now, at(days));
  assert.equal(now, { time: 1200 * day, last: 1200 * day });
});

clock('goes on from the right time when it was wrong in either direction', () => {
  const day = 86_400_000;
  const at = (days: number) => new Date(days * day).toISOString();
  const right = passed(undefined, at(1000));
  const ahead = passed(right, at(1500));
  const back = passed(ahead, at(1000.5));
  assert.is(back?.time, 1002 * day);
  assert.is(passed(back, at(1003))?.time, 1003 * day);
  const behind = passed(right, at(0));
  assert.is(behind?.time, 1000 * day);
  assert.is(passed(behind, at(1001))?.time, 1001 * day);
  assert.is(passed(right, 'no time'), right);
});

clock.run();

/** The store is used for some days, four commits a day, each with an entry. */
async function use(disk: FaultDisk, from: number, to: number, said: string[]): Promise<void> {
  let now = '';
  const store = await open(disk, () => now || timeOf(from), said);
  for (let day = from; day < to; day += 0.25) {
    now = timeOf(day);
    await store.commit(labelling('a', now, [auditRecord(`day-${day}`, now)]), { id: `day-${day}` });
  }
  await store.close();
}

/** All entries, as a store whose clock is right shows them. */
async function entries(disk: FaultDisk, day: number): Promise<string[]> {
  const store = await open(disk, () => timeOf(day), []);
  const found = await store.records({ stream: 'audit', limit: 10_000 });
  await store.close();
  return found.map(({ id }) => id);
}

function timeOf(day: number): string {
  return new Date(Date.parse('2026-01-01T00:00:00Z') + day * 86_400_000).toISOString();
}

function open(disk: FaultDisk, now: () => string, said: string[]) {
  const retention = { history: { count: 10 }, audit: { days: 30 } };
  const lock = async () => async () => {};
  const log = (message: string) => void said.push(message);
  return openStore('/store', { create: true, files: disk.files, lock, log, retention, snapshotBytes: 1500, now });
}
