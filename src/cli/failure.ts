// The ways in which a command ends without its work done, each with its exit code and its words.
import { BaseMoved, TreeMissing } from '../control/failures.ts';
import type { PlanSource } from '../core/plan/plan-document.ts';
import { Declined } from '../core/proposals/declined.ts';
import { UsageError } from '../options.ts';
import { BackupFailed } from '../store/backup/failed.ts';
import { NotKept, OutcomeUnknown, StoreUnavailable } from '../store/store.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { ProblemReport } from './report.ts';

/** Something outside cannot be read, written or reached, or a server refused the token. `code` is one stable word. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Somebody was asked whether to go on, and did not say yes. */
export class NotConfirmed extends Error {
  override readonly name = 'NotConfirmed';
  constructor() {
    super('nothing was applied, because the deletions were not confirmed (--yes does not ask)');
  }
}

/** A server follows another tree than the one that a saved plan was made from. */
export class OtherTree extends Error {
  override readonly name = 'OtherTree';
  constructor(theirs: PlanSource, ours: PlanSource) {
    super(
      `the plan is stale, because the server has another tree (${nameOf(theirs)}) than the one it was made from (${nameOf(ours)})\nwait until the server has followed, or make a new plan with "weir plan"`,
    );
  }
}

function nameOf({ digest, commit }: PlanSource): string {
  return `revision ${digest.slice(0, 12)}${commit === undefined ? '' : `, commit ${commit.slice(0, 12)}`}`;
}

/** What is told of a failure, and the exit code that it means. */
export interface Failure {
  readonly report: ProblemReport;
  readonly exitCode: ExitCode;
}

/** A failure that people can do something about; nothing for a bug in Weir. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof UsageError) return failure('usage', error.message, exitCodes.usage);
  if (error instanceof TreeMissing) return failure('tree_missing', error.message, exitCodes.unavailable);
  if (error instanceof StoreUnavailable) return failure(`store_${error.reason}`, error.message, exitCodes.unavailable);
  if (error instanceof Unavailable) return failure(error.code, error.message, exitCodes.unavailable);
  // What is there already is the live state's; everything else cannot be read or written.
  if (error instanceof BackupFailed)
    return failure(
      `backup_${error.reason}`,
      error.message,
      error.reason === 'occupied' ? exitCodes.refused : exitCodes.unavailable,
    );
  if (error instanceof NotKept) return failure('not_kept', error.message, exitCodes.unavailable);
  if (error instanceof OutcomeUnknown) return failure('outcome_unknown', error.message, exitCodes.unavailable);
  // What is named does not exist: the caller's mistake. What stands in the way is in the live state.
  if (error instanceof Declined)
    return failure(error.reason, error.message, error.reason === 'not_found' ? exitCodes.usage : exitCodes.refused);
  if (error instanceof NotConfirmed) return failure('not_confirmed', error.message, exitCodes.refused);
  if (error instanceof BaseMoved) return stale(error.addresses);
  if (error instanceof OtherTree) return failure('stale', error.message, exitCodes.stale);
  return undefined;
}

/** Whether a failure may end by itself: a server that starts or is away, a store that nobody made yet. */
export function isTransient(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return error.reason === 'missing';
  return error instanceof Unavailable && ['server_unreachable', 'server_unavailable'].includes(error.code);
}

function failure(code: string, message: string, exitCode: ExitCode): Failure {
  return { report: { type: 'problem', code, message }, exitCode };
}

function stale(addresses: readonly string[]): Failure {
  const message =
    addresses.length === 0
      ? 'the plan is stale, because the state changed since it was made: make a new one with "weir plan"'
      : `the plan is stale, because these objects changed since it was made: ${addresses.join(', ')}\nmake a new one with "weir plan"`;
  return { report: { type: 'problem', code: 'stale', message, addresses }, exitCode: exitCodes.stale };
}
