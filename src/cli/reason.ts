// The system's reasons in words.

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
    EFBIG: 'the file would be larger than allowed',
    EIO: 'the device reports an error',
  };
  return (
    words[code] ?? (code === '' ? String(error instanceof Error ? error.message : error) : `the system says ${code}`)
  );
}
