// weir store check: whether a store is whole, also while a server writes to it.
import { resolve } from 'node:path';
import { checkStore } from '../store/check.ts';
import { exitCodes } from './exit-codes.ts';
import { escaped } from './output/escape.ts';
import { withProgress } from './progress.ts';
import { publish } from './publish.ts';
import type { Verb } from './verb.ts';
import { keysAt } from './workbench.ts';

export const storeCheck: Verb = {
  usage: '[STORE]',
  words: { least: 0, most: 1 },
  options: ['store', 'secretKeyFile', 'output', 'quiet'],
  details: `STORE is the folder of the store (default --store). Reads the journal, the snapshots, every record of the audit log and the history, and every blob that
something names, and tells all that is not what was written, each with its file and byte. Exits 0 where it is whole, and 5 where it is not. It takes no
lock and writes nothing: a server may run. Secrets are decrypted where the key is at hand, and else left alone. The last hash of the audit log that it prints stands for all entries up to there: keep
it elsewhere, where who may write to the folder cannot, and a log that was written anew from its beginning shows, too.`,
  examples: ['weir store check', 'weir store check /var/lib/weir', 'weir store check --output json'],
  async run({ args: [named], options, io }) {
    const store = resolve(io.cwd, named ?? options.store);
    const keys = keysAt(options, io);
    const log = (message: string) => io.stderr.write(`${escaped(message)}\n`);
    const checked = await withProgress(io, 'reading', () => checkStore(store, { keys, log }));
    publish({ type: 'store', store, checked }, options.output, io);
    return checked.damage.length > 0 ? exitCodes.unavailable : exitCodes.fine;
  },
};
