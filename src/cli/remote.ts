// Asks a running server instead of a store: plans, reconciles and status over its API.
import type { ConfigStatus } from '../control/config-status.ts';
import { BaseMoved } from '../control/failures.ts';
import type { LoadedTree } from '../control/tree.ts';
import { type Finding, hasErrors } from '../core/model/finding.ts';
import type { PlanDocument } from '../core/plan/plan-document.ts';
import { Declined } from '../core/proposals/declined.ts';
import type { Consents } from '../core/rules/rule.ts';
import { textsOf } from '../manifests/texts.ts';
import type { Options } from '../options.ts';
import { type Answer, ask, bodyOf, refusedBy } from './ask-server.ts';
import { Unavailable } from './failure.ts';
import type { Io } from './io.ts';

/** The plan of a tree against the live state, or what is wrong with the tree on its own. Throws `Unavailable`. */
export async function planOnServer(
  options: Options,
  loaded: LoadedTree,
  consents: Consents,
  io: Io,
): Promise<{ readonly plan: PlanDocument } | { readonly findings: readonly Finding[] }> {
  // The server is asked even for a tree that is known to be wrong: one that cannot be reached is told first.
  const wrong = hasErrors(loaded.findings);
  const answer = await (wrong
    ? ask(options, io, 'GET', 'config')
    : ask(options, io, 'POST', 'config/plan', { ...postedOf(loaded), ...bodyFor(consents) }));
  if (answer.ok && wrong) return { findings: loaded.findings };
  if (answer.ok) return { plan: planIn(options, answer) };
  if (isProblem(answer, 'tree_invalid')) return { findings: answer.violations };
  throw refusedBy(options, answer);
}

/** The plan of the server's own tree, or what is wrong with that tree. Throws `Unavailable`. */
export async function ownPlanOnServer(
  options: Options,
  io: Io,
): Promise<{ readonly plan: PlanDocument } | { readonly invalid: readonly Finding[] }> {
  const answer = await ask(options, io, 'GET', 'config/plan');
  if (answer.ok) return { plan: planIn(options, answer) };
  if (isProblem(answer, 'tree_invalid')) return { invalid: answer.violations };
  throw refusedBy(options, answer);
}

/** What came of a reconcile: the plan done, an invalid tree, or what the live state refuses. */
export type Reconciled =
  | { readonly plan: PlanDocument }
  | { readonly invalid: readonly Finding[] }
  | { readonly refused: readonly Finding[] };

/**
 * Has the server apply its own tree; only if that and its state are still those of the plan `seen`, where that is given. Throws `Unavailable`,
 * `BaseMoved`, and `Declined` while it is suspended.
 */
export async function reconcileOnServer(
  options: Options,
  consents: Consents,
  io: Io,
  seen?: Pick<PlanDocument, 'base' | 'source'>,
): Promise<Reconciled> {
  const body = {
    ...bodyFor(consents),
    ...(seen ? { base: seen.base, source: { digest: seen.source.digest } } : {}),
  };
  const answer = await ask(options, io, 'POST', 'config/reconcile', body);
  if (answer.status === 202)
    throw new Unavailable(
      'unavailable',
      `the server ${options.server} applies its tree still: see how it ends with weir status --server ${options.server}`,
    );
  if (answer.ok) return { plan: planIn(options, answer) };
  if (answer.status === 412) throw new BaseMoved();
  if (isProblem(answer, 'tree_invalid')) return { invalid: answer.violations };
  if (isProblem(answer, 'conflict')) throw new Declined('conflict', answer.detail.replace(/\.$/, ''));
  // The state can come to refuse it at the very last moment, too.
  if (isProblem(answer, 'plan_blocked') || isProblem(answer, 'rule_violated')) return { refused: answer.violations };
  throw refusedBy(options, answer);
}

/** The status that the server gives. Throws `Unavailable`. */
export async function statusOnServer(options: Options, io: Io): Promise<ConfigStatus> {
  return statusIn(options, await ask(options, io, 'GET', 'config'));
}

/** The status after something that was asked for. Throws `Unavailable`. */
export async function postForStatus(options: Options, io: Io, path: string, body: object): Promise<ConfigStatus> {
  return statusIn(options, await ask(options, io, 'POST', path, body));
}

function statusIn(options: Options, answer: Answer): ConfigStatus {
  if (!answer.ok) throw refusedBy(options, answer);
  return bodyOf<ConfigStatus>(options, answer, ['revision', 'conditions', 'findings', 'inventory']);
}

function planIn(options: Options, answer: Answer): PlanDocument {
  const needed = ['formatVersion', 'base', 'source', 'summary', 'changes', 'findings'] as const;
  // A server of a version before this one tells no consequences.
  return { consequences: [], ...bodyOf<Omit<PlanDocument, 'consequences'>>(options, answer, needed) };
}

function isProblem({ type }: Answer, word: string): boolean {
  return type.endsWith(`:${word}`);
}

function bodyFor({ allowDeletes, adopt }: Consents) {
  return {
    ...(allowDeletes === undefined ? {} : { allowDeletes }),
    ...(adopt.size > 0 ? { adopt: [...adopt] } : {}),
  };
}

/** A tree as the server takes it; an environment without a file is the tree itself. */
function postedOf({ tree, source: { commit, dirty } }: LoadedTree) {
  const documents = textsOf(tree);
  const { overlay } = tree;
  const hasOverlay = overlay !== undefined && documents.some(({ path }) => path.startsWith(`overlays/${overlay}/`));
  const source = commit === undefined ? {} : { source: { commit, ...(dirty === undefined ? {} : { dirty }) } };
  return { documents, ...(hasOverlay ? { environment: overlay } : {}), ...source };
}
