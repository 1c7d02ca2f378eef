// weir store rekey: another key for the secrets of a store.
import { resolve } from 'node:path';
import { keyFileName } from '../store/key-file.ts';
import { type Rekeyed, rekey } from '../store/rekey.ts';
import { exitCodes } from './exit-codes.ts';
import { escaped } from './output/escape.ts';
import { withProgress } from './progress.ts';
import type { Verb } from './verb.ts';
import { keysAt } from './workbench.ts';

export const storeRekey: Verb = {
  usage: '',
  words: { least: 0, most: 0 },
  options: ['store', 'secretKeyFile', 'quiet'],
  details: `Stop the server first, and run this as the user that it runs as. Where the key is ${keyFileName} in the folder of the store, a new one is made; the one before it goes into ${keyFileName}.old, because
backups from before are opened with it. A key file that was named (--secret-key-file), is a link, or WEIR_SECRET_KEY, is never written: put the new key
before the one that is there, run this, and take the old one out. Everything is read with the new key alone before the old one is let go. Whatever
interrupts it, the store opens with the keys that are there, and running it again finishes it.`,
  examples: ['weir store rekey --store /var/lib/weir', 'weir store rekey --secret-key-file /etc/weir/key'],
  async run({ options, io }) {
    const store = resolve(io.cwd, options.store);
    const keys = keysAt(options, io);
    const log = (message: string) => io.stderr.write(`${escaped(message)}\n`);
    const done = await withProgress(io, 'encrypting anew', () => rekey(store, { keys, log }));
    io.stdout.write(`${store}: all secrets are encrypted with the key ${done.id} now, and nothing wants another one\n`);
    io.stdout.write(`${advice(done)}\n`);
    return exitCodes.fine;
  },
};

function advice({ place, former, formerPath }: Rekeyed): string {
  const one = former.length === 1;
  const ids = former.join(', ');
  if (former.length === 0) return `${place}: keep a copy of it apart from backups, which do not hold it unless asked`;
  if (formerPath === undefined)
    return `${place}: take ${ids} out, and keep ${one ? 'it' : 'them'} as long as there are backups from before, which ${one ? 'it opens' : 'they open'}`;
  return `${place}: keep a copy of it apart from backups, which do not hold it unless asked
${formerPath}: ${ids}, for backups from before; delete it once there are none`;
}
