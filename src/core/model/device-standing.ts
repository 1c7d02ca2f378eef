// How a device stands: what it should run, and what is known of what it runs.
import type { Reported, runtimeStates } from '../kinds/device.ts';
import type { Resource } from './resource.ts';

/** How long after it was last heard of a device counts as offline. An agent is heard of once a minute at least. */
export const offlineAfterMs = 180_000;

/** What a device is known to be: what its agent said last, unless it was never heard of (`unknown`) or not lately (`offline`). */
export const deviceStatuses = ['unknown', 'offline', 'starting', 'running', 'stopped', 'crashed'] as const satisfies (
  | 'unknown'
  | 'offline'
  | (typeof runtimeStates)[number]
)[];

/** One of them. */
export type DeviceStatus = (typeof deviceStatuses)[number];

/** What a device is known to be, `now`, where it was last seen at `lastSeenAt` (RFC 3339; null for never). */
export function statusOfDevice(reported: Reported | undefined, lastSeenAt: string | null, now: string): DeviceStatus {
  if (lastSeenAt === null) return 'unknown';
  if (Date.parse(now) - Date.parse(lastSeenAt) > offlineAfterMs) return 'offline';
  return reported?.state ?? 'unknown';
}

/** What an agent is told: what its device should be. What else it needs it fetches when a part of this changes. */
export interface WantedOfDevice {
  readonly mode: Resource<'Device'>['spec']['mode'];
}

/** What a device should be. */
export function wantedOf({ spec }: Resource<'Device'>): WantedOfDevice {
  return { mode: spec.mode };
}
