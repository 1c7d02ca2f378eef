// weir backup: the whole store in one file, also while a server writes to it.
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { View } from '../core/model/view.ts';
import { keptFiles } from '../drivers/local/kept-files.ts';
import { UsageError } from '../options.ts';
import { keyEntry } from '../store/backup/contents.ts';
import { removeLeftovers } from '../store/backup/leftovers.ts';
import { changingFile, type Source, textFile } from '../store/backup/source.ts';
import { type Backup, backUp } from '../store/backup/write.ts';
import { leaveMark } from '../store/backup-mark.ts';
import { diskFileSystem, wordsOf } from '../store/file-system.ts';
import { StoreUnavailable } from '../store/store.ts';
import { damageText } from './damage-text.ts';
import { exitCodes } from './exit-codes.ts';
import { knownInstancesFolder } from './instances-folder.ts';
import { escaped } from './output/escape.ts';
import { withProgress } from './progress.ts';
import type { Verb } from './verb.ts';
import { keysAt } from './workbench.ts';

export const backup: Verb = {
  usage: '',
  words: { least: 0, most: 0 },
  options: ['store', 'secretKeyFile', 'withKey', 'instances', 'out', 'quiet'],
  out: 'either',
  notes: {
    out: 'the file to write, or a folder that gets a file named by the time',
    secretKeyFile: 'the file with the key of the store, for --with-key alone (default secret.key in the store)',
  },
  details: `No lock is taken: a server may run. The backup holds everything that was acknowledged before it began: objects, users, history and audit log, what
they name, and the user directories of instances (flows, credentials, context; not the packages, which are installed again). It is a gzipped tar,
is read back and checked before it gets its name, records by their hash chain: where those of the store are damaged it is made all the same, and that is told, with exit
code 5. Its secrets stay encrypted, and no key is needed: to restore it, the key of the store is, which is not
in it unless --with-key asks for that. Stacks and the tree are not in it.`,
  examples: [
    'weir backup --out backups/',
    'weir backup --with-key --out weir.tar.gz',
    'weir backup --store /var/lib/weir --out weir.tar.gz',
  ],
  async run({ options, io }) {
    if (options.out === undefined) throw new UsageError('backup needs a file or a folder to write to: add --out FILE');
    const store = resolve(io.cwd, options.store);
    const at = io.now();
    const out = fileFor(resolve(io.cwd, options.out), at);
    const instances = await knownInstancesFolder(options, io);
    const leftOut = new Map<string, string>();
    const isNamed = options.instances !== undefined;
    const others = (view: View) => instanceSources({ folder: instances, isNamed }, view, leftOut);
    const log = (message: string) => io.stderr.write(`${escaped(message)}\n`);
    for (const path of isFolder(dirname(out)) ? await removeLeftovers(dirname(out)) : [])
      log(`${path} was removed: it is what a backup left that was killed`);
    const withKeys = options.withKey ? { withKeys: keysAt(options, io) } : {};
    const made = await withProgress(io, 'backing up', () =>
      backUp(store, { out, at, madeBy: io.version, others, log, ...withKeys }),
    );
    io.stdout.write(`${summaryOf(out, made)}\n${keysOf(made)}`);
    for (const [path, why] of [...leftOut].slice(0, mostTold))
      io.stderr.write(`left out: ${JSON.stringify(path.slice(0, mostPath))}: ${why}\n`);
    if (leftOut.size > mostTold) io.stderr.write(`left out: ${leftOut.size - mostTold} more\n`);
    await leaveMark(diskFileSystem, store, `${made.heading.at} commit ${made.heading.position}`).catch(
      (error: unknown) =>
        log(`that there is this backup is not noted in the store, so that its metrics do not tell: ${wordsOf(error)}`),
    );
    io.stderr.write(damageText(made.damage, 'the backup was made all the same, and restores as it is'));
    return made.damage.length > 0 ? exitCodes.unavailable : exitCodes.fine;
  },
};

/** How much is said of what could not be read. */
const [mostTold, mostPath] = [20, 300];

/** In a folder, a name that sorts by time. */
function fileFor(out: string, at: string): string {
  return isFolder(out) ? join(out, `weir-${at.replaceAll(/[-:]/g, '')}.tar.gz`) : out;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Why it cannot be looked at is told when it cannot be written.
    return false;
  }
}

/** Where the instances are; `isNamed`: somebody said so, so that what is not there is not taken for instances that never ran. */
interface Instances {
  readonly folder: string;
  readonly isNamed: boolean;
}

async function* instanceSources(
  { folder, isNamed }: Instances,
  view: View,
  leftOut: Map<string, string>,
): AsyncGenerator<Source> {
  leftOut.clear();
  const ids = [...view.all('Instance')].map(({ id }) => id);
  if (isNamed && ids.length > 0 && !isFolder(folder)) throw lacks(folder, ids.length);
  for await (const { path, from } of keptFiles(folder, ids)) {
    const name = `store/instances/${path}`;
    if ('leftOut' in from) leftOut.set(path, from.leftOut);
    else if ('text' in from) yield textFile(name, from.text);
    else yield changingFile(from.file, name, (why) => leftOut.set(path, why));
  }
}

function lacks(folder: string, count: number): StoreUnavailable {
  const what = `the store has ${count} instance${count === 1 ? '' : 's'}, and what they hold would not be in it`;
  return new StoreUnavailable(
    'unreadable',
    `no backup was made, because there is no folder ${folder}: ${what}; name the folder of the instances with --instances`,
  );
}

function summaryOf(out: string, { heading: { position }, files, bytes, damage }: Backup): string {
  const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  const checked = damage.length === 0 ? 'read back and checked' : 'read back, and the records in it are damaged';
  return `${out}: ${files.length} files of the store at commit ${position}, ${size}, ${checked}`;
}

/** Which key it takes to restore it, and where that is. */
function keysOf({ heading: { keys = [] }, files }: Backup): string {
  if (keys.length === 0) return '';
  const which = `${keys.length === 1 ? 'the key' : 'the keys'} ${keys.join(', ')}`;
  return files.some(({ path }) => path === keyEntry)
    ? `its secrets are encrypted with ${which}, and that is in it: whoever has the file can read them\n`
    : `its secrets are encrypted with ${which}, and that is not in it: keep a copy of it elsewhere, or nobody can restore this\n`;
}
