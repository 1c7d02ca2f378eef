// The exit codes of every command, and what leads to which: in one place, and never depending on how something is printed.
import type { Finding } from '../core/model/finding.ts';
import { hasErrors } from '../core/model/finding.ts';

/** What a process ends with. */
export const exitCodes = {
  /** All is well, or there are changes and nobody asked for code 2. */
  fine: 0,
  /** The configuration is invalid. */
  invalid: 1,
  /** Changes are pending (`plan --detailed-exitcode`). */
  pending: 2,
  /** Refused by a rule that needs the live state, by a guard or by protection. */
  refused: 3,
  /** A stale plan, or the store moved. */
  stale: 4,
  /** The tree, store or server cannot be read or reached, or the token is refused. */
  unavailable: 5,
  /** Wrong usage. */
  usage: 64,
  /** A bug in Weir. */
  bug: 70,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What a plan or an apply came to. */
export interface PlanOutcome {
  /** Findings of the tree on its own. */
  readonly tree: readonly Finding[];
  readonly blocked: boolean;
  /** Changes are pending, and the caller asked to be told by the code. */
  readonly pending: boolean;
}

/** The code of a check of a tree on its own. */
export function codeOfFindings(findings: readonly Finding[]): ExitCode {
  return hasErrors(findings) ? exitCodes.invalid : exitCodes.fine;
}

/** The code of a plan: the first that applies. */
export function codeOfPlan({ tree, blocked, pending }: PlanOutcome): ExitCode {
  if (hasErrors(tree)) return exitCodes.invalid;
  if (blocked) return exitCodes.refused;
  return pending ? exitCodes.pending : exitCodes.fine;
}
