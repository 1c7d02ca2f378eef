// The time by which records get old: it goes with the commits, so that a wrong clock cannot take it far.

/** `time` is what age counts from, `last` what the clock showed at the last commit; both in milliseconds since 1970. */
export interface Passing {
  readonly time: number;
  readonly last: number;
}

/** The most that counts between two commits: a clock that was set forward, or a store that was not in use, adds two days. */
const most = 86_400_000;

/**
 * The time once something was committed. It never goes back, and is never ahead of the clock but for where that went back. What was not counted, because
 * the store rested, is made up for at twice the pace.
 */
export function passed(before: Passing | undefined, at: string): Passing | undefined {
  const now = Date.parse(at);
  if (Number.isNaN(now)) return before;
  if (!before) return { time: now, last: now };
  const gap = Math.min(Math.max(now - before.last, 0), most);
  return { time: Math.max(before.time, Math.min(now, before.time + 2 * gap)), last: now };
}
