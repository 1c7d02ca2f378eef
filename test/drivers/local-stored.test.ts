// timeout: 300
// What an instance holds, in files: read as a whole, replaced as a whole whenever Weir is killed, and told where it is broken.
import { spawn } from 'node:child_process';
import { createCipheriv, createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contentIn, contentText, deployText } from '../../src/core/instances/content.ts';
import { Declined } from '../../src/core/proposals/declined.ts';
import { reencrypted } from '../../src/drivers/local/credentials.ts';
import { folderOf } from '../../src/drivers/local/folder.ts';
import { packStored } from '../../src/drivers/local/pack.ts';
import { finishWriting, readStored, writeStored } from '../../src/drivers/local/stored.ts';
import { problemOf } from '../../src/http/errors.ts';
import { makeDeep } from '../support/deep-folders.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { localWorld, never, reasonOf, runOf } from './local-world.ts';
import { numbersIn, storedOf } from './stored-sample.ts';

const stored = suite('what an instance holds');

/** Puts a file into an instance. */
function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

stored('is replaced, whatever stands where it is written first', async () => {
  const { path } = temporaryFolder();
  const folder = folderOf(path, 'a');
  mkdirSync(folder.incoming, { recursive: true });
  makeDeep(folder.incoming, 1);
  await writeStored(folder, { stored: storedOf(1), encryptedWith: 's', credentialSecret: 's' });
  assert.equal(numbersIn(await readStored(folder)), ['1', '1', '1']);
  assert.not(existsSync(folder.incoming));
});

stored('is packed while that of another never rests', async () => {
  const { path } = temporaryFolder();
  const [restless, other] = [folderOf(path, 'a'), folderOf(path, 'b')];
  for (const folder of [restless, other])
    await writeStored(folder, { stored: storedOf(1), encryptedWith: 's', credentialSecret: 's' });
  const flows = join(restless.home, 'flows.json');
  const touching = setInterval(() => utimesSync(flows, new Date(), new Date()), 5);
  const ended: string[] = [];
  const never = reasonOf(packStored(restless, undefined)).then(({ reason }) => ended.push(reason));
  await sleep(100);
  const { modules } = await packStored(other, undefined);
  ended.push('packed');
  assert.equal(modules, { 'node-red-x': '1.0.0' });
  await never;
  clearInterval(touching);
  assert.equal(ended, ['packed', 'FlowsChanging']);
});

stored('is packed so many times at once, and no more', async () => {
  const { path } = temporaryFolder();
  const [folder, other] = [folderOf(path, 'a'), folderOf(path, 'b')];
  for (const one of [folder, other])
    await writeStored(one, { stored: storedOf(1), encryptedWith: 's', credentialSecret: 's' });
  const outcome = (of: typeof folder) =>
    packStored(of, undefined).then(
      () => 'packed',
      (error) => error.reason,
    );
  const many = await Promise.all([...Array.from({ length: 30 }, () => outcome(folder)), outcome(other)]);
  assert.is(many.at(-1), 'packed');
  assert.ok(many.includes('Busy') && many.filter((one) => one === 'packed').length >= 5, many.join());
  const { code, extras } = problemOf(new Declined('unavailable', 'too much'));
  assert.equal([code, extras.headers], ['unavailable', { 'retry-after': '5' }]);
});

stored('is told where it is broken or too large', async () => {
  const { path } = temporaryFolder();
  const folder = folderOf(path, 'a');
  const flows = join(folder.home, 'flows.json');
  for (const [name, text, good] of [
    ['flows.json', '[{"id":', '[]'],
    ['flows.json', '{"flows": []}', ''],
    ['flows_cred.json', '[1]', '{}'],
    ['package.json', 'null', '{"dependencies": {"a": "1", "b": 2}}'],
  ] as const) {
    put(join(folder.home, name), text);
    assert.equal(await reasonOf(readStored(folder)), {
      reason: 'FlowsBroken',
      message: `its file ${name} is not what a runtime writes`,
    });
    put(join(folder.home, name), good);
  }
  assert.equal(await readStored(folder), { flows: [], modules: { a: '1' } });
  truncateSync(flows, 65 * 1024 * 1024);
  assert.equal(await reasonOf(readStored(folder)), {
    reason: 'TooLarge',
    message: 'it holds 66 MiB of flows, and a snapshot holds at most 32 MiB',
  });
});

stored('is never read between the two files of a deploy, and never half restored', async () => {
  const { path } = temporaryFolder();
  const folder = folderOf(path, 'a');
  const [old, now] = [storedOf(1), storedOf(2)];
  await writeStored(folder, { stored: old, encryptedWith: 's', credentialSecret: 's' });
  // A runtime writes the credentials first, and may take long for the flows.
  put(join(folder.home, 'flows_cred.json'), JSON.stringify(now.credentials));
  put(join(folder.home, 'package.json'), JSON.stringify({ dependencies: now.modules }));
  const reading = readStored(folder);
  await sleep(300);
  put(join(folder.home, 'flows.json'), JSON.stringify(now.flows));
  assert.equal(numbersIn(await reading), ['2', '2', '2']);
  // A restore that was taken over, and has moved one of its files.
  const restored = storedOf(3);
  put(join(folder.home, 'flows_cred.json'), JSON.stringify(restored.credentials));
  put(join(folder.arrived, 'package.json'), JSON.stringify({ dependencies: restored.modules }));
  put(join(folder.arrived, 'flows.json'), JSON.stringify(restored.flows));
  assert.equal(numbersIn(await readStored(folder)), ['3', '3', '3']);
});

stored('is durable by its names, too, before anything counts on them', async () => {
  const { path } = temporaryFolder();
  const folder = folderOf(path, 'a');
  await writeStored(folder, { stored: storedOf(1), encryptedWith: 's', credentialSecret: 's' });
  const seen: unknown[] = [];
  const sync = async (synced: string) => {
    const names = existsSync(folder.incoming) ? readdirSync(folder.incoming).sort() : [];
    const label = JSON.parse(readFileSync(join(folder.home, 'flows.json'), 'utf8'))[0].label;
    seen.push([synced.slice(folder.path.length), names, existsSync(folder.arrived), label]);
  };
  await writeStored(folder, { stored: storedOf(2), encryptedWith: 's', credentialSecret: 's' }, sync);
  const all = ['flows.json', 'flows_cred.json', 'modules.json', 'package.json'];
  assert.equal(seen, [
    // All is written; then it is taken over at one moment; then it is moved, and only after that the folder that tells of it goes.
    ['/incoming', all, false, '1'],
    ['', [], true, '1'],
    ['/home', [], true, '2'],
  ]);
});

stored('of a deploy that never ended is what there is', async () => {
  const { path } = temporaryFolder();
  const folder = folderOf(path, 'a');
  put(join(folder.home, 'flows.json'), '[]');
  await sleep(20);
  put(join(folder.home, 'flows_cred.json'), '{"a": "b"}');
  assert.equal(await readStored(folder), { flows: [], credentials: { a: 'b' }, modules: {} });
});

stored('is packed for a snapshot by a thread of its own, however large it is', async () => {
  const world = await localWorld();
  const nodes = Array.from({ length: 60_000 }, (_, index) => ({
    id: `n${index}`,
    type: 'function',
    func: 'x'.repeat(400),
  }));
  put(world.at('a', 'home/flows.json'), JSON.stringify(nodes));
  const { pack } = world.driver.keeper;
  const [before, all] = [process.threadCpuUsage(), process.cpuUsage()];
  const packed = await pack?.('a', undefined);
  const [own, whole] = [process.threadCpuUsage(before), process.cpuUsage(all)];
  assert.ok(packed && packed.bytes.length > 25e6 && !packed.isEmpty);
  assert.equal(contentIn(new TextDecoder().decode(packed.bytes))?.flows, nodes);
  const [mine, total] = [own.user + own.system, whole.user + whole.system];
  assert.ok(mine < 50_000 && mine < total / 4, `${mine} of ${total} µs`);
  put(world.at('b', 'home/flows.json'), '{');
  assert.is((await reasonOf(pack?.('b', undefined) ?? Promise.resolve())).reason, 'FlowsBroken');
  await world.close();
});

stored('is written from a snapshot by a thread of its own, however large that is', async () => {
  const world = await localWorld();
  const flows = Array.from({ length: 60_000 }, (_, index) => ({ id: `n${index}`, func: 'x'.repeat(400) }));
  const written = { flows, credentials: { n1: { password: 'p' } }, modules: { 'node-red-x': '1.0.0' } };
  const bytes = new TextEncoder().encode(contentText({ format: 1, ...written }));
  const [before, all] = [process.threadCpuUsage(), process.cpuUsage()];
  const unpacked = await world.driver.keeper.unpack?.('a', { bytes, encryptedWith: 's', credentialSecret: 's' });
  const [own, whole] = [process.threadCpuUsage(before), process.cpuUsage(all)];
  const [mine, total] = [own.user + own.system, whole.user + whole.system];
  assert.ok(mine < total / 4, `${mine} of ${total} µs`);
  assert.equal(await world.driver.keeper.read('a'), written);
  assert.is(unpacked?.deploy, createHash('sha256').update(deployText(written)).digest('hex'));
  const none = world.driver.keeper.unpack?.('a', { bytes: new TextEncoder().encode('{}'), credentialSecret: 's' });
  assert.is((await reasonOf(none ?? Promise.resolve())).reason, 'ContentUnreadable');
  await world.close();
});

stored('is replaced by all of it or nothing, whenever Weir is killed', async () => {
  const { path } = temporaryFolder();
  const folder = folderOf(path, 'a');
  await writeStored(folder, { stored: storedOf(0), credentialSecret: 's' });
  for (let round = 0; round < 12; round += 1) {
    const script = join(import.meta.dirname, 'killed-keeper.ts');
    const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => child.once('close', resolve));
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await until('it writes', () => said.includes('\n'));
    await sleep(Math.random() * 60);
    child.kill('SIGKILL');
    await ended;
    await finishWriting(folder);
    const [flows, credentials, modules] = numbersIn(await readStored(folder));
    assert.ok(flows === credentials && credentials === modules, `${flows} ${credentials} ${modules}`);
    assert.ok(Number(flows) >= Number(said.trim().split('\n').at(-1)), 'what was answered is there');
    assert.not(existsSync(folder.arrived));
  }
});

stored('that was taken over and not moved yet is moved before the next start', async () => {
  const world = await localWorld();
  const at = (name: string) => world.at('a', name);
  put(at('home/flows.json'), '[]');
  put(at('arrived/flows.json'), JSON.stringify(storedOf(1).flows));
  put(at('incoming/flows.json'), 'half');
  put(at('home/.weir-0123456789abcdef'), 'half');
  await world.driver.runner.start(runOf('a'), never);
  assert.equal((await world.driver.keeper.read('a')).flows, storedOf(1).flows);
  assert.equal([existsSync(at('arrived')), existsSync(at('incoming'))], [false, false]);
  assert.not(existsSync(at('home/.weir-0123456789abcdef')));
  await world.driver.runner.stop('a');
  const written = { stored: { flows: [], modules: {} }, credentialSecret: 's' };
  await world.driver.keeper.write('a', written);
  assert.equal(await world.driver.keeper.read('a'), written.stored);
  assert.not(existsSync(at('incoming')));
  await world.close();
});

stored('keeps the rest of a manifest, and has modules installed only where they are others', async () => {
  const { path } = temporaryFolder();
  const folder = folderOf(path, 'a');
  const manifest = join(folder.home, 'package.json');
  put(manifest, '{"name": "mine", "dependencies": {"a": "1"}}');
  await writeStored(folder, { stored: { flows: [], modules: { a: '1' } }, credentialSecret: 's' });
  assert.not(existsSync(folder.modules));
  await writeStored(folder, { stored: { flows: [], modules: { b: '2' } }, credentialSecret: 's' });
  assert.equal(JSON.parse(readFileSync(manifest, 'utf8')), {
    name: 'mine',
    private: true,
    version: '0.0.1',
    dependencies: { b: '2' },
  });
  assert.equal(JSON.parse(readFileSync(folder.modules, 'utf8')), { install: true });
});

stored('keeps what it has where credentials cannot be decrypted', async () => {
  const { path } = temporaryFolder();
  const folder = folderOf(path, 'a');
  await writeStored(folder, { stored: storedOf(1), credentialSecret: 's' });
  for (const $ of ['noise', 7, `${'0'.repeat(32)}AAAA`]) {
    const wanted = { flows: [], credentials: { $ }, modules: {} };
    const work = writeStored(folder, { stored: wanted, encryptedWith: 'other', credentialSecret: 's' });
    assert.is((await reasonOf(work)).reason, 'CredentialsUnreadable', String($));
  }
  assert.equal(numbersIn(await readStored(folder)), ['1', '1', '1']);
});

stored('has credentials encrypted as the runtime does, with another secret', () => {
  const key = (secret: string) => createHash('sha256').update(secret).digest();
  const start = Buffer.alloc(16, 7);
  const cipher = createCipheriv('aes-256-ctr', key('one'), start);
  const text = JSON.stringify({ node: { password: 'ü' } });
  const one = { $: start.toString('hex') + cipher.update(text, 'utf8', 'base64') + cipher.final('base64') };
  assert.is(reencrypted(one, 'one', 'one'), one);
  assert.equal(reencrypted({}, undefined, 'two'), {});
  const two = reencrypted(one, 'one', 'two');
  assert.is.not(two.$, one.$);
  const back = reencrypted(two, 'two', 'one');
  assert.is.not(back.$, one.$, 'with a start of its own');
  assert.equal(reencrypted(back, 'one', 'one'), back);
  assert.throws(() => reencrypted(two, 'one', 'two'), /cannot be decrypted/);
});

stored.run();
