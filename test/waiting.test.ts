// The words that all tests wait, listen and measure with.
import { fork } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cpuTime } from './support/cpu-time.ts';
import { freePort } from './support/free-port.ts';
import { temporaryFolder, writeFiles } from './support/temporary-folder.ts';
import { eventually, until } from './support/until.ts';

const words = suite('the words of tests');

words('until answers the first thing that there is to see, nought and an empty text too', async () => {
  const seen = [undefined, null, false, 0];
  assert.is(await until('a number comes', () => seen.shift()), 0);
  assert.is(await until('a text comes', async () => ''), '');
});

words('until says what it waited for, and what there was instead', async () => {
  const options = { patienceMs: 20, now: () => ({ state: 'starting' }) };
  const error = await until('the instance runs', () => false, options).catch((error: Error) => error.message);
  assert.is(error, 'waited 0.02 s in vain until the instance runs; now: {"state":"starting"}');
});

words('until looks once more after the deadline, and does not swallow what looking throws', async () => {
  let looks = 0;
  const slow = () => {
    looks += 1;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    return looks === 2;
  };
  assert.is(await until('the second look', slow, { patienceMs: 10 }), true);
  const thrown = await until('nothing', () => assert.unreachable('broken')).catch((error) => error.message);
  assert.is(thrown, 'broken');
});

words('eventually tries assertions until they hold, and fails with the last one that did not', async () => {
  let tries = 0;
  await eventually(() => assert.is(++tries, 3));
  const error = await eventually(() => assert.is(++tries, 0), { patienceMs: 20 }).catch((error) => error);
  assert.instance(error, assert.Assertion);
});

words('gives a port to nobody twice, in other processes neither, and one that can be listened on', async () => {
  const { path } = temporaryFolder();
  const source = JSON.stringify(join(import.meta.dirname, 'support/free-port.ts'));
  const script = `const { freePort } = await import(${source});
const ports = [];
while (ports.length < 300) ports.push(await freePort());
process.send(ports);
process.once('message', () => process.exit());`;
  await writeFiles(path, { 'take.mjs': script });
  const children = [1, 2, 3].map(() => fork(join(path, 'take.mjs')));
  const taken = await Promise.all(
    children.map((child) => new Promise<number[]>((sent) => child.once('message', (ports) => sent(Object(ports))))),
  );
  const ports = [...taken.flat(), await freePort()];
  if (process.platform === 'linux') assert.is(new Set(ports).size, 901);
  for (const child of children) child.send('end');
  const server = createServer();
  await new Promise<void>((listening) => server.listen(ports.at(-1), '127.0.0.1', listening));
  server.close();
});

words('measures what this thread does, not how long it waits', async () => {
  const busy = () => {
    for (const end = performance.now() + 60; performance.now() < end; );
  };
  assert.ok((await cpuTime(() => new Promise((done) => setTimeout(done, 500)))) < 250);
  assert.ok((await cpuTime(busy, 1)) > 0);
});

words('go to the page of the account by openAccount and atAccount alone, which wait for all that it asks', () => {
  const byHand = /\b(?:goto|waitForURL)\([^;]*?[/'"`]account\\?\/settings/;
  for (const line of ["goto('/account/settings')", 'goto(`/account/settings`)', 'waitForURL(/account\\/settings/)'])
    assert.match(line, byHand);
  assert.not.match("waitForURL('/account/login?next=%2Faccount%2Fsettings')", byHand);
  const found = globSync('**/*.ts', { cwd: import.meta.dirname }).filter(
    (path) => path !== 'waiting.test.ts' && byHand.test(readFileSync(join(import.meta.dirname, path), 'utf8')),
  );
  assert.equal(found, [join('http', 'browser.ts')]);
});

words.run();
