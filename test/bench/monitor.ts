// Loaded into a server before it starts: measures how long its event loop is held, and tells whoever started it.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What the server answers to the message `read`; milliseconds beyond the sampling interval, which it then starts anew. */
export interface LoopDelay {
  readonly p99: number;
  readonly longest: number;
  readonly cpu: number;
}

const resolution = 1;
const delay = monitorEventLoopDelay({ resolution });
delay.enable();
let cpu = process.cpuUsage();

process.on('message', (message) => {
  if (message !== 'read') return;
  const { user, system } = process.cpuUsage(cpu);
  const ms = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolution);
  process.send?.({ p99: ms(delay.percentile(99)), longest: ms(delay.max), cpu: (user + system) / 1_000 });
  delay.reset();
  cpu = process.cpuUsage();
});
