// How a change is called in the audit log.
import type { SpecOf } from '../kinds/index.ts';
import type { Change } from '../model/change.ts';
import type { Resource } from '../model/resource.ts';

/** `team.updated`, `stack.created`; sign-ins have names of their own, and what happens to instances by itself. */
export function eventOf(change: Change): string {
  return (
    signInEvent(change) ?? instanceEvent(change) ?? suspensionEvent(change) ?? `${words(change.kind)}.${verbOf(change)}`
  );
}

function verbOf({ before, after }: Change): string {
  return before ? (after ? 'updated' : 'deleted') : 'created';
}

/** `InstanceType` → `instance-type`. */
function words(kind: string): string {
  return kind.replace(/\B[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}

/** A session is a sign-in; a wrong password shows in the counters of its user alone. */
function signInEvent({ kind, before, after }: Change): string | undefined {
  if (kind === 'Session') return before ? (after ? undefined : 'session.ended') : 'sign-in.succeeded';
  if (kind !== 'User' || !before || !after) return undefined;
  const [old, now] = [before as Resource<'User'>, after as Resource<'User'>];
  const counters = countersOf(now.spec).map((is) => ({ is, was: countersOf(old.spec).find(isOf(is)) ?? none }));
  if (counters.some(({ was, is }) => is.lockedUntil !== null && is.lockedUntil !== was.lockedUntil))
    return 'sign-in.locked';
  return counters.some(({ was, is }) => is.failed > was.failed) ? 'sign-in.failed' : undefined;
}

type Counter = { readonly network: string; readonly failed: number; readonly lockedUntil: string | null };

const none = { failed: 0, lockedUntil: null } as const;

/** The counter of the account, and one for each network. */
function countersOf({ failedSignIns: failed, lockedUntil, signInNetworks = [] }: SpecOf<'User'>): readonly Counter[] {
  return [{ network: '', failed, lockedUntil }, ...signInNetworks];
}

function isOf({ network }: Counter) {
  return (other: Counter) => other.network === network;
}

/** That it ended by itself, or could not be brought up; that it went back to the stack before. */
function instanceEvent({ kind, before, after }: Change): string | undefined {
  if (kind !== 'Instance' || !before || !after) return undefined;
  const [old, now] = [before as Resource<'Instance'>, after as Resource<'Instance'>].map(({ spec }) => spec);
  if (now?.state === old?.state) return undefined;
  if (now?.state === 'crashed') return 'instance.crashed';
  const wentBack = old?.state === 'upgrading' && old.previousStack !== undefined && now?.stack === old.previousStack;
  return wentBack && old.stack !== now.stack ? 'instance.upgrade-failed' : undefined;
}

/** What is suspended is the reconciler. */
function suspensionEvent({ kind, after }: Change): string | undefined {
  if (kind !== 'Suspension') return undefined;
  return after ? 'reconciler.suspended' : 'reconciler.resumed';
}

/** Whether the counters of a user tell of a sign-in that failed. */
export function isFailedSignIn(change: Change): boolean {
  return signInEvent(change)?.startsWith('sign-in.') === true && change.kind === 'User';
}
