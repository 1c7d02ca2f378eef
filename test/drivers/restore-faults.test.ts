// timeout: 400
// A restore whose calls fail, each once, or that is killed at each: what an instance has is wholly what it had or wholly what was restored, as it is told, and
// nothing is left over. The same for taking a snapshot.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Stored } from '../../src/core/instances/content.ts';
import { sweepHome, writeInHome } from '../../src/drivers/local/beneath.ts';
import { type Folder, folderOf } from '../../src/drivers/local/folder.ts';
import { finishWriting, readStored, writeStored } from '../../src/drivers/local/stored.ts';
import { type FaultyCall, withFault } from '../support/faulty-calls.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { numbersIn, storedOf } from './stored-sample.ts';

const restores = suite('a restore that fails or is killed');
const root = temporaryFolder();
restores.after(() => root.remove());

const secrets = { encryptedWith: 's', credentialSecret: 's' };
const installed = '{"wanted":[],"npmrc":null}';
let folders = 0;

/** An instance with the first content, whose modules are installed, and which keeps other things besides. */
async function instance(): Promise<Folder> {
  folders += 1;
  const folder = folderOf(root.path, `i${folders}`);
  await writeStored(folder, { stored: storedOf(1), ...secrets });
  writeFileSync(folder.modules, installed);
  mkdirSync(join(folder.home, 'context'));
  writeFileSync(join(folder.home, 'context/global.json'), '{}');
  return folder;
}

/** Which content an instance has, in its files and as it is read, that all parts of it agree, and that nothing else is there. */
async function contentOf(folder: Folder, label: string): Promise<string> {
  const numbers = numbersIn(await readStored(folder));
  const at = (name: string) => JSON.parse(readFileSync(join(folder.home, name), 'utf8'));
  const { dependencies } = at('package.json');
  const inFiles = numbersIn({ flows: at('flows.json'), credentials: at('flows_cred.json'), modules: dependencies });
  assert.equal(new Set([...numbers, ...inFiles]).size, 1, `${label}: ${numbers} ${inFiles}`);
  const [number = ''] = numbers;
  const note = number === '1' ? installed : '{"install":true}';
  assert.equal(JSON.parse(readFileSync(folder.modules, 'utf8')), JSON.parse(note), label);
  assert.equal(readdirSync(folder.path).sort(), ['home', 'modules.json'], label);
  assert.equal(readdirSync(folder.home).sort(), ['context', 'flows.json', 'flows_cred.json', 'package.json'], label);
  return number;
}

const restore = (folder: Folder, stored: Stored = storedOf(2)) => writeStored(folder, { stored, ...secrets });

/** Does work on an instance for each of its calls that fails. */
async function atEachStep(after: FaultyCall['after'], check: Check): Promise<void> {
  const told = new Set<string>();
  for (let at = 1; ; at += 1) {
    const folder = await instance();
    const result = await withFault(folder.path, { at, after }, () => restore(folder));
    if (result.failed === '') {
      assert.ok(at > 25, `${at} steps`);
      break;
    }
    told.add(result.failed.split(' ')[0] ?? '');
    await check(folder, result, `${at} ${result.failed}`);
  }
  for (const name of ['open', 'mkdir', 'writeFile', 'datasync', 'rename', 'sync', 'rmdir'])
    assert.ok(told.has(name), name);
}

type Check = (folder: Folder, result: { error?: Error; value?: unknown }, label: string) => Promise<void>;

restores('leaves what there was where it says that it failed, and what was restored where it does not', async () => {
  const seen = new Set<string>();
  await atEachStep('goes on', async (folder, result, label) => {
    const told = 'error' in result ? '1' : '2';
    assert.is(numbersIn(await readStored(folder))[0], told, `${label}, before the next start`);
    await finishWriting(folder);
    assert.is(await contentOf(folder, label), told, label);
    seen.add(told);
    await restore(folder);
    assert.is(await contentOf(folder, label), '2', label);
  });
  assert.is(seen.size, 2);
});

restores('is whole after the next start, whenever it was killed', async () => {
  const seen = new Set<string>();
  await atEachStep('is dead', async (folder, _result, label) => {
    const before = numbersIn(await readStored(folder));
    assert.is(new Set(before).size, 1, `${label}, before the next start`);
    await finishWriting(folder);
    const now = await contentOf(folder, label);
    assert.is(now, before[0], label);
    seen.add(now);
    await restore(folder, storedOf(3));
    assert.is(await contentOf(folder, label), '3', label);
  });
  assert.equal([...seen].sort(), ['1', '2']);
});

restores('is finished by the next start, whenever that fails or is killed', async () => {
  for (const after of ['goes on', 'is dead'] as const)
    for (let at = 1, failed = 'first'; failed !== ''; at += 1) {
      const folder = await instance();
      // As it is left by one that was killed when it had taken over everything.
      mkdirSync(folder.arrived);
      for (const [name, value] of [
        ['flows.json', storedOf(2).flows],
        ['flows_cred.json', storedOf(2).credentials],
        ['package.json', { dependencies: storedOf(2).modules }],
        ['modules.json', { install: true }],
      ] as const)
        writeFileSync(join(folder.arrived, name), JSON.stringify(value));
      ({ failed } = await withFault(folder.path, { at, after }, () => finishWriting(folder)));
      assert.is(numbersIn(await readStored(folder)).join(), '2,2,2', failed);
      await finishWriting(folder);
      assert.is(await contentOf(folder, failed), '2');
    }
});

restores('does not begin where a folder is in the place of a file', async () => {
  const folder = folderOf(root.path, 'taken');
  mkdirSync(join(folder.home, 'flows.json'), { recursive: true });
  const { error } = await withFault(folder.path, { at: 0, after: 'goes on' }, () => restore(folder)).then((result) =>
    'error' in result ? result : { error: undefined },
  );
  assert.match(error?.message ?? '', /in the place of its file flows.json is a folder/);
  assert.not.ok(existsSync(folder.arrived), 'nothing waits for the next start');
  assert.not.ok(existsSync(folder.incoming));
});

restores('does not make a snapshot of something else: a reading that fails says so', async () => {
  for (let at = 1, failed = 'first'; failed !== ''; at += 1) {
    const folder = await instance();
    const result = await withFault(folder.path, { at, after: 'goes on' }, () => readStored(folder));
    failed = result.failed;
    if ('value' in result) assert.equal(result.value, storedOf(1), failed);
    assert.is(await contentOf(folder, failed), '1');
  }
});

restores('leaves nothing of what is written beside flows either', async () => {
  for (let at = 1, failed = 'first'; failed !== ''; at += 1) {
    const folder = await instance();
    const write = () =>
      writeInHome(folder.home, 'package.json', readFileSync(join(folder.home, 'package.json'), 'utf8'));
    ({ failed } = await withFault(folder.path, { at, after: 'is dead' }, write));
    await sweepHome(folder.home);
    assert.is(await contentOf(folder, failed), '1');
  }
});

restores.run();
