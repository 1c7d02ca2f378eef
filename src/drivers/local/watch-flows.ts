// Watches the flows of an instance that runs. What the system tells is a hint, and looking now and then makes up for what it does not tell.
import { type FSWatcher, watch } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folder } from './folder.ts';
import { storedFiles } from './stored.ts';

/**
 * Calls `changed` when the file of the flows is another than it was, and once at first. A deploy writes it always and last, after the credentials:
 * looked at before, it would be half a deploy. Answers the function that ends it.
 */
export function watchFlows({ home }: Folder, lookMs: number, changed: () => void): () => void {
  const path = join(home, storedFiles.flows);
  let known = markOf(path);
  let over = false;
  const look = () => {
    const before = known;
    known = before.then(async (old) => {
      const now = await markOf(path);
      if (now !== old && !over) changed();
      return now;
    });
  };
  // What was deployed while nobody looked is a change, too.
  known.then(() => {
    if (!over) changed();
  });
  const timer = setInterval(look, lookMs).unref();
  const watcher = watcherOf(home, look);
  return () => {
    over = true;
    clearInterval(timer);
    watcher?.close();
  };
}

/** Nothing where the system can watch no more. */
function watcherOf(home: string, look: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(home, { persistent: false }, (_event, name) => {
      if (name === null || name === storedFiles.flows) look();
    });
    return watcher.on('error', () => watcher.close());
  } catch {
    return undefined;
  }
}

async function markOf(path: string): Promise<string> {
  return lstat(path, { bigint: true }).then(
    ({ ino, size, mtimeNs }) => `${ino} ${size} ${mtimeNs}`,
    () => '',
  );
}
