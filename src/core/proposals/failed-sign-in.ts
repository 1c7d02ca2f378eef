// Counts wrong passwords: five in a row lock an account for a quarter of an hour; the last admin is slowed, and never locked out for long.
import { activeAdmin } from '../kinds/user.ts';
import { type Change, updated } from '../model/change.ts';
import type { Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';

/** How many wrong passwords in a row lock an account. */
export const mostFailures = 5;

/** How long an account is locked, in milliseconds. */
export const lockMs = 15 * 60_000;

/** How long the last admin waits at most, in milliseconds. */
export const longestPauseMs = 8000;

/** Whether no password is taken now. A lock that ends later than any lock can is none: the clock was set back. */
export function isLocked({ spec }: Resource<'User'>, now: string): boolean {
  if (spec.lockedUntil === null) return false;
  const left = Date.parse(spec.lockedUntil) - Date.parse(now);
  return left > 0 && left <= lockMs;
}

/** The change that one more wrong password makes. */
export function failedSignIn(view: View, user: Resource<'User'>, now: string): Change {
  const count = Math.min(user.spec.failedSignIns + 1, 1_000_000);
  return updated(user, { ...user, spec: { ...user.spec, ...countersAt(count, isLastAdmin(view, user), now) } });
}

function countersAt(count: number, isLast: boolean, now: string) {
  if (count < mostFailures) return { failedSignIns: count, lockedUntil: null };
  const until = (ms: number) => new Date(Date.parse(now) + ms).toISOString();
  // The count goes on, so that each pause is twice as long as the one before.
  if (isLast)
    return { failedSignIns: count, lockedUntil: until(Math.min(longestPauseMs, 1000 * 2 ** (count - mostFailures))) };
  return { failedSignIns: 0, lockedUntil: until(lockMs) };
}

function isLastAdmin(view: View, { spec }: Resource<'User'>): boolean {
  return spec.admin && !spec.suspended && view.countHaving('User', activeAdmin) === 1;
}
