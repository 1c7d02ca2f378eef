// How near the instances that run are to the limits of their stacks, look by look, and what of that is to be told.

import { treeLimitMb } from '../core/instances/memory.ts';
import { farFrom, type Nearness, nearnessAfter, nearnessNow } from '../core/instances/near-limit.ts';
import { isUntoldNear, type LimitCause, limitCauses } from '../core/instances/untold.ts';
import type { InstanceAlerts } from '../core/kinds/instance.ts';
import type { Resource } from '../core/model/resource.ts';
import type { AlertNote } from '../core/proposals/note-alerts.ts';
import type { InstanceAlert } from '../mail/instance-alerts.ts';
import type { Sample } from './history.ts';

/** A sample of a run; `heapBytes` is what counts against the memory that its stack allows, where that is known. */
export interface Measured extends Sample {
  readonly run: string;
  readonly heapBytes?: number | undefined;
}

/** How much a cause says at once: what takes up a disk does not swing. */
const nearnessOf = { memory: nearnessAfter, cpu: nearnessAfter, disk: nearnessNow } as const;

/** Something to be told of an instance, and what is noted once it was. */
export interface Due {
  readonly instance: Resource<'Instance'>;
  readonly alert: InstanceAlert;
  readonly told: InstanceAlerts;
}

/** How near an instance is to its limits, in one run. */
export interface Near {
  readonly run: string;
  readonly memory: Nearness;
  readonly cpu: Nearness;
  readonly disk: Nearness;
}

/** What is near a limit and was not told, and what was told and is so no more; `nearness` is what is known by the ids of instances, and kept up. */
export function limitsOf(
  nearness: Map<string, Near>,
  instance: Resource<'Instance'>,
  { sample, now }: { readonly sample: Measured | undefined; readonly now: string },
): { readonly found: readonly Due[]; readonly ended: readonly AlertNote[] } {
  const isRunning = instance.spec.state === 'running';
  // At the start of Weir nothing is measured yet of what runs.
  if (isRunning && !sample) return { found: [], ended: [] };
  const near = isRunning && sample ? nearAfter(nearness, instance, sample) : undefined;
  if (!near) nearness.delete(instance.id);
  const nearTo = limitCauses.filter((cause) => near?.[cause].near);
  const farTo = limitCauses.filter((cause) => !near?.[cause].near);
  return {
    found: nearTo.flatMap((cause) => (sample && nearLimit(instance, cause, sample, now)) ?? []),
    ended: farTo.flatMap((cause) => endOf(instance, cause) ?? []),
  };
}

function nearLimit(instance: Resource<'Instance'>, cause: LimitCause, sample: Measured, now: string): Due | undefined {
  const { id, name, spec } = instance;
  const use = useOf(instance, cause, sample);
  if (!use || !isUntoldNear(cause, spec.alerts, now)) return undefined;
  const { share: _, ...numbers } = use;
  return { instance, alert: { id, name, cause, ...numbers }, told: { [cause]: { toldAt: now, near: true } } };
}

function endOf({ id, spec: { alerts } }: Resource<'Instance'>, cause: LimitCause): AlertNote | undefined {
  const told = alerts?.[cause];
  return told?.near ? { id, alerts: { [cause]: { ...told, near: false } } } : undefined;
}

/** Another run begins far from its limits; what was told before Weir was started holds until it is seen to have ended. */
function nearAfter(nearness: Map<string, Near>, instance: Resource<'Instance'>, sample: Measured): Near {
  const known = nearness.get(instance.id);
  const { alerts } = instance.spec;
  const before = (cause: LimitCause): Nearness => {
    if (!known) return { near: alerts?.[cause]?.near ?? false, streak: 0 };
    return known.run === sample.run ? known[cause] : farFrom;
  };
  const after = (cause: LimitCause): Nearness => {
    if (!isLimited(instance, cause)) return farFrom;
    const use = useOf(instance, cause, sample);
    return use ? nearnessOf[cause](before(cause), use.share) : before(cause);
  };
  const near = { run: sample.run, memory: after('memory'), cpu: after('cpu'), disk: after('disk') };
  nearness.set(instance.id, near);
  return near;
}

function isLimited({ spec: { started } }: Resource<'Instance'>, cause: LimitCause): boolean {
  return started?.resources[({ memory: 'memoryMb', cpu: 'cpuPercent', disk: 'diskMb' } as const)[cause]] !== undefined;
}

interface Use {
  /** As it is measured: bytes, or percent of one core. */
  readonly used: number;
  /** In MiB, or percent of one core. */
  readonly limit: number;
  readonly share: number;
  /** Of memory: that of all that it started, and not of its heap. */
  readonly all?: boolean;
}

/** What it uses of a limit. Of the two limits of memory, that of the heap and that of all that it started, the one that is nearer. */
function useOf({ spec: { started } }: Resource<'Instance'>, cause: LimitCause, sample: Measured): Use | undefined {
  const { memoryMb, cpuPercent, diskMb } = started?.resources ?? {};
  if (cause === 'cpu') return use(sample.cpuPercent, cpuPercent, 1);
  if (cause === 'disk') return use(sample.diskBytes, diskMb, mib);
  if (memoryMb === undefined) return undefined;
  const heap = use(sample.heapBytes, memoryMb, mib);
  const all = use(sample.memoryBytes, treeLimitMb(memoryMb), mib);
  return all && (!heap || heap.share < all.share) ? { all: true, ...all } : heap;
}

function use(used: number | undefined, limit: number | undefined, unit: number): Use | undefined {
  if (used === undefined || limit === undefined) return undefined;
  return { used, limit, share: used / (limit * unit) };
}

const mib = 1024 ** 2;
