// What a process takes of the machine, as the system sees it.
import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory, and how many descriptors are open. */
export interface Usage {
  readonly residentBytes: number;
  readonly handles: number;
}

/** Of a process that runs, by `proc(5)`; nothing where it has ended, and on systems that have nothing like it. */
export function usageOf(pid: number): Usage | undefined {
  try {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return { residentBytes: Number(kilobytes) * 1_024, handles: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return undefined;
  }
}
