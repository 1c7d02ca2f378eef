// How a change is called in the audit log.
import type { Change } from '../model/change.ts';
import type { Resource } from '../model/resource.ts';

/** `team.updated`, `stack.created`; sign-ins have names of their own. */
export function eventOf(change: Change): string {
  return signInEvent(change) ?? `${words(change.kind)}.${verbOf(change)}`;
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

/** Whether the counters of a user tell of a sign-in that failed. */
export function isFailedSignIn(change: Change): boolean {
  return signInEvent(change)?.startsWith('sign-in.') === true && change.kind === 'User';
}
