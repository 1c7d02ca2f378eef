// The lock: one process a folder, by whatever path, and nothing stale that anybody has to remove.
import { spawn } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openStore } from '../../src/store/json-file.ts';
import { lockFolder } from '../../src/store/lock.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const lock = suite('the lock of a folder');

lock('is held by one, whom the other is told, and is free again after', async () => {
  const { path } = temporaryFolder();
  const release = await lockFolder(path);
  const error = await refusal(path);
  assert.is(error.reason, 'locked');
  assert.match(
    error.message,
    new RegExp(`the store ${path} is in use by process ${process.pid} \\(started 20.*lock.test.ts`),
  );
  await release();
  assert.equal(await readdir(path), []);
  await (await lockFolder(path))();
});

lock('is the same by every path to the folder', async () => {
  const { path } = temporaryFolder();
  await mkdir(join(path, 'store'));
  await symlink('store', join(path, 'link'));
  const release = await lockFolder(join(path, 'link'));
  assert.is((await refusal(join(path, 'store'))).reason, 'locked');
  assert.is((await refusal(`${path}/./store/../link/`)).reason, 'locked');
  await release();
});

lock('works below a path that is too long for a socket', async () => {
  const path = join(temporaryFolder().path, 'a-long-name'.repeat(9), 'another-long-name'.repeat(9));
  await mkdir(path, { recursive: true });
  const release = await lockFolder(path);
  assert.is((await refusal(path)).reason, 'locked');
  await release();
  assert.equal(await readdir(path), []);
});

lock('goes to exactly one of many that start at once over the lock of a process that was killed', async () => {
  const { path } = temporaryFolder();
  for (let round = 0; round < 5; round += 1) {
    await leaveStaleLock(path);
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => lockFolder(path)));
    const held = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.is(outcome.reason.reason, 'locked', String(outcome.reason));
    assert.is(held.length, 1);
    assert.is((await sockets(path)).length, 1);
    await Promise.all(held.map(({ value }) => value()));
  }
  assert.equal(await sockets(path), []);
});

lock('goes to exactly one of very many, and names it to the others', async () => {
  const { path } = temporaryFolder();
  await leaveStaleLock(path);
  const outcomes = await Promise.allSettled(Array.from({ length: 150 }, () => lockFolder(path)));
  const held = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  const told = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
  assert.is(held.length, 1, told[0]);
  for (const words of told) assert.match(words, /is in use by process \d+ \(started/);
  await held[0]?.value();
});

lock('is held by one at a time, however many come and go', async () => {
  const { path } = temporaryFolder();
  let holders = 0;
  let turns = 0;
  const comer = async () => {
    while (turns < 60) {
      const release = await lockFolder(path).catch((error: StoreUnavailable) => error);
      if (release instanceof StoreUnavailable) {
        assert.is(release.reason, 'locked');
        continue;
      }
      holders += 1;
      turns += 1;
      assert.is(holders, 1);
      await new Promise(setImmediate);
      holders -= 1;
      await release();
    }
  };
  await Promise.all(Array.from({ length: 8 }, comer));
  assert.equal(await sockets(path), []);
});

lock('goes to exactly one of several processes that start at once over a stale one', async () => {
  const { path } = temporaryFolder();
  await leaveStaleLock(path);
  const tries = Array.from({ length: 5 }, () => tryInChild(path));
  const said = await Promise.all(tries.map((one) => one.said));
  for (const { letGo } of tries) await letGo();
  assert.equal(said.sort(), ['held', 'locked', 'locked', 'locked', 'locked']);
});

lock('is respected while its holder does not answer', async () => {
  const { path } = temporaryFolder();
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(join(path, 'lock-4711-0123abcd.sock'), resolve));
  const error = await refusal(path);
  assert.match(error.message, /is in use by process 4711, which does not answer/);
  silent.close();
});

lock('is let go when the store cannot be opened', async () => {
  const { path } = temporaryFolder();
  await writeFile(join(path, 'journal-000000000001.jsonl'), 'nonsense\n');
  const error = await openStore(path, { create: true }).catch((error) => error);
  assert.is(error.reason, 'damaged');
  await (await lockFolder(path))();
});

lock.run();

const source = join(import.meta.dirname, '../../src/store/lock.ts');

/** A socket whose process was killed. */
async function leaveStaleLock(path: string): Promise<void> {
  const child = run(`await lockFolder(${JSON.stringify(path)}); process.kill(process.pid, 'SIGKILL');`);
  await new Promise((resolve) => child.once('close', resolve));
  assert.is((await sockets(path)).length, 1);
}

/** What a process of its own says after trying for the lock; who holds it does so until `letGo`. */
function tryInChild(path: string): { readonly said: Promise<string>; readonly letGo: () => Promise<unknown> } {
  const child = run(`
    const outcome = await lockFolder(${JSON.stringify(path)}).then(() => 'held', (error) => error.reason);
    process.stdin.once('end', () => process.exit()).resume();
    process.stdout.write(outcome);`);
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve('ended')));
  const said = new Promise<string>((resolve) => child.stdout.setEncoding('utf8').once('data', resolve));
  return {
    said: Promise.race([said, ended]),
    letGo: () => {
      child.stdin.end();
      return ended;
    },
  };
}

function run(script: string) {
  const code = `const { lockFolder } = await import(${JSON.stringify(source)}); ${script}`;
  return spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
}

async function sockets(path: string): Promise<string[]> {
  return (await readdir(path)).filter((name) => name.endsWith('.sock'));
}

async function refusal(path: string): Promise<StoreUnavailable> {
  const error = await lockFolder(path).catch((error) => error);
  assert.instance(error, StoreUnavailable);
  return error;
}
