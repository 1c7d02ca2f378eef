// weir version: which version this is.
import { exitCodes } from './exit-codes.ts';
import type { Verb } from './verb.ts';

export const version: Verb = {
  usage: '',
  words: { least: 0, most: 0 },
  options: [],
  examples: ['weir version', 'weir --version'],
  async run({ io }) {
    io.stdout.write(`${io.version}\n`);
    return exitCodes.fine;
  },
};
