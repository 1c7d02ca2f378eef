// What of an instance its owners have not been told yet: crashes, and that it is near a limit. One mail an hour for each of them.
import type { Crashes, InstanceAlerts, SafeMode } from '../kinds/instance.ts';

/** The limits that an instance can be near to. */
export const limitCauses = ['memory', 'cpu'] as const;
export type LimitCause = (typeof limitCauses)[number];
export type AlertCause = 'crash' | 'safeMode' | LimitCause;

/** In milliseconds: between two mails of one cause, and how old a crash is that nobody wants to hear of any more. */
const pauseMs = 3_600_000;
const staleMs = 24 * 3_600_000;

/** How many crashes are untold; 0 also where it is too early to tell of them, or too late. */
export function untoldCrashes(crashes: Crashes | undefined, alerts: InstanceAlerts | undefined, now: string): number {
  if (!crashes || isEarly(alerts?.crash?.toldAt, now)) return 0;
  const isStale = Date.parse(now) - Date.parse(crashes.at) > staleMs;
  return isStale ? 0 : Math.max(0, crashes.count - (alerts?.crash?.count ?? 0));
}

/** Whether somebody has to be told that it was put into safe mode; who did it by hand knows. */
export function isUntoldSafeMode(
  safeMode: SafeMode | undefined,
  alerts: InstanceAlerts | undefined,
  now: string,
): boolean {
  if (safeMode?.reason !== 'FastEnds') return false;
  const toldAt = alerts?.safeMode?.toldAt;
  return (toldAt === undefined || toldAt < safeMode.since) && !isEarly(toldAt, now);
}

/** Whether somebody has to be told that it is near a limit, where it is: once, as long as it stays so. */
export function isUntoldNear(cause: LimitCause, alerts: InstanceAlerts | undefined, now: string): boolean {
  return !alerts?.[cause]?.near && !isEarly(alerts?.[cause]?.toldAt, now);
}

/** A time that is yet to come was written by a clock that was set back since. */
function isEarly(toldAt: string | undefined, now: string): boolean {
  const since = toldAt === undefined ? pauseMs : Date.parse(now) - Date.parse(toldAt);
  return since >= 0 && since < pauseMs;
}
