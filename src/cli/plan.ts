// weir plan: what apply would do, against a store or a running server.
import { resolve } from 'node:path';
import { planLoaded } from '../control/attempt.ts';
import type { LoadedTree } from '../control/tree.ts';
import { hasErrors } from '../core/model/finding.ts';
import type { PlanDocument } from '../core/plan/plan-document.ts';
import { consentsOf } from './consents.ts';
import { codeOfPlan, type ExitCode } from './exit-codes.ts';
import { offlineFacts } from './facts.ts';
import { Unavailable } from './failure.ts';
import { withProgress } from './progress.ts';
import { publish } from './publish.ts';
import { planOnServer } from './remote.ts';
import type { Report } from './report.ts';
import { checkReport, defaultTree, readTreeAt, surroundings } from './tree.ts';
import { notWritten } from './unwritten.ts';
import { type Invocation, serverFlags, type Verb } from './verb.ts';
import { benchOf, commandActor, planningGround } from './workbench.ts';
import { writeWhole } from './write-whole.ts';

export const plan: Verb = {
  usage: '[DIR]',
  words: { least: 0, most: 1 },
  options: [
    'env',
    'store',
    'secretKeyFile',
    ...serverFlags,
    'out',
    'detailedExitcode',
    'allowDeletes',
    'adopt',
    'secretDir',
    'quiet',
    'output',
  ],
  out: 'file',
  notes: {
    out: 'saves the plan as JSON, for "weir apply PATH"',
    allowDeletes: 'plans as if exactly N deletions were consented to',
    adopt: 'plans as if taking over this object were consented to; may be repeated',
  },
  details: `DIR is the folder of the tree (default ${defaultTree}). Nothing is changed and no lock is taken, so it may be run beside a server.
A store that does not exist counts as empty, and is not made. With --server the plan is made against the live state.`,
  examples: [
    'weir plan',
    'weir plan config --detailed-exitcode',
    'weir plan config --server https://weir.example.com --token-file token --out plan.json',
  ],
  async run(invocation) {
    const { args, options, io } = invocation;
    const folder = args[0] ?? defaultTree;
    const { loaded, plan: made } = await (options.server === undefined ? planHere : planThere)(folder, invocation);
    if (!made) {
      publish(checkReport(folder, loaded, io), options.output, io);
      return codeOfPlan({ tree: loaded.findings, blocked: false, pending: false });
    }
    const blocked = hasErrors(made.findings);
    const report: Report = { type: 'plan', plan: made, result: 'planned', ...surroundings(folder, loaded, io) };
    // An output that fails takes nothing from the plan that is kept, nor the other way round.
    allOf([
      () => options.out !== undefined && save(made, resolve(io.cwd, options.out)),
      () => publish(report, options.output, io),
    ]);
    return codeOf(made, blocked, options.detailedExitcode);
  },
};

/** A tree, and its plan where it is valid. */
interface Made {
  readonly loaded: LoadedTree;
  readonly plan?: PlanDocument;
}

function codeOf(plan: PlanDocument, blocked: boolean, detailed: boolean): ExitCode {
  return codeOfPlan({ tree: [], blocked, pending: detailed && plan.changes.length > 0 });
}

async function planHere(folder: string, { options, io }: Invocation): Promise<Made> {
  const consents = consentsOf(options);
  const { store, facts } = await planningGround(options, io);
  try {
    const loaded = await readTreeAt(folder, facts, io, { git: true, env: options.env });
    if (hasErrors(loaded.findings)) return { loaded };
    const bench = benchOf(store, facts, io);
    const prepared = await withProgress(io, 'planning', () =>
      planLoaded(bench, loaded, { actor: commandActor, consents }),
    );
    return { loaded, plan: prepared.document };
  } finally {
    await store.close();
  }
}

/** The server judges, with what it knows of stacks and secrets; a tree that is wrong on its own never reaches it. */
async function planThere(folder: string, { options, io }: Invocation): Promise<Made> {
  const consents = consentsOf(options);
  const loaded = await readTreeAt(folder, offlineFacts(), io, { git: true, env: options.env });
  const answer = await withProgress(io, `asking ${options.server}`, () => planOnServer(options, loaded, consents, io));
  if ('findings' in answer) return { loaded: { ...loaded, findings: answer.findings } };
  return { loaded, plan: answer.plan };
}

/** Does all of it. Throws what the first that failed threw; of several `Unavailable`, with the words of each. */
function allOf(works: readonly (() => unknown)[]): void {
  const failures = works.flatMap((work) => {
    try {
      work();
      return [];
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return [error];
    }
  });
  if (failures.length > 0)
    throw new Unavailable('output_not_written', failures.map(({ message }) => message).join('\n'));
}

function save(plan: PlanDocument, file: string): void {
  try {
    writeWhole(file, `${JSON.stringify(plan, undefined, 2)}\n`, 0o600);
  } catch (error) {
    throw notWritten(file, error);
  }
}
