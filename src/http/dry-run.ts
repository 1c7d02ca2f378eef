// What a write would do: the plan of a proposal, of which nothing is kept.
import { z } from 'zod';
import { type Tried, transact } from '../control/transact.ts';
import { type KindName, kindOf } from '../core/kinds/index.ts';
import type { Change } from '../core/model/change.ts';
import type { AnyProposal, Context } from '../core/model/proposal.ts';
import type { View } from '../core/model/view.ts';
import { actionOf, type PlanDocument, planDocumentSteps } from '../core/plan/plan-document.ts';
import { fieldsOf } from '../core/plan/plan-fields.ts';
import type { Planned } from '../core/plan/planned.ts';
import { Declined } from '../core/proposals/declined.ts';
import type { Facts } from '../core/rules/facts.ts';
import { createSlicer, inSlices } from '../lib/slice.ts';
import { describedAs } from './json-schema.ts';
import type { Services } from './services.ts';
import { planAnswer, planView } from './views/config.ts';

/** `?dryRun=true`, of every write. */
export const dryRunQuery = {
  dryRun: describedAs(
    z
      .enum(['true', 'false'])
      .default('false')
      .transform((word) => word === 'true'),
    { type: 'boolean', default: false },
  ).describe('Answer the plan, and keep nothing.'),
};

/** The answer to a dry run, for the description of a write. */
export const tried = {
  description: 'What a dry run would change, and in `findings` what stands in its way; nothing is kept.',
  schema: planView,
};

/** The plan of a proposal, with what forbids it, and what it found out. `body` is what was sent: it stands for the tree that a dry run has not. */
export async function dryRun<R>(
  { door, reconciler, fingerprint }: Services,
  proposal: AnyProposal<R>,
  context: Context,
  body: unknown,
): Promise<{ readonly plan: PlanDocument<KindName>; readonly result?: R | undefined }> {
  const { revision, inventory } = await reconciler.status();
  const view = door.store.read();
  const { proposed, consequences, violations, warnings, result } = triedOn(view, proposal, context, door.facts());
  const planned = proposed.flatMap((change) => plannedOf(change) ?? []);
  const base = { revision: revision.applied, digest: inventory.digest };
  // Keyed, because a body may hold a password, which a plain digest would let others guess.
  const source = { digest: fingerprint(JSON.stringify(body ?? null)), files: 0 };
  const findings = [...violations, ...warnings()];
  const around = { base, source, before: view, consequences, findings, fingerprint };
  const plan = { planned, unchanged: planned.length > 0 || violations.length > 0 ? 0 : 1 };
  const document = await inSlices(planDocumentSteps<KindName>(plan, around), createSlicer());
  const isConflict = violations.some(({ rule }) => rule === conflict);
  const summary = { ...document.summary, blocked: 1 };
  return { plan: planAnswer(isConflict ? { ...document, summary } : document), result };
}

/** What stands in the way of a write before any rule is asked: there is no change to show of it then. */
const conflict = 'conflict';

type Shown<R> = Pick<Tried<R | undefined>, 'proposed' | 'consequences' | 'violations' | 'warnings' | 'result'>;

function triedOn<R>(view: View, proposal: AnyProposal<R>, context: Context, facts: Facts): Shown<R> {
  try {
    return transact(view, proposal, context, { facts });
  } catch (error) {
    if (!(error instanceof Declined) || error.reason !== 'conflict') throw error;
    return {
      proposed: [],
      consequences: [],
      result: undefined,
      violations: [{ rule: conflict, severity: 'error', message: error.message }],
      warnings: () => [],
    };
  }
}

/** What the platform keeps up by itself is nobody's plan. */
function plannedOf(change: Change): Planned<KindName> | undefined {
  if (kindOf(change.kind).internal) return undefined;
  const action = actionOf(change);
  if (action === 'update' && fieldsOf(change.before, change.after).length === 0) return undefined;
  return { action, change, quiet: false };
}
