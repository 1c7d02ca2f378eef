// What the reconciler offers to the API: status, plans, and a reconcile on demand.
import type { Source } from '../core/model/finding.ts';
import type { Actor } from '../core/model/proposal.ts';
import type { View } from '../core/model/view.ts';
import type { PlanDocument, PlanSource } from '../core/plan/plan-document.ts';
import type { Consents } from '../core/rules/rule.ts';
import type { Settling } from './conditions.ts';
import type { Attempted, Condition, ConfigStatus, HistoryEntry } from './config-status.ts';

/** Where a declared resource and each of its written fields stand in the tree that was read last. */
export interface Places {
  readonly source: Source;
  /** By JSON Pointer into the resource (`/spec/label`). */
  readonly fields: Readonly<Record<string, { readonly file: string; readonly line: number }>>;
}

export interface ReconcileRequest {
  /** The base of the plan that the caller has seen; the reconcile is refused where the state has moved since. */
  readonly base?: { readonly revision?: string | null; readonly digest?: string };
  /** The tree that the caller has seen, by its digest; the reconcile is refused where another one is read. */
  readonly source?: { readonly digest: string };
  readonly consents: Consents;
  readonly actor: Actor;
  readonly requestId?: string;
  readonly address?: string;
  /** Throws where whoever asks may not (any more), by the state that it would be kept in. */
  readonly permit?: (view: View) => void;
}

/** A tree given as texts: paths are relative to its root. */
export interface PostedTree {
  readonly documents: readonly { readonly path: string; readonly content: string }[];
  /** The overlay that is merged over it. */
  readonly environment?: string;
  /** Where it stands in git, as whoever sends it says. */
  readonly source?: Pick<PlanSource, 'commit' | 'dirty'>;
  readonly consents?: Consents;
}

/** How the platform stands, as far as the reconciler remembers: the newest attempt that found a tree, and the newest that was not refused. */
export interface ReconcilerStanding {
  readonly attempted?: Attempted | undefined;
  readonly applied?: HistoryEntry | undefined;
  readonly conditions: readonly Condition[];
  /** How the tree stood still when it was last waited for. */
  readonly settling?: Settling | undefined;
  readonly mode: ConfigStatus['mode'];
  readonly suspended?: ConfigStatus['suspended'];
}

export interface Reconciler {
  /** Whether the first reconcile has ended, whatever its outcome. */
  settled(): boolean;
  status(): Promise<ConfigStatus>;
  /** The part of it that costs nothing; nothing before the first reconcile has ended. */
  standing(): ReconcilerStanding | undefined;
  /** The server's own tree against its state; each change says whether the source or the state moved. */
  plan(): Promise<PlanDocument>;
  /** A tree given as texts against the state. Throws `TreeInvalid` and `TreeMissing`. */
  planDocuments(posted: PostedTree): Promise<PlanDocument>;
  /**
   * Reads the tree and applies it; answers the plan done. Throws `BaseMoved`, `SourceMoved`, `TreeInvalid`, `PlanBlocked`, `TreeMissing`,
   * `ReconcilerSuspended`.
   */
  reconcile(request: ReconcileRequest): Promise<PlanDocument>;
  /** Nothing for what no document of the last good tree declares. */
  placesOf(address: string): Places | undefined;
}
