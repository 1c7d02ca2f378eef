// How a change is called in the audit log.
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
  if (now.spec.lockedUntil !== null && now.spec.lockedUntil !== old.spec.lockedUntil) return 'sign-in.locked';
  return now.spec.failedSignIns > old.spec.failedSignIns ? 'sign-in.failed' : undefined;
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
