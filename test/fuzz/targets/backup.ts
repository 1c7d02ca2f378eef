// Backups: an archive is what was written, or it is refused with a reason; and no path leads out of the folder. What begins as gzip is taken as it is.
import { posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BackupFailed } from '../../../src/store/backup/failed.ts';
import { readBackup } from '../../../src/store/backup/read.ts';
import { diskFileSystem } from '../../../src/store/file-system.ts';
import { presentFormat } from '../../../src/store/format.ts';
import { archiveOf, packed, tarOf } from '../../store/backup/archives.ts';
import { gist, holds, type Target } from '../target.ts';

const file = { path: 'store/instances/i1/home/flows.json', content: '[]' };

export const backup: Target = {
  words: [
    '../',
    '/',
    'ustar\x0000',
    '\0'.repeat(512),
    '0000000',
    '77777777777',
    'store/',
    'store/blobs/',
    '12 path=a/b\n',
    '30 path=store/instances/i/../..\n',
    '19 size=9999999999\n',
    'x',
    '2',
    'manifest.json',
    'backup.json',
    '{"files":[]}',
  ],
  seeds: () => {
    const whole = archiveOf([file, { path: `store/instances/i1/home/${'long/'.repeat(50)}ü`, content: 'x' }]);
    return [whole, tarOf(whole), tarOf(archiveOf([])), tarOf(packed([file]))];
  },
  mostMs: 3000,
  check: async (input) => {
    const bytes = input[0] === 0x1f && input[1] === 0x8b ? input : gzipSync(input, { level: 1 });
    const found: string[] = [];
    try {
      const { files } = await readBackup(holding(bytes), 'backup', presentFormat, async (path, content) => {
        found.push(path);
        for await (const _ of content);
      });
      return `${files.length} files`;
    } catch (error) {
      if (!(error instanceof BackupFailed)) throw error;
      return `${error.reason}: ${gist(error.message)}`;
    } finally {
      for (const path of found)
        holds(
          posix.normalize(path) === path && path.startsWith('store/') && !path.includes('\0'),
          `it unpacks ${path}`,
        );
    }
  },
};

function holding(bytes: Buffer): typeof diskFileSystem {
  const read = async (into: Uint8Array, at: number) => bytes.copy(into, 0, at, at + into.length);
  const open = async () => ({ read, close: async () => {} });
  return { ...diskFileSystem, open: open as unknown as typeof diskFileSystem.open };
}
