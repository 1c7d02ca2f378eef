// weir doctor: what this machine has and lacks, each with what it is for and what to do.
import { checksOfMachine } from './doctor-checks.ts';
import { patientOf } from './doctor-patient.ts';
import { exitCodes } from './exit-codes.ts';
import { publish } from './publish.ts';
import { defaultTree } from './tree.ts';
import type { Verb } from './verb.ts';

export const doctor: Verb = {
  usage: '[DIR]',
  words: { least: 0, most: 1 },
  options: ['env', 'store', 'secretKeyFile', 'instances', 'quiet', 'output'],
  notes: { env: 'the environment in which the tree at DIR is read' },
  details: `Looks at what Weir and its instances use of this machine: Node, npm, git, isolation, limits, watches, open files, the folders of the store, the
instances and the stacks with their disks, the key of the store, and the clock, which cannot be before what the store holds. What the tree at DIR declares (default
${defaultTree}, where that is there; else what the store holds) says which isolation, stacks and mail server are looked at; nothing is sent. It
changes nothing. Exits 1 only when something is missing that Weir cannot do without; what it does less well without is a warning.`,
  examples: ['weir doctor', 'weir doctor config --store /var/lib/weir', 'weir doctor --output json'],
  async run({ args: [folder], options, io }) {
    const checks = await checksOfMachine(await patientOf(folder, options, io));
    publish({ type: 'doctor', checks }, options.output, io);
    return checks.some(({ state }) => state === 'missing') ? exitCodes.invalid : exitCodes.fine;
  },
};
