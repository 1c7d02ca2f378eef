// Finds a runtime again that was started before this process was. A process that only has its number is left alone.
import { marker } from './environment.ts';
import { type Folder, textIn } from './folder.ts';
import { endInstall } from './modules.ts';
import { isMarked, isRunning, worksIn } from './process-table.ts';
import { forgetRecord, readRecord } from './record.ts';
import { endMarked, type Runtime } from './runtimes.ts';

/** The runtime that was started for an instance, where it still runs. What is left of one that does not is ended. */
export async function findAgain(id: string, folder: Folder): Promise<Runtime | undefined> {
  await endInstall(folder);
  const record = await readRecord(folder);
  if (!record) return undefined;
  const { pid, began, ...rest } = record;
  const isHere = async () =>
    record.folder === folder.path || (pid !== undefined && (await worksIn({ pid, began: began ?? '' }, folder.home)));
  // In a copy of a store stands what belongs to the other one.
  if (!(await isHere())) return forgetRecord(folder).then(() => undefined);
  const token = (await textIn(folder.token))?.trim();
  if (pid !== undefined && began !== undefined && token) {
    const process = { pid, began };
    if ((await isRunning(process)) && (await isMarked(process, marker, record.run)))
      return { ...rest, id, folder, token, process };
  }
  // Weir ended while it started it, so that nobody told it its secrets; or it ended while nobody looked, and left something behind.
  await endMarked(record.run);
  await forgetRecord(folder);
  return undefined;
}
