// weir doctor: what this machine has and lacks, each with what it is for and what to do.
import { resolve } from 'node:path';
import type { SpecOf } from '../core/kinds/index.ts';
import { checksOfMachine } from './doctor-checks.ts';
import { exitCodes } from './exit-codes.ts';
import { offlineFacts } from './facts.ts';
import type { Io } from './io.ts';
import { publish } from './publish.ts';
import { readTreeAt } from './tree.ts';
import type { Verb } from './verb.ts';

export const doctor: Verb = {
  usage: '[DIR]',
  words: { least: 0, most: 1 },
  options: ['env', 'store', 'quiet', 'output'],
  notes: { env: 'the environment in which the tree at DIR is read' },
  details: `Looks at what Weir and its instances use of this machine: Node, npm, git, isolation, limits, watches, open files, the disk, the
clock; with a tree at DIR also at the mail server that it names (nothing is sent), and at the isolation that it asks for. It changes nothing. Exits 1 only when something is
missing that Weir cannot do without; what it does less well without is a warning.`,
  examples: ['weir doctor', 'weir doctor config --store /var/lib/weir', 'weir doctor --output json'],
  async run({ args: [folder], options, io }) {
    const platform = folder === undefined ? undefined : await platformIn(folder, options.env, io);
    const checks = await checksOfMachine({ store: resolve(io.cwd, options.store), env: io.env, platform });
    publish({ type: 'doctor', checks }, options.output, io);
    return checks.some(({ state }) => state === 'missing') ? exitCodes.invalid : exitCodes.fine;
  },
};

async function platformIn(folder: string, env: string | undefined, io: Io): Promise<SpecOf<'Platform'> | undefined> {
  const { desired } = (await readTreeAt(folder, offlineFacts(), io, { git: false, env })).desired;
  for (const one of desired.values()) if (isPlatform(one)) return one.spec;
  return undefined;
}

function isPlatform(one: { readonly kind: string; readonly spec: unknown }): one is {
  readonly kind: 'Platform';
  readonly spec: SpecOf<'Platform'>;
} {
  return one.kind === 'Platform';
}
