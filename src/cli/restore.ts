// weir restore: a backup back into a folder that has no store.
import { resolve } from 'node:path';
import { restore as restoreInto } from '../store/backup/restore.ts';
import { damageText } from './damage-text.ts';
import { exitCodes } from './exit-codes.ts';
import { escaped } from './output/escape.ts';
import { withProgress } from './progress.ts';
import type { Verb } from './verb.ts';
import { keysAt } from './workbench.ts';

export const restore: Verb = {
  usage: 'FILE',
  words: { least: 1, most: 1 },
  options: ['store', 'secretKeyFile', 'quiet'],
  notes: { store: 'the folder to restore into: none, or an empty one (default .weir)' },
  details: `All of the backup is read and checked before anything is written, and all of it is restored or nothing. Everything is as it was then: sessions
and tokens that were taken away since are good again. What instances hold comes into the folder instances of the store: where they are to be
elsewhere (--instances), move it there before the server starts. It takes the key that the store had: in --secret-key-file, in WEIR_SECRET_KEY, as
secret.key in the folder, or in the backup itself, where that was made with --with-key. Stop the server that had the store first: two servers would run the same instances.`,
  examples: ['weir restore weir.tar.gz --store /var/lib/weir'],
  async run({ args: [file = ''], options, io }) {
    const store = resolve(io.cwd, options.store);
    const keys = keysAt(options, io);
    const { heading, files, keyPath, damage } = await withProgress(io, 'restoring', () =>
      restoreInto(resolve(io.cwd, file), store, { keys, log: (message) => io.stderr.write(`${escaped(message)}\n`) }),
    );
    io.stdout.write(
      `${store}: ${files.length} files restored, the store at commit ${heading.position} as of ${heading.at} (Weir ${heading.madeBy})\n`,
    );
    if (keyPath !== undefined)
      io.stdout.write(
        `${keyPath}: the key came with the backup: keep a copy of it apart from backups that do not hold it\n`,
      );
    io.stderr.write(damageText(damage, 'everything was restored as the backup has it'));
    return damage.length > 0 ? exitCodes.unavailable : exitCodes.fine;
  },
};
