// Makes the names in a folder durable.
import { open } from 'node:fs/promises';

/** Resolves when files that were made, renamed or deleted in a folder are so after a loss of power. Rejects as node:fs does. */
export async function syncFolder(path: string): Promise<void> {
  // Windows can neither open nor sync a folder: its names are durable with the volume's journal.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
