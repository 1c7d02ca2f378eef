// What is known of the declared platform: what was applied, what was tried, and how it stands.
import type { Finding } from '../core/model/finding.ts';
import type { PlanSummary } from '../core/plan/plan-document.ts';

/** A condition, as Kubernetes has them. */
export interface Condition {
  readonly type: 'Ready' | 'Reconciling' | 'Stalled' | 'SourceAvailable' | 'Drifted';
  readonly status: 'True' | 'False' | 'Unknown';
  /** One word in CamelCase. */
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** The answer of `GET /api/v1/admin/config` and of `weir status`. Revisions are tree digests. */
export interface ConfigStatus {
  readonly revision: { readonly applied: string | null; readonly attempted: string | null };
  readonly commit?: string;
  readonly conditions: readonly Condition[];
  readonly findings: readonly Finding[];
  readonly inventory: { readonly count: number; readonly digest: string };
  readonly lastAppliedAt: string | null;
  readonly lastAttemptedAt: string | null;
}

/** One attempt to reconcile, as history keeps it. */
export interface HistoryEntry {
  readonly revision: string;
  readonly commit?: string;
  readonly dirty?: boolean;
  readonly trigger: 'start' | 'watch' | 'poll' | 'api' | 'command';
  readonly result: 'applied' | 'refused' | 'unchanged';
  readonly at: string;
  readonly durationMs: number;
  readonly summary: PlanSummary;
  readonly errors: number;
  readonly warnings: number;
  readonly findings: readonly Finding[];
  readonly actor?: string;
  /** There was no tree to read, and why: then the revision is `missing`. */
  readonly missing?: string;
}

/** The revision of an attempt that found no tree. */
export const missingRevision = 'missing';
