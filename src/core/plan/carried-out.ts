// What a saved plan did, once it was carried out: what consents let through is blocked no longer, and what was so already is unchanged.
import { type PlanDocument, type PlannedChange, summaryOf } from './plan-document.ts';
import { wantedAction } from './wanted-action.ts';

/** The plan as it was carried out; `done`: addresses of what was as the plan leaves it already. */
export function carriedOut({ adopted = [], ...plan }: PlanDocument, done: readonly string[]): PlanDocument {
  const isNew = ({ address }: { readonly address: string }) => !done.includes(address);
  const changes = plan.changes.filter(isNew).map(unblocked);
  const silent = adopted.filter(isNew);
  return {
    ...plan,
    summary: summaryOf(changes, plan.summary.unchanged + done.length, silent.length),
    changes,
    findings: plan.findings.filter(({ severity }) => severity !== 'error'),
    ...(silent.length > 0 ? { adopted: silent } : {}),
  };
}

function unblocked({ blockedBy: _, ...change }: PlannedChange): PlannedChange {
  return { ...change, action: wantedAction(change) };
}
