// What the instances that run use now: of memory and processors with all that they started, and of the disk.
import type { Usage } from '../driver.ts';
import type { DiskUse } from './disk-use.ts';
import type { MemoryGuard } from './memory-guard.ts';
import type { Runtime } from './runtimes.ts';

/** What is measured. */
export interface Measured {
  /** By the ids of their instances; with what they said last of their heap. */
  readonly known: ReadonlyMap<string, { readonly runtime: Runtime; readonly heapBytes?: number | undefined }>;
  readonly guard: Pick<MemoryGuard, 'read'>;
  readonly disk: Pick<DiskUse, 'look'>;
}

/** Measures, by the ids of instances. */
export async function readUsages({ known, guard, disk }: Measured): Promise<ReadonlyMap<string, Usage>> {
  const found = new Map<string, Usage>();
  const disks = await disk.look(new Map([...known].map(([id, { runtime }]) => [id, runtime.folder])));
  const usages = await guard.read();
  for (const [id, { runtime, heapBytes }] of known) {
    const usage = usages.get(runtime.run);
    const heap = heapBytes === undefined ? {} : { heapBytes };
    if (!usage) continue;
    const { memoryBytes, cpuSeconds } = usage;
    found.set(id, { memoryBytes, cpuSeconds, ...heap, diskBytes: disks.get(id) ?? 0, run: runtime.run });
  }
  return found;
}
