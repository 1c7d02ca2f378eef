// How a device stands: what it should run, and what is known of what it runs.
import type { Reported, runtimeStates } from '../kinds/device.ts';
import type { Resource } from './resource.ts';
import { referrers, type View } from './view.ts';

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

/** The id of the snapshot that a device should run: its own target, or else that of its group. */
export function targetOf({ spec }: Resource<'Device'>, view: View): string | undefined {
  if (spec.targetSnapshot !== undefined || spec.group === undefined) return spec.targetSnapshot;
  return view.get('DeviceGroup', spec.group)?.spec.targetSnapshot;
}

/** The devices and groups whose target is one of an owner's snapshots, but for the owner itself. */
export function targetedBy(view: View, snapshots: Iterable<Resource<'Snapshot'>>, owner?: string): Resource[] {
  const holders: Resource[] = [];
  for (const snapshot of snapshots)
    for (const kind of ['Device', 'DeviceGroup'] as const)
      for (const holder of referrers(view, kind, snapshot)) if (holder.id !== owner) holders.push(holder);
  return holders;
}
