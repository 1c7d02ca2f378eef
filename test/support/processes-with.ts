// The processes of this machine that are so now, as the system tells of them: only Linux does.
import { allPids, beganAt, isMarked, type ProcessId } from '../../src/drivers/local/process-table.ts';

/** Those that are so. */
export async function processesThat(is: (pid: number) => boolean | Promise<boolean>): Promise<ProcessId[]> {
  const found: ProcessId[] = [];
  for (const pid of await allPids()) {
    const began = (await is(pid)) ? await beganAt(pid) : undefined;
    if (began !== undefined) found.push({ pid, began });
  }
  return found;
}

/** Those in whose environment a variable has this value: what was started with it, and whatever that has started. */
export async function processesWith(variable: string, value: string): Promise<ProcessId[]> {
  if (process.platform !== 'linux') return [];
  return processesThat((pid) => isMarked({ pid, began: '' }, variable, value));
}
