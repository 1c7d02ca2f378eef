// A disk whose syncs are told: how long each took, and whether it failed. What else it does is as it was.
import { performance } from 'node:perf_hooks';
import type { FileSystem } from './file-system.ts';

/** A sync of a file or of a folder's names. */
export interface Sync {
  readonly seconds: number;
  readonly failed: boolean;
}

/** The same disk, each of whose syncs is told, whoever asks for it: the journal, snapshots, records, blobs. */
export function timedFiles(files: FileSystem, tell: (sync: Sync) => void): FileSystem {
  const timed = async (sync: () => Promise<void>) => {
    const begun = performance.now();
    const done = (failed: boolean) => tell({ seconds: (performance.now() - begun) / 1000, failed });
    try {
      await sync();
    } catch (error) {
      done(true);
      throw error;
    }
    done(false);
  };
  return {
    ...files,
    open: async (path, mode) => {
      const file = await files.open(path, mode);
      return { ...file, datasync: () => timed(() => file.datasync()) };
    },
    syncFolder: (path) => timed(() => files.syncFolder(path)),
  };
}
