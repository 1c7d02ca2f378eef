// What Weir writes beside its store, and reads again: a newer version may have written more into it, and after a roll-back the older one still reads what it knows.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contentIn } from '../src/core/instances/content.ts';
import { folderOf } from '../src/drivers/local/folder.ts';
import { isInstalled, noteIn } from '../src/drivers/local/modules.ts';
import { readRecord } from '../src/drivers/local/record.ts';
import { anyHeading, heading, manifest } from '../src/store/backup/contents.ts';
import { readHolder } from '../src/store/holder.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const files = suite('what a newer Weir wrote');

const content = {
  format: 1,
  flows: [{ id: 'a', type: 'tab' }],
  credentials: { $: 'x' },
  modules: { 'node-red-x': '1.0.0' },
  settings: {
    runtime: '4.1.15',
    resources: { memoryMb: 256 },
    options: { theme: 'dark', paletteModules: [{ name: 'node-red-x', version: '1.0.0' }] },
    environment: [{ name: 'SITE', value: 'main' }],
  },
};
const record = {
  pid: 12,
  began: '1',
  init: { pid: 13, began: '2' },
  user: 200_001,
  folder: '/i/a',
  run: '0123456789abcdef',
  groups: ['/g'],
  port: 20_001,
  digest: 'd',
  healthCheckIntervalMs: 1000,
  memoryMb: 256,
  editorPath: '/',
  path: '/i/a',
  door: 2,
};
const backup = {
  weir: 'backup',
  version: 1,
  storeVersion: 1,
  madeBy: '1.0.0',
  at: '2026-11-21T10:00:00Z',
  position: 7,
};

/** Each file: what it says, in which of its parts anything may stand that is not Weir's, and how it is read. */
const sideFiles: Readonly<
  Record<string, { says: object; open?: readonly string[]; read: (text: string) => unknown | Promise<unknown> }>
> = {
  'the content of a snapshot': {
    says: content,
    open: ['flows', 'credentials', 'modules', 'paletteModules'],
    read: contentIn,
  },
  'run.json': { says: record, read: readRun },
  'modules.json': { says: { wanted: ['a@1'], npmrc: 'digest' }, read: (text) => isInstalled(text, ['a@1'], 'digest') },
  'modules.json of what is to be installed': { says: { install: true, mark: 'm' }, read: noteIn },
  'what says that something is a backup': { says: backup, read: (text) => anyHeading.safeParse(JSON.parse(text)).data },
  'the heading of a backup': { says: backup, read: (text) => heading.safeParse(JSON.parse(text)).data },
  'the manifest of a backup': {
    says: { files: [{ path: 'store/x', bytes: 1, sha256: 'a' }] },
    read: (text) => manifest.safeParse(JSON.parse(text)).data,
  },
  'what the holder of a store says': {
    says: { pid: 1, started: 's', command: 'c', state: 'holding' },
    read: (text) => readHolder(text)?.pid,
  },
};

async function readRun(text: string): Promise<unknown> {
  const folder = folderOf(temporaryFolder().path, 'a');
  mkdirSync(folder.path, { recursive: true });
  writeFileSync(folder.record, text);
  return readRecord(folder);
}

/** The same with a field more, in each object that is Weir's own, one at a time. */
function* withMore(value: unknown, open: readonly string[]): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  if (!isList) yield { ...value, ofANewerWeir: { something: ['new'] } };
  for (const [key, item] of Object.entries(value).filter(([name]) => !open.includes(name)))
    for (const more of withMore(item, open)) yield isList ? value.with(Number(key), more) : { ...value, [key]: more };
}

for (const [name, { says, open = [], read }] of Object.entries(sideFiles))
  files(`is read, without what is new in it: ${name}`, async () => {
    const known = await read(JSON.stringify(says));
    assert.ok(known, 'it is read at all');
    for (const more of withMore(says, open)) {
      const text = JSON.stringify(more);
      assert.equal(await read(text), known, text);
    }
  });

files('keeps a snapshot readable whose settings have values that are not known yet', () => {
  const options = { ...content.settings.options, codeEditor: 'of the future', pageTitle: { text: 'new' } };
  const found = contentIn(JSON.stringify({ ...content, settings: { ...content.settings, options } }));
  assert.equal(found, content);
});

/** Rooms whose schemas are of files that Weir writes for itself. */
const rooms = ['control', 'drivers', 'jobs', 'lib', 'monitor', 'notify', 'store', 'core/instances'];

files('is refused by no schema that is strict', () => {
  const src = resolve(import.meta.dirname, '../src');
  const strict = rooms.flatMap((room) =>
    readdirSync(join(src, room), { recursive: true, encoding: 'utf8' })
      .filter(
        (name) => name.endsWith('.ts') && /strictObject|\.strict\(\)/.test(readFileSync(join(src, room, name), 'utf8')),
      )
      .map((name) => `${room}/${name}`),
  );
  assert.equal(strict, [], 'use z.object, or read what people write in another room');
});

files.run();
