// What is kept of what instances used: a day in samples, a month in averages, in a file that does not grow.
import { mkdir, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mostStretches, openHistory, type Sample } from '../../src/monitor/history.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A file that has a record in each of its places, in bytes: 24 hours of samples, and 30 days of averages. */
const wholeBytes = 403_200;

const past = suite('the past of instances');
const folders: ReturnType<typeof temporaryFolder>[] = [];
past.after(async () => {
  for (const folder of folders) await folder.remove();
});

function place(): string {
  const folder = temporaryFolder();
  folders.push(folder);
  return join(folder.path, 'usage');
}

/** A moment at which windows of any length begin. */
const noon = 1_790_000_000 - (1_790_000_000 % 3600);
const day = 86_400;

const sample = (at: number, memoryBytes = 1000, cpuPercent?: number): Sample => ({ at, memoryBytes, cpuPercent });

past('is told as it was measured, also before it is written and by the next process', async () => {
  const folder = place();
  const history = openHistory(folder);
  history.add('a', sample(noon, 1024));
  history.add('a', sample(noon + 15, 2048, 12.5));
  const expected = {
    seconds: 15,
    stretches: [
      { at: noon, memoryBytes: 1024, memoryPeakBytes: 1024 },
      { at: noon + 15, memoryBytes: 2048, memoryPeakBytes: 2048, cpuPercent: 12.5, cpuPeakPercent: 12.5 },
    ],
  };
  const span = { from: noon, to: noon + 3600 };
  assert.equal(await history.read('a', span), expected);
  assert.equal(await openHistory(folder).read('a', span), expected);
  assert.equal(await history.read('b', span), { seconds: 15, stretches: [] });
  assert.equal(await readdir(folder), ['a']);
  assert.is((await stat(join(folder, 'a'))).mode & 0o777, 0o600);
});

past('is told in longer stretches the longer the span is, with averages and peaks', async () => {
  const history = openHistory(place());
  for (let nth = 0; nth < 4 * 240; nth++) history.add('a', sample(noon + nth * 15, nth % 2 ? 300 : 100, nth % 4));
  const secondsFor = async (length: number) => {
    const { seconds, stretches } = await history.read('a', { from: noon, to: noon + length });
    assert.ok(stretches.length <= mostStretches);
    for (const { memoryBytes, memoryPeakBytes, cpuPercent, cpuPeakPercent } of stretches)
      if (seconds > 15) assert.equal([memoryBytes, memoryPeakBytes, cpuPercent, cpuPeakPercent], [200, 300, 1.5, 3]);
    return [seconds, stretches.length];
  };
  assert.equal(await secondsFor(4 * 3600), [15, 960]);
  assert.equal(await secondsFor(5 * 3600), [60, 240]);
  assert.equal(await secondsFor(3 * day), [300, 48]);
  assert.equal(await secondsFor(10 * day), [900, 16]);
  assert.equal(await secondsFor(30 * day), [3600, 4]);
  assert.equal(await secondsFor(100_000 * day), [3600, 4]);
});

past('tells what the disk was, also where a file of an older version has no place for that', async () => {
  const folder = place();
  const history = openHistory(folder);
  history.add('a', sample(noon, 1024));
  await history.flush('a');
  history.add('a', { ...sample(noon + 300, 1024), diskBytes: 4096 });
  history.add('a', { ...sample(noon + 330, 1024), diskBytes: 8192 });
  const disks = async (span: { readonly from: number; readonly to: number }) =>
    (await history.read('a', span)).stretches.map(({ diskBytes }) => diskBytes);
  assert.equal(await disks({ from: noon, to: noon + 3600 }), [undefined, 8192, 8192]);
  assert.equal(await disks({ from: noon, to: noon + 30 * day }), [8192]);
});

past('keeps a day of samples and a month of averages, and no file grows', async () => {
  const folder = place();
  const history = openHistory(folder);
  const begin = noon - 40 * day;
  for (let at = begin; at < noon; at += 15) {
    history.add('a', sample(at, 4096, 50));
    if ((at - begin) % 3600 === 0) await history.flush('a');
  }
  await history.flush('a');
  assert.ok((await stat(join(folder, 'a'))).size <= wholeBytes);
  const fine = await history.read('a', { from: noon - 15_000, to: noon });
  assert.equal([fine.seconds, fine.stretches.length], [15, 1000]);
  const old = await history.read('a', { from: noon - 5 * day, to: noon - 5 * day + 3600 });
  assert.equal(old.stretches, [], 'samples of five days ago are gone');
  const month = await history.read('a', { from: noon - 40 * day, to: noon });
  assert.equal([month.seconds, month.stretches.length], [3600, 720]);
  assert.equal(month.stretches[0], {
    at: noon - 30 * day,
    memoryBytes: 4096,
    memoryPeakBytes: 4096,
    cpuPercent: 50,
    cpuPeakPercent: 50,
  });
});

past('completes an average that another process began', async () => {
  const folder = place();
  for (let nth = 0; nth < 20; nth++) {
    const history = openHistory(folder);
    history.add('a', sample(noon + nth * 15, nth * 100));
    await history.flush('a');
  }
  const { stretches } = await openHistory(folder).read('a', { from: noon - 3 * day, to: noon + 300 });
  assert.equal(stretches, [{ at: noon, memoryBytes: 950, memoryPeakBytes: 1900 }]);
});

past('survives a clock that is set, and a file that was cut or overwritten', async () => {
  const folder = place();
  const history = openHistory(folder);
  for (const at of [noon, noon + 365 * day, noon + 15, noon - 365 * day, noon + 30]) history.add('a', sample(at));
  await history.flush('a');
  const times = async () => {
    const { stretches } = await openHistory(folder).read('a', { from: noon, to: noon + 3600 });
    return stretches.map(({ at }) => at - noon);
  };
  assert.equal((await times()).slice(-2), [15, 30]);
  const path = join(folder, 'a');
  await truncate(path, 7);
  assert.equal(await times(), []);
  history.add('a', sample(noon + 45));
  await history.flush('a');
  assert.equal(await times(), [45]);
  await writeFile(path, Buffer.alloc(wholeBytes, 0x5a));
  assert.equal(await times(), []);
});

past('keeps what cannot be written for a while, and writes it when it can', async () => {
  const folder = place();
  const history = openHistory(folder);
  await writeFile(folder, 'in the way');
  history.add('a', sample(noon));
  await history.flush('a').then(
    () => assert.unreachable(),
    () => {},
  );
  for (let nth = 1; nth < 500; nth++) history.add('a', sample(noon + nth * 15));
  await history.flush('a').catch(() => {});
  await rm(folder);
  history.add('a', sample(noon + 500 * 15));
  await history.flush('a');
  const { stretches } = await history.read('a', { from: noon, to: noon + 4 * 3600 });
  assert.is(stretches.length, 241, 'an hour of them');
});

past('goes with the instance, and names no file outside its folder', async () => {
  const folder = place();
  const history = openHistory(folder);
  for (const id of ['a', 'b', 'c']) history.add(id, sample(noon));
  for (const id of history.waiting()) await history.flush(id);
  await mkdir(join(folder, '.other'));
  await history.forget('a');
  await history.forget('a');
  await history.keepOnly((id) => id === 'b');
  assert.equal((await readdir(folder)).sort(), ['.other', 'b']);
  for (const id of ['../x', '.', '', 'a/b'])
    await history.read(id, { from: 0, to: 1 }).then(
      () => assert.unreachable(id),
      ({ message }) => assert.match(message, 'is no id of an instance'),
    );
});

past.run();
