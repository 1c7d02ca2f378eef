// Gauges of the runtimes that run on this machine: how many, and what they use together.
import { Gauge, type OpenMetricsContentType, type Registry } from 'prom-client';

/** What one runtime uses. `cpuSeconds`: since it was started. */
export interface RuntimeUsage {
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  readonly diskBytes?: number;
}

/** Registers them; answers the function that brings them up to date. */
export function runtimeGauges(
  registry: Registry<OpenMetricsContentType>,
): (usages: ReadonlyMap<string, RuntimeUsage>) => void {
  const registers = [registry];
  const count = new Gauge({ name: 'weir_runtimes', help: 'Runtimes that run on this machine.', registers });
  const memory = new Gauge({
    name: 'weir_runtimes_memory_bytes',
    help: 'Memory that the runtimes on this machine hold together.',
    registers,
  });
  const cpu = new Gauge({
    name: 'weir_runtimes_cpu_seconds',
    help: 'Processor time of the runtimes on this machine together, of each since it was started.',
    registers,
  });
  const disk = new Gauge({
    name: 'weir_runtimes_disk_bytes',
    help: 'Disk that the folders of the runtimes on this machine take up together, as far as they were looked through.',
    registers,
  });
  return (usages) => {
    const all = [...usages.values()];
    count.set(all.length);
    memory.set(all.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0));
    disk.set(all.reduce((sum, { diskBytes = 0 }) => sum + diskBytes, 0));
    cpu.set(all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0));
  };
}
