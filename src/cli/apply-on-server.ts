// Has a running server apply its own tree: as it stands, or only if that does what a saved plan shows.
import { BaseMoved } from '../control/failures.ts';
import type { PlanDocument, PlannedChange } from '../core/plan/plan-document.ts';
import type { Consents } from '../core/rules/rule.ts';
import type { Options } from '../options.ts';
import { consentsOf } from './consents.ts';
import { codeOfPlan, type ExitCode } from './exit-codes.ts';
import { OtherTree } from './failure.ts';
import type { Io } from './io.ts';
import { withProgress } from './progress.ts';
import { publish } from './publish.ts';
import { ownPlanOnServer, type Reconciled, reconcileOnServer } from './remote.ts';
import type { Invocation } from './verb.ts';

/** Applies the tree of the server, or the plan `saved` of it. Throws `BaseMoved`, `OtherTree` and `Unavailable`. */
export async function applyOnServer({ options, io }: Invocation, saved?: PlanDocument): Promise<ExitCode> {
  const consents = consentsOf(options);
  const answer = await withProgress(io, `asking ${options.server}`, () =>
    saved ? applySavedOnServer(saved, options, consents, io) : reconcileOnServer(options, consents, io),
  );
  const here = { texts: new Map<string, string>(), root: undefined, seconds: io.elapsed() / 1000 };
  if ('invalid' in answer) {
    publish({ type: 'check', findings: answer.invalid, files: 0, documents: 0, ...here }, options.output, io);
    return codeOfPlan({ tree: answer.invalid, blocked: false, pending: false });
  }
  if ('refused' in answer) {
    publish({ type: 'refusal', findings: answer.refused }, options.output, io);
    return codeOfPlan({ tree: [], blocked: true, pending: false });
  }
  const { plan } = answer;
  const changed = plan.changes.length > 0 || plan.summary.adopt > 0;
  const result = 'already' in answer ? 'already' : changed ? 'applied' : 'unchanged';
  publish({ type: 'plan', plan, result, ...here }, options.output, io);
  return codeOfPlan({ tree: [], blocked: false, pending: false });
}

/**
 * Has the server apply its tree, where that is the tree of the plan, and every object stands as the plan found it, or as it would leave it.
 * `already`: nothing was left to do. Throws `BaseMoved` with the addresses of the others, `OtherTree` and `Unavailable`.
 */
async function applySavedOnServer(
  saved: PlanDocument,
  options: Options,
  consents: Consents,
  io: Io,
): Promise<Reconciled | AlreadyApplied> {
  for (let attempt = 1; ; attempt++) {
    const pending = await pendingOf(saved, options, io);
    if (!('base' in pending)) return pending;
    try {
      return await reconcileOnServer(options, consents, io, pending);
    } catch (error) {
      // The server follows its tree by itself, and may have come first.
      if (!(error instanceof BaseMoved) || attempt === 3) throw error;
    }
  }
}

interface AlreadyApplied {
  readonly plan: PlanDocument;
  readonly already: true;
}

/** The state and the tree to reconcile where the server would do what the plan shows; or what else there is to say. */
async function pendingOf(
  saved: PlanDocument,
  options: Options,
  io: Io,
): Promise<Reconciled | AlreadyApplied | Pick<PlanDocument, 'base' | 'source'>> {
  const own = await ownPlanOnServer(options, io);
  if ('invalid' in own) return own;
  const { plan } = own;
  if (plan.source.digest !== saved.source.digest) throw new OtherTree(plan.source, saved.source);
  const wanted = new Map(saved.changes.map((change) => [change.address, essence(change)]));
  const moved = plan.changes.filter((change) => wanted.get(change.address) !== essence(change));
  if (moved.length > 0) throw new BaseMoved(moved.map(({ address }) => address));
  const isDone = plan.changes.length + (plan.adopted?.length ?? 0) === 0;
  return isDone ? { plan: saved, already: true } : { base: plan.base, source: plan.source };
}

/** What makes two planned changes the same. Fingerprints of secrets are keyed by each process for itself, so they say nothing here. */
function essence({ precondition, fields }: PlannedChange): string {
  const changed = fields.map(({ path, before, after, sensitive }) =>
    sensitive ? [path] : [path, before ?? null, after ?? null],
  );
  return JSON.stringify([Object.entries(precondition).sort(), changed]);
}
