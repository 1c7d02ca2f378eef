// weir apply: makes the state what a tree or a saved plan wants, all or nothing.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { applyLoaded } from '../control/attempt.ts';
import { hasErrors } from '../core/model/finding.ts';
import { UsageError } from '../options.ts';
import { type Store, StoreUnavailable } from '../store/store.ts';
import { applyOnServer } from './apply-on-server.ts';
import { applyPlanFile, readPlan } from './apply-plan.ts';
import { consentsOf } from './consents.ts';
import { codeOfPlan, type ExitCode } from './exit-codes.ts';
import { withProgress } from './progress.ts';
import { checkOutputs, publish } from './publish.ts';
import { checkReport, defaultTree, readTreeAt, surroundings } from './tree.ts';
import { type Invocation, serverFlags, type Verb } from './verb.ts';
import { benchOf, commandActor, factsAt, openStoreToApply } from './workbench.ts';

export const apply: Verb = {
  usage: '[DIR | PLAN.json]',
  words: { least: 0, most: 1 },
  options: ['env', 'store', ...serverFlags, 'allowDeletes', 'adopt', 'yes', 'secretDir', 'quiet', 'output'],
  notes: { allowDeletes: "consents to exactly N deletions: the plan's number" },
  details: `DIR is the folder of the tree (default ${defaultTree}); PLAN.json is what "weir plan --out" saved, and is refused where an object that it
changes has moved since. All of it is done, or nothing. The store is made if it is missing. With --server the server reads its own
tree again and applies it, under these consents; it takes no DIR. A PLAN.json is then refused as well where that is another tree.`,
  examples: [
    'weir apply',
    'weir apply plan.json',
    'weir apply --allow-deletes 12',
    'weir apply plan.json --server https://weir.example.com --token-file token',
    'weir apply --adopt Stack/nr-4 --adopt TeamType/starter',
  ],
  async run(invocation) {
    const { args, options, io } = invocation;
    const [word] = args;
    checkOutputs(options.output, io);
    const path = resolve(io.cwd, word ?? defaultTree);
    const isPlan = statSync(path, { throwIfNoEntry: false })?.isFile() ?? path.endsWith('.json');
    if (options.server !== undefined) {
      if (word !== undefined && !isPlan)
        throw new UsageError(
          `apply --server takes no ${JSON.stringify(word)}, because the server applies its own tree`,
        );
      return applyOnServer(invocation, word === undefined ? undefined : readPlan(path));
    }
    return isPlan ? applyPlanFile(path, invocation) : applyTree(word ?? defaultTree, invocation);
  },
};

async function applyTree(folder: string, { options, io }: Invocation): Promise<ExitCode> {
  const consents = consentsOf(options);
  const facts = factsAt(options, io);
  const loaded = await readTreeAt(folder, facts, io, { git: true, env: options.env });
  const invalid = hasErrors(loaded.findings);
  const store = await openFor(invalid, () => openStoreToApply(options, io, !invalid));
  try {
    const attempt =
      store &&
      (await withProgress(io, 'applying', () =>
        applyLoaded(benchOf(store, facts, io), loaded, { trigger: 'command', actor: commandActor, consents }),
      ));
    if (attempt?.plan) {
      const { plan, entry } = attempt;
      const { result } = entry;
      publish({ type: 'plan', plan, result, ...surroundings(folder, loaded, io) }, options.output, io);
      return codeOfPlan({ tree: [], blocked: result === 'refused', pending: false });
    }
    publish(checkReport(folder, loaded, io), options.output, io);
    return codeOfPlan({ tree: loaded.findings, blocked: false, pending: false });
  } finally {
    await store?.close();
  }
}

/** An invalid tree makes no store; where there is one, the attempt is recorded in it. */
async function openFor(invalid: boolean, open: () => Promise<Store>): Promise<Store | undefined> {
  try {
    return await open();
  } catch (error) {
    if (invalid && error instanceof StoreUnavailable && error.reason === 'missing') return undefined;
    throw error;
  }
}
