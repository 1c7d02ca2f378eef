// What is known of the declared platform: what was applied, what was tried, and how it stands.
import type { Finding } from '../core/model/finding.ts';
import type { Suspended } from '../core/model/suspension.ts';
import type { PlanSummary } from '../core/plan/plan-document.ts';
import type { Action } from '../core/plan/planned.ts';

/** A condition, as Kubernetes has them. */
export interface Condition {
  readonly type:
    | 'Ready'
    | 'Reconciling'
    | 'Stalled'
    | 'SourceAvailable'
    | 'Settling'
    | 'Drifted'
    | 'Isolation'
    | 'AuditIntact'
    | 'AuditDelivered'
    | 'StoreWritable';
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
  /** Whether files differed from that commit when it was applied. */
  readonly dirty?: boolean;
  readonly conditions: readonly Condition[];
  readonly findings: readonly Finding[];
  /** How many findings there were, where not all of them are told. */
  readonly findingsTotal?: number;
  readonly inventory: { readonly count: number; readonly digest: string };
  readonly lastAppliedAt: string | null;
  readonly lastAttemptedAt: string | null;
  /** `manual`: a changed tree is planned, and applied when somebody asks for it. */
  readonly mode: 'auto' | 'manual';
  /** The tree that waits to be applied, in manual mode. */
  readonly pending?: Pending;
  /** Nothing is read or applied by the server. */
  readonly suspended?: Suspended;
}

/** A tree that was planned and not applied, because nobody has asked for it yet. */
export interface Pending {
  readonly revision: string;
  readonly commit?: string;
  readonly dirty?: boolean;
  readonly summary: PlanSummary;
}

/** The newest attempt as a server remembers it. `pending`: the tree waits to be applied; history says nothing of it. */
export type Attempted = Omit<HistoryEntry, 'result'> & { readonly result: HistoryEntry['result'] | 'pending' };

/** An object that was not as its document wants it because others changed it since a server applied that document. */
export interface Drifted {
  readonly address: string;
  /** What reverts it. */
  readonly action: Action;
  /** What was otherwise; only for updates, and no more than the first. */
  readonly fields: readonly string[];
  /** Whether it was left as it is (`reconcile.drift: report`) instead of being reverted. */
  readonly left: boolean;
  /** Who applied something to it last, and when; the revision is that of their tree. */
  readonly by?: { readonly actor: string; readonly at: string; readonly revision?: string };
  /** How often it drifted within the last hour, where that is often enough to be a fight. */
  readonly times?: number;
  /** Of what is gone: the mark of its document. */
  readonly mark?: string;
}

/** What an attempt found drifted, as much of it as an entry of the history should hold. */
export interface Drift {
  /** The first of what had drifted, fights before all else; absent where nothing had. */
  readonly drift?: readonly Drifted[];
  /** How many objects had drifted, where not all of them are told. */
  readonly driftTotal?: number;
  /**
   * What was left deleted of those that are not told: the marks of their documents, by kind. `all`: more than an entry should hold, so that
   * whatever is not there counts as left deleted until somebody has all of the tree applied.
   */
  readonly gone?: Gone | 'all';
}

/** Marks of documents by kind. */
export type Gone = Readonly<Record<string, readonly string[]>>;

/** How many objects an attempt found drifted. */
export function driftCount({ drift = [], driftTotal = drift.length }: Drift): number {
  return driftTotal;
}

/** How many of them it left as they were: one attempt leaves all, or none. */
export function leftCount(found: Drift): number {
  return found.drift?.some(({ left }) => left) ? driftCount(found) : 0;
}

/** One attempt to reconcile, as history keeps it. */
export interface HistoryEntry extends Drift {
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

/** What made an attempt: everything but a command is a server. */
export function isServer({ trigger }: Pick<HistoryEntry, 'trigger'>): boolean {
  return trigger !== 'command';
}
