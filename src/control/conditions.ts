// Conditions as Kubernetes has them: what holds of the declared platform now, and since when.
import { type Suspended, suspendedWords } from '../core/model/suspension.ts';
import {
  type Attempted,
  type Condition,
  type Drift,
  type Drifted,
  driftCount,
  type HistoryEntry,
  leftCount,
} from './config-status.ts';
import { driftWords } from './drift-words.ts';

/** How things stand, from which every condition follows. */
export interface Standing {
  readonly attempted?: Attempted | undefined;
  readonly applied?: HistoryEntry | undefined;
  /** Why there is no tree to read. */
  readonly missing?: string | undefined;
  /** The tree that was read, where one was since the server began. */
  readonly reading?: object | undefined;
  /** What did not stand still when the tree was looked at last. */
  readonly settling?: Settling | undefined;
  readonly reconciling: boolean;
  /** What kept the last attempt from ending: the store, or a bug. */
  readonly failure?: string | undefined;
  readonly mode?: 'auto' | 'manual';
  readonly suspended?: Suspended | undefined;
}

/** How it went when the tree was last waited for until it stood still. */
export interface Settling {
  /** What counts as it was when the tree was last acted on. */
  readonly files: readonly string[];
  /** What has been moving for a minute or more. */
  readonly restless: readonly string[];
  readonly seconds: number;
}

type Told = Omit<Condition, 'lastTransitionTime'>;

/** The conditions of a standing; those that have not changed keep their times. */
export function conditionsOf(standing: Standing, before: readonly Condition[], now: string): Condition[] {
  const all = [ready, reconciling, stalled, sourceAvailable, settling, drifted];
  return all.map((tell) => {
    const told = tell(standing);
    const old = before.find(({ type }) => type === told.type);
    return { ...told, lastTransitionTime: old && old.status === told.status ? old.lastTransitionTime : now };
  });
}

function ready({ attempted, applied, missing, failure }: Standing): Told {
  const kept = applied ? 'the last good state is kept' : 'nothing is applied';
  if (failure !== undefined) return { type: 'Ready', status: 'False', reason: 'ReconcileFailed', message: failure };
  if (missing !== undefined)
    return {
      type: 'Ready',
      status: 'False',
      reason: 'SourceMissing',
      message: `${kept}: ${missing}`,
    };
  if (!attempted)
    return { type: 'Ready', status: 'Unknown', reason: 'NotReconciled', message: 'nothing was applied yet' };
  if (attempted.result === 'refused')
    return {
      type: 'Ready',
      status: 'False',
      reason: 'Refused',
      message: `${kept}: ${problems(attempted)}`,
    };
  const isPending = attempted.result === 'pending' && applied !== undefined;
  if (attempted.result === 'pending' && !applied)
    return {
      type: 'Ready',
      status: 'Unknown',
      reason: 'NotReconciled',
      message: `nothing was applied yet: ${waits(attempted)}`,
    };
  const left = leftCount(attempted);
  const but = left === 0 ? '' : `, but for ${left} object${left === 1 ? '' : 's'} that drifted`;
  return {
    type: 'Ready',
    status: 'True',
    reason: 'Applied',
    message: `the state is what revision ${short(isPending ? applied.revision : attempted.revision)} wants${but}${isPending ? `; ${waits(attempted)}` : ''}`,
  };
}

function reconciling({ reconciling: busy, suspended, mode, attempted }: Standing): Told {
  if (busy) return { type: 'Reconciling', status: 'True', reason: 'Progressing', message: 'a reconcile is under way' };
  const type = 'Reconciling';
  const status = 'False';
  if (suspended) return { type, status, reason: 'Suspended', message: `${suspendedWords(suspended)}` };
  if (mode !== 'manual') return { type, status, reason: 'Idle', message: 'waiting for a change of the tree' };
  const how = '"weir apply --server URL --token-file FILE" applies';
  const message =
    attempted?.result === 'pending' ? `${waits(attempted)}: ${how} it` : `${how} what changes in the tree`;
  return { type, status, reason: 'ManualMode', message };
}

function stalled({ attempted, missing, failure }: Standing): Told {
  if (missing === undefined && failure === undefined && attempted?.result === 'refused')
    return {
      type: 'Stalled',
      status: 'True',
      reason: wasPlanned(attempted) ? 'Blocked' : 'Invalid',
      message: problems(attempted),
    };
  return {
    type: 'Stalled',
    status: 'False',
    reason: 'NotStalled',
    message: 'nothing stands in the way of the next reconcile',
  };
}

function sourceAvailable({ attempted, missing, reading, suspended }: Standing): Told {
  const type = 'SourceAvailable';
  if (suspended && !reading)
    return {
      type,
      status: 'Unknown',
      reason: 'Suspended',
      message: 'nothing is read while the reconciler is suspended',
    };
  if (missing !== undefined) return { type, status: 'False', reason: 'Missing', message: missing };
  if (!attempted && !reading) return { type, status: 'Unknown', reason: 'NotRead', message: 'nothing was read yet' };
  return { type, status: 'True', reason: 'Read', message: 'the tree can be read' };
}

function settling({ settling: seen, attempted, reading }: Standing): Told {
  const type = 'Settling';
  if (!seen && !attempted && !reading)
    return { type, status: 'Unknown', reason: 'NotRead', message: 'nothing was read yet' };
  const { files = [], restless = [] } = seen ?? {};
  if (files.length === 0)
    return { type, status: 'False', reason: 'Settled', message: 'every file of the tree stands still' };
  if (restless.length > 0)
    return {
      type,
      status: 'True',
      reason: 'NeverStill',
      message: `what is written without pause counts as it was when the tree was last acted on: ${firstOf(restless)}; stop what writes it, or name it in Platform.spec.exclude`,
    };
  return {
    type,
    status: 'True',
    reason: 'Moving',
    message: `what does not stand still counts as it was when the tree was last acted on: ${firstOf(files)}`,
  };
}

function firstOf(files: readonly string[]): string {
  const names = files.slice(0, 3).map((file) => (file === '.' ? 'the tree as a whole' : file));
  return `${names.join(', ')}${files.length > 3 ? ` and ${files.length - 3} more` : ''}`;
}

/** What the last reconcile that came to a plan found drifted, and did not revert or reverted. */
export function driftOf({ attempted, applied }: Pick<Standing, 'attempted' | 'applied'>): Drift {
  // A tree that is wrong on its own says nothing of the state.
  const isTold = attempted?.drift !== undefined || attempted?.result !== 'refused' || wasPlanned(attempted);
  return (isTold ? attempted : applied) ?? {};
}

function drifted({ attempted, applied }: Standing): Told {
  if (!attempted)
    return { type: 'Drifted', status: 'Unknown', reason: 'NotReconciled', message: 'nothing was applied yet' };
  const found = driftOf({ attempted, applied });
  const fights = (found.drift ?? []).filter(({ times }) => times !== undefined);
  const isTrue = { type: 'Drifted', status: 'True' } as const;
  if (fights.length > 0)
    return {
      ...isTrue,
      reason: 'Fighting',
      message: `somebody else keeps changing what the tree declares: ${fights.slice(0, mostTold).map(fightWords).join('; ')}`,
    };
  if (leftCount(found) > 0)
    return {
      ...isTrue,
      reason: attempted.result === 'refused' ? 'NotReverted' : 'Left',
      message: told(found, 'left so'),
    };
  if (driftCount(found) > 0)
    return { type: 'Drifted', status: 'False', reason: 'Reverted', message: told(found, 'reverted') };
  return {
    type: 'Drifted',
    status: 'False',
    reason: 'AsApplied',
    message: 'declared objects are as they were applied',
  };
}

const mostTold = 5;

function told(found: Drift, what: string): string {
  const { drift = [] } = found;
  const total = driftCount(found);
  const words = drift.slice(0, mostTold).map(driftWords).join('; ');
  const more = total > mostTold ? `; and ${total - mostTold} more` : '';
  const [noun, verb] = total === 1 ? ['object', 'was'] : ['objects', 'were'];
  return `${total} ${noun} had been changed by others and ${verb} ${what}: ${words}${more}`;
}

function fightWords(drifted: Drifted): string {
  return `${driftWords(drifted)}, ${drifted.times} times within an hour`;
}

/** Whether the tree itself was good: then something in the state, or a guard, said no. */
function wasPlanned({ summary }: Pick<HistoryEntry, 'summary'>): boolean {
  return Object.values(summary).some((count) => count > 0);
}

function problems({ errors, revision }: Attempted): string {
  return `revision ${short(revision)} was refused for ${errors} error${errors === 1 ? '' : 's'}`;
}

/** `revision abcdef012345 waits with 3 changes`. */
function waits({ revision, summary: { unchanged: _, ...counts } }: Attempted): string {
  const changes = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return `revision ${short(revision)} waits with ${changes} change${changes === 1 ? '' : 's'}`;
}

function short(revision: string): string {
  return revision.slice(0, 12);
}
