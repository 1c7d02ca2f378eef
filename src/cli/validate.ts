// weir validate: reads and checks a tree offline, once or after each change.
import { codeOfFindings } from './exit-codes.ts';
import { offlineFacts } from './facts.ts';
import { publish } from './publish.ts';
import { checkReport, defaultTree, readTreeAt } from './tree.ts';
import type { Verb } from './verb.ts';

export const validate: Verb = {
  usage: '[DIR]',
  words: { least: 0, most: 1 },
  options: ['env', 'watch', 'quiet', 'output'],
  notes: { watch: 'checks again after each change, until it is interrupted' },
  details: `DIR is the folder that holds weir.yaml (default ${defaultTree}). Everything that is wrong is told in one run. No store, server,
secret or network is needed.`,
  examples: [
    'weir validate',
    'weir validate config --output json',
    'weir validate config --output human --output json=report.json',
    'weir validate --watch',
  ],
  async run({ args: [folder = defaultTree], options, io }) {
    const loaded = await readTreeAt(folder, offlineFacts(), io, { git: false, env: options.env });
    publish(checkReport(folder, loaded, io), options.output, options.watch ? { ...io, lines: true } : io);
    if (!options.watch) return codeOfFindings(loaded.findings);
    // The watcher is loaded for those who watch alone.
    const { followTree } = await import('./validate-follow.ts');
    return followTree(folder, loaded.tree, { options, io });
  },
};
