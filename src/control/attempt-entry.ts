// What history says of an attempt: how it went, what was found, and what had drifted.
import { type Finding, firstFindings } from '../core/model/finding.ts';
import type { Actor } from '../core/model/proposal.ts';
import type { PlanDocument, PlanSource, PlanSummary } from '../core/plan/plan-document.ts';
import type { Drift, HistoryEntry } from './config-status.ts';

/** The time, and a monotonic one in milliseconds. */
interface Clocks {
  readonly now: () => string;
  readonly elapsed: () => number;
}

/** Why and by whom an attempt is made. */
interface Reason {
  readonly trigger: HistoryEntry['trigger'];
  readonly actor: Actor;
}

interface Outcome {
  readonly source: PlanSource;
  readonly findings: readonly Finding[];
  readonly summary: PlanSummary;
  readonly drift?: Drift;
}

/** The record of an attempt whose plan is kept. */
export function keptEntry(
  bench: Clocks,
  plan: PlanDocument,
  occasion: Reason,
  start: number,
  drift: Drift,
): HistoryEntry {
  const { source, findings, summary } = plan;
  const result = hasChanges(plan) ? 'applied' : 'unchanged';
  return entryOf(bench, occasion, start, result, { source, findings, summary, drift });
}

/** Whether a plan does anything that anybody sees. */
export function hasChanges({ changes, adopted = [] }: PlanDocument): boolean {
  return changes.length > 0 || adopted.length > 0;
}

/** What is refused, or waits, reverts nothing. */
export function allLeft({ drift, ...found }: Drift): Drift {
  return drift ? { ...found, drift: drift.map((one) => ({ ...one, left: true })) } : found;
}

/** The summary of an attempt that came to no plan. */
export const nothingPlanned: PlanSummary = {
  create: 0,
  update: 0,
  delete: 0,
  rename: 0,
  adopt: 0,
  unchanged: 0,
  blocked: 0,
};

/** The record of an attempt that began at `start`. */
export function entryOf(
  bench: Clocks,
  occasion: Reason,
  start: number,
  result: HistoryEntry['result'],
  outcome: Outcome,
): HistoryEntry {
  const { source, findings, summary, drift = {} } = outcome;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const durationMs = Math.round(bench.elapsed() - start);
  const { digest: revision, commit, dirty } = source;
  const git = { ...(commit === undefined ? {} : { commit }), ...(dirty === undefined ? {} : { dirty }) };
  const times = { trigger: occasion.trigger, result, at: bench.now(), durationMs };
  const counts = { summary, errors, warnings: findings.length - errors };
  const actor = occasion.actor.name ?? occasion.actor.id;
  const { findings: kept } = firstFindings(findings);
  const more = { ...(actor === undefined ? {} : { actor }), ...drift };
  return { revision, ...git, ...times, ...counts, findings: kept, ...more };
}
