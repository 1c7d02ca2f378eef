// The reasons of the system, in words.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

/** Why the system refused something, in its own short words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or folder',
    EACCES: 'permission is denied',
    EPERM: 'permission is denied',
    EEXIST: 'something else stands there',
    EISDIR: 'it is a folder',
    ELOOP: 'its links lead in a circle',
    ENAMETOOLONG: 'its name is too long',
    ENOTDIR: 'a part of its path is not a folder',
    ENOSPC: 'the disk is full',
    EROFS: 'the file system is read-only',
    EDQUOT: 'the disk quota is used up',
    ESPIPE: 'it is a pipe, a socket or a device, and no plain file',
    ENXIO: 'it is a pipe, a socket or a device, and no plain file',
    EMFILE: 'this process has as many files open as it may (raise its limit, LimitNOFILE= in a unit file)',
    ENFILE: 'this machine has as many files open as it may (raise fs.file-max)',
    EFBIG: 'the file would be larger than allowed',
    EIO: 'the device reports an error',
  };
  return (
    words[code] ?? (code === '' ? String(error instanceof Error ? error.message : error) : `the system says ${code}`)
  );
}

/** Why the system refused to write a file. Where only its folder is missing, what to do is said too. */
export function whyUnwritable(file: string, error: unknown): string {
  const folder = dirname(file);
  const lacksFolder = error instanceof Error && 'code' in error && error.code === 'ENOENT' && !existsSync(folder);
  return lacksFolder ? `there is no folder ${folder}: make it first` : reasonOf(error);
}
