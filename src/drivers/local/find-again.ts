// Finds a runtime again that was started before this process was. A process that only has its number is left alone.
import { stat } from 'node:fs/promises';
import { marker } from './environment.ts';
import { type Folder, keptText } from './folder.ts';
import { endInstall } from './modules.ts';
import { allPids, isMarked, isRunning, variableOf, worksIn } from './process-table.ts';
import { endTree } from './process-tree.ts';
import { forgetRecord, isRun, readRecord } from './record.ts';
import type { Runtime } from './runtimes.ts';

/** The runtime that was started for an instance, where it still runs. What is left of one that does not is ended. */
export async function findAgain(id: string, folder: Folder): Promise<Runtime | undefined> {
  await endInstall(folder);
  const record = await readRecord(folder);
  if (!record) return undefined;
  const { pid, began, ...rest } = { pid: undefined, began: undefined, ...record };
  const isHere = async () =>
    record.folder === folder.path || (pid !== undefined && (await worksIn({ pid, began: began ?? '' }, folder.home)));
  // In a copy of a store stands what belongs to the other one.
  if (!(await isHere())) return forgetRecord(folder, record.run).then(() => undefined);
  const token = (await keptText(folder.token))?.trim();
  if ('port' in rest && pid !== undefined && began !== undefined && token) {
    const process = { pid, began };
    if ((await isRunning(process)) && (await isMarked(process, marker, record.run)))
      return { ...rest, id, folder, token, process };
  }
  // Weir ended while it started it, so that nobody told it its secrets; or it ended while nobody looked, and left something behind.
  await endTree(record);
  await forgetRecord(folder, record.run);
  return undefined;
}

/**
 * The runs of which something works in the folder of an instance, by the ids of the instances. Those that stand in no record that can be read are looked
 * after by nobody, and would write into it beside the next one.
 */
export async function runsIn(homes: ReadonlyMap<string, string>): Promise<readonly (readonly [string, string])[]> {
  const places = new Map<string, string>();
  for (const [id, home] of homes) places.set((await placeOf(home)) ?? '', id);
  places.delete('');
  const found = new Map<string, string>();
  for (const pid of places.size > 0 ? await allPids() : []) {
    const run = await variableOf(pid, marker);
    if (run === undefined || !isRun(run)) continue;
    const id = places.get((await placeOf(`/proc/${pid}/cwd`)) ?? '');
    if (id !== undefined) found.set(run, id);
  }
  return [...found].map(([run, id]) => [id, run] as const);
}

/** Which folder a path leads to, whatever it is called there. */
async function placeOf(path: string): Promise<string | undefined> {
  return stat(path).then(
    ({ dev, ino }) => `${dev}/${ino}`,
    () => undefined,
  );
}
