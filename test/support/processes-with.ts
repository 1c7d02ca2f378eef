// The processes that carry a mark, as the system tells of them: only Linux does.
import { isMarked, type ProcessId, processesThat } from '../../src/drivers/local/process-table.ts';

/** The processes in whose environment a variable has this value: what was started with it, and whatever that has started. */
export async function processesWith(variable: string, value: string): Promise<ProcessId[]> {
  if (process.platform !== 'linux') return [];
  return processesThat((pid) => isMarked({ pid, began: '' }, variable, value));
}
