// weir apply: makes the state what a tree or a saved plan wants, all or nothing.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { applyLoaded, planLoaded } from '../control/attempt.ts';
import type { LoadedTree } from '../control/tree.ts';
import { hasErrors } from '../core/model/finding.ts';
import type { PlanDocument } from '../core/plan/plan-document.ts';
import type { Facts } from '../core/rules/facts.ts';
import { UsageError } from '../options.ts';
import { type Store, StoreUnavailable } from '../store/store.ts';
import { applyOnServer } from './apply-on-server.ts';
import { applyPlanFile, readPlan } from './apply-plan.ts';
import { confirmDeletions } from './confirm.ts';
import { consentsOf } from './consents.ts';
import { codeOfPlan, type ExitCode } from './exit-codes.ts';
import { withProgress } from './progress.ts';
import { publish } from './publish.ts';
import { ownPlanOnServer } from './remote.ts';
import type { Texts } from './report.ts';
import { checkReport, defaultTree, readTreeAt, surroundings } from './tree.ts';
import { type Invocation, serverFlags, type Verb } from './verb.ts';
import { benchOf, commandActor, factsAt, openStoreToApply } from './workbench.ts';

export const apply: Verb = {
  usage: '[DIR | PLAN.json]',
  words: { least: 0, most: 1 },
  options: [
    'env',
    'store',
    'secretKeyFile',
    ...serverFlags,
    'allowDeletes',
    'adopt',
    'yes',
    'secretDir',
    'quiet',
    'output',
  ],
  notes: { allowDeletes: "consents to exactly N deletions: the plan's number" },
  details: `DIR is the folder of the tree (default ${defaultTree}); PLAN.json is what "weir plan --out" saved, and is refused where an object that it
changes has moved since. All of it is done, or nothing. The store is made if it is missing. With --server the server reads its own
tree again and applies it, under these consents; it takes no DIR. A PLAN.json is then refused as well where that is another tree.
On a terminal a plan that deletes something is shown first, and carried out after a "y"; any other answer exits 3. --yes does not ask, and
lifts no guard: what needs --allow-deletes still does.`,
  examples: [
    'weir apply',
    'weir apply plan.json',
    'weir apply --allow-deletes 12',
    'weir apply --yes',
    'weir apply plan.json --server https://weir.example.com --token-file token',
    'weir apply --adopt Stack/nr-4 --adopt TeamType/starter',
  ],
  async run(invocation) {
    const { args, options, io } = invocation;
    const [word] = args;
    const path = resolve(io.cwd, word ?? defaultTree);
    const isPlan = isFile(path) ?? path.endsWith('.json');
    if (options.server !== undefined) {
      if (word !== undefined && !isPlan)
        throw new UsageError(
          `apply --server takes no ${JSON.stringify(word)}, because the server applies its own tree`,
        );
      return applyThere(invocation, word === undefined ? undefined : readPlan(path));
    }
    return isPlan ? applyFile(path, invocation) : applyTree(word ?? defaultTree, invocation);
  },
};

/** Nothing where that cannot be told: why will be said when it is read. */
function isFile(path: string): boolean | undefined {
  try {
    return statSync(path).isFile();
  } catch {
    return undefined;
  }
}

/** What is shown is what is applied: where somebody is asked, the server gets the plan that they saw. */
async function applyThere(invocation: Invocation, saved: PlanDocument | undefined): Promise<ExitCode> {
  const { options, io } = invocation;
  if (!io.ask || options.yes) return applyOnServer(invocation, saved);
  const own = saved ? { plan: saved } : await ownPlanOnServer(options, io);
  if (!('plan' in own)) return applyOnServer(invocation);
  const { plan } = own;
  const { asked, planShown } = await confirmDeletions({ plan, consents: consentsOf(options) }, invocation);
  return applyOnServer({ ...invocation, io: { ...io, planShown } }, asked ? plan : saved);
}

async function applyFile(path: string, invocation: Invocation): Promise<ExitCode> {
  const { options, io } = invocation;
  const plan = readPlan(path);
  const { planShown } = await confirmDeletions({ plan, consents: consentsOf(options) }, invocation);
  return applyPlanFile(path, { ...invocation, io: { ...io, planShown } }, plan);
}

async function applyTree(folder: string, invocation: Invocation): Promise<ExitCode> {
  const { options, io } = invocation;
  const consents = consentsOf(options);
  const facts = factsAt(options, io);
  const loaded = await readTreeAt(folder, facts, io, { git: true, env: options.env });
  const invalid = hasErrors(loaded.findings);
  const store = await openFor(invalid, () => openStoreToApply(options, io, !invalid));
  try {
    const shown = store && !invalid && (await confirmedHere(store, loaded, facts, invocation));
    const attempt =
      store &&
      (await withProgress(io, 'applying', () =>
        applyLoaded(benchOf(store, facts, io), loaded, { trigger: 'command', actor: commandActor, consents }),
      ));
    if (attempt?.plan) {
      const { plan, entry } = attempt;
      const { result } = entry;
      publish({ type: 'plan', plan, result, ...surroundings(folder, loaded, io) }, options.output, {
        ...io,
        planShown: shown === true,
      });
      return codeOfPlan({ tree: [], blocked: result === 'refused', pending: false });
    }
    publish(checkReport(folder, loaded, io), options.output, io);
    return codeOfPlan({ tree: loaded.findings, blocked: false, pending: false });
  } finally {
    await store?.close();
  }
}

/** The store is ours until the answer: nothing can come between what is shown and what is applied. */
async function confirmedHere(store: Store, loaded: LoadedTree, facts: Facts, invocation: Invocation): Promise<boolean> {
  const { options, io } = invocation;
  if (!io.ask || options.yes) return false;
  const consents = consentsOf(options);
  const { document: plan } = await planLoaded(benchOf(store, facts, io), loaded, { actor: commandActor, consents });
  const texts: Texts = new Map([...loaded.tree.files.values()].map(({ path, text }) => [path, text]));
  return (await confirmDeletions({ plan, texts }, invocation)).planShown;
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
