// A folder of a test's own, removed again when the test's process ends.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A new empty folder, by its real path (no symlink in it). It is removed when the process ends, or sooner by `remove`. */
export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Makes a new empty folder below the system's temporary folder. */
export function temporaryFolder(): TemporaryFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'weir-')));
  folders.add(path);
  return {
    path,
    async remove() {
      folders.delete(path);
      await rm(path, removal);
    },
  };
}

/** Writes files (path relative to `folder` → content), with the folders that they need. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

const removal = { recursive: true, force: true, maxRetries: 3 } as const;
const folders = new Set<string>();
process.once('exit', () => {
  for (const path of folders) rmSync(path, removal);
});
