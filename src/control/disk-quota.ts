// Holds instances to the disk that their stacks allow: told when they are over it, stopped when they go on.
import { type DiskLooks, diskVerdict } from '../core/instances/disk-limit.ts';
import type { Resource } from '../core/model/resource.ts';
import { stopOverDisk } from '../core/proposals/stop-over-disk.ts';
import { keep, note, type Plant } from './instance-keeping.ts';

/** What an instance takes up, in a run of it. */
export interface DiskSample {
  readonly run: string;
  readonly diskBytes?: number | undefined;
}

/** What holds instances to their limits. */
export interface DiskQuota {
  /** Looks at what is taken up now, by the ids of instances that run. */
  look(samples: ReadonlyMap<string, DiskSample>): Promise<void>;
}

const mib = 1024 ** 2;

/** Makes it. What cannot be kept is tried again at the next look. */
export function createDiskQuota(plant: Plant): DiskQuota {
  const known = new Map<string, DiskLooks>();
  return {
    look: async (samples) => {
      for (const id of known.keys()) if (!samples.has(id)) known.delete(id);
      const view = plant.door.store.read();
      for (const [id, { run, diskBytes }] of samples) {
        const instance = view.get('Instance', id);
        const limit = instance?.spec.started?.resources.diskMb;
        if (!instance || limit === undefined || diskBytes === undefined) continue;
        const { verdict, looks } = diskVerdict(known.get(id), { run, used: diskBytes, limit: limit * mib });
        known.set(id, looks);
        await act(plant, instance, verdict, diskBytes).catch((error: unknown) => {
          const words = error instanceof Error ? error.message : String(error);
          plant.log('error', `that the instance ${id} takes up too much of the disk cannot be kept: ${words}`);
        });
      }
    },
  };
}

async function act(
  plant: Plant,
  { id, spec }: Resource<'Instance'>,
  verdict: ReturnType<typeof diskVerdict>['verdict'],
  used: number,
): Promise<void> {
  const type = 'DiskExceeded';
  const isTold = spec.conditions.some((condition) => condition.type === type);
  if (verdict === 'fine') return isTold ? note(plant, id, { type }) : undefined;
  const because = `because it takes up ${Math.ceil(used / mib)} MiB of the disk and its stack allows ${spec.started?.resources.diskMb} MiB`;
  if (verdict === 'over' && !isTold) {
    const message = `it cannot take up more, ${because}: delete files, or move it to a stack that allows more; it is stopped where it goes on growing`;
    await note(plant, id, { type, why: { reason: type, message } });
  }
  if (verdict !== 'stop') return;
  const message = `it cannot run on, ${because}, and went on growing: it was stopped; move it to a stack that allows more, or start it and delete files, which it is let do as long as it does not grow`;
  await keep(plant, stopOverDisk(id, { reason: type, message }));
}
