// What a saved plan did, once it was carried out: what consents let through is blocked no longer, and what was so already is unchanged.
import type { Following } from '../model/change.ts';
import { type PlanDocument, type PlannedChange, summaryOf, withConsequences } from './plan-document.ts';
import { wantedAction } from './wanted-action.ts';

/** The plan as it was carried out; `done`: addresses of what was as the plan leaves it already; `found`: what followed from the rest. */
export function carriedOut(
  { adopted = [], ...plan }: PlanDocument,
  done: readonly string[],
  found: readonly Following[],
): PlanDocument {
  const isNew = ({ address }: { readonly address: string }) => !done.includes(address);
  const changes = plan.changes.filter(isNew).map(unblocked);
  const silent = adopted.filter(isNew);
  const carried = {
    ...plan,
    summary: summaryOf(changes, plan.summary.unchanged + done.length, silent.length),
    changes,
    findings: plan.findings.filter(({ severity }) => severity !== 'error'),
    ...(silent.length > 0 ? { adopted: silent } : {}),
  };
  return withConsequences(carried, found);
}

function unblocked({ blockedBy: _, ...change }: PlannedChange): PlannedChange {
  return { ...change, action: wantedAction(change) };
}
