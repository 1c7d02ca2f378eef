// The log files of runtimes: turned over, and read across the turn.
import { appendFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { turnOver } from '../../src/drivers/local/log-file.ts';
import { readLog } from '../../src/drivers/local/read-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const logs = suite('a log file');

const fresh = () => join(temporaryFolder().path, 'runtime.log');
const text = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join('');

async function readAll(path: string, limit: number): Promise<string[]> {
  const read: string[] = [];
  for (let before: number | undefined, more = true; more; ) {
    const page = await readLog(path, { limit, before });
    assert.ok(page.lines.length <= limit);
    read.unshift(...page.lines.map(({ message }) => message));
    before = page.next;
    more = before !== undefined;
  }
  return read;
}

logs('is turned over when it is too long, and read as one', async () => {
  const path = fresh();
  appendFileSync(path, text(0, 10));
  assert.equal([await turnOver(path, 1000), readdirSync(join(path, '..'))], [0, ['runtime.log']]);
  assert.is(await turnOver(path, 50), 0);
  appendFileSync(path, text(10, 15));
  for (const limit of [1, 2, 3, 7, 100])
    assert.equal(await readAll(path, limit), text(0, 15).trim().split('\n'), `${limit} a page`);
  assert.is((await readLog(path, { limit: 1 })).count, 15);
});

logs('loses nothing, and tells nothing twice, at whatever step of a turn Weir is killed', async () => {
  const lines = text(0, 15).trim().split('\n');
  for (const [step, files] of Object.entries({
    'half copied': { 'runtime.log': text(0, 15), 'runtime.log.new': text(0, 4) },
    'copied, not cut': { 'runtime.log': text(0, 15), 'runtime.log.turning.0': text(0, 14) },
    'cut, not named': { 'runtime.log': text(14, 15), 'runtime.log.turning.0': text(0, 14) },
    'cut, and nothing written since': { 'runtime.log': '', 'runtime.log.turning.0': text(0, 15) },
    'the end of a long one copied': {
      'runtime.log': text(5, 15),
      [`runtime.log.0`]: text(0, 5),
      [`runtime.log.turning.${text(0, 8).length}`]: text(8, 15),
    },
    'the older one not deleted': {
      'runtime.log': text(14, 15),
      'runtime.log.0': text(0, 14),
    },
  })) {
    const path = fresh();
    for (const [name, content] of Object.entries(files)) appendFileSync(join(path, '..', name), content);
    assert.equal(await readAll(path, 4), lines, step);
    assert.is((await readLog(path, { limit: 1 })).count, 15, step);
    await turnOver(path, 50);
    assert.is((await readAll(path, 4)).at(-1), 'line 14', step);
    const left = readdirSync(join(path, '..')).filter((name) => /turning/.test(name));
    assert.equal(left, [], step);
  }
});

logs('is counted once: a page costs what was written since', async () => {
  const path = fresh();
  appendFileSync(path, 'a line\n'.repeat(3_000_000));
  const cpuOf = async () => {
    const begin = process.cpuUsage();
    const { count } = await readLog(path, { limit: 1 });
    const { user, system } = process.cpuUsage(begin);
    return { count, cpu: user + system };
  };
  const first = await cpuOf();
  appendFileSync(path, 'a line\n');
  const second = await cpuOf();
  assert.equal([first.count, second.count], [3_000_000, 3_000_001]);
  assert.ok(second.cpu < first.cpu / 4, `${second.cpu} µs after ${first.cpu} µs`);
});

logs('keeps its end where more was written than is kept', async () => {
  const path = fresh();
  appendFileSync(path, text(0, 100));
  const lost = await turnOver(path, 100);
  assert.is(lost, text(0, 100).length - 200);
  const kept = await readAll(path, 10);
  assert.is(kept.at(-1), 'line 99');
  const sizes = readdirSync(join(path, '..')).map((name) => statSync(join(path, '..', name)).size);
  assert.equal(
    sizes.sort((a, b) => a - b),
    [0, 200],
  );
});

logs('gives a page that was begun before it was turned over', async () => {
  const path = fresh();
  appendFileSync(path, text(0, 10));
  const { next } = await readLog(path, { limit: 4 });
  await turnOver(path, 40);
  appendFileSync(path, text(10, 20));
  assert.equal(
    (await readLog(path, { limit: 2, before: next })).lines.map(({ message }) => message),
    ['line 4', 'line 5'],
  );
  await turnOver(path, 40);
  assert.equal((await readLog(path, { limit: 2, before: next })).lines, [], 'it is gone by now');
});

logs('tells when and how grave a line is, where the runtime says so', async () => {
  const path = fresh();
  appendFileSync(path, '2026-11-21T10:00:00.000Z warn  [inject:x] hm\n  more\nplain\r\n2026 error no\nnot ended');
  assert.equal((await readLog(path, { limit: 10 })).lines, [
    { at: '2026-11-21T10:00:00.000Z', level: 'warn', message: '[inject:x] hm' },
    { message: '  more' },
    { message: 'plain' },
    { message: '2026 error no' },
  ]);
});

logs('shows the beginning of a line without end, and never more than a page should hold', async () => {
  const path = fresh();
  appendFileSync(path, `${'a'.repeat(100_000)}\nshort\n${'b'.repeat(5_000_000)}\n`);
  const { lines } = await readLog(path, { limit: 3 });
  assert.ok(lines.every(({ message }) => message.length <= 8192));
  assert.equal((await readAll(path, 2)).length > 0, true);
});

logs.run();
