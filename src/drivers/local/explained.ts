// What the system refuses, in words that help.
import { DriverFailed } from '../driver.ts';

/** Anything else is a bug, and stays as it is. */
export function explained(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new DriverFailed('DiskFull', 'the disk is full');
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new DriverFailed('FolderClosed', 'its folder cannot be written: an admin has to look at its permissions');
  if (code === 'EAGAIN' || code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM')
    return new DriverFailed('MachineFull', `the machine can run nothing more (${code})`);
  if (code === 'E2BIG')
    return new DriverFailed(
      'EnvironmentTooLarge',
      'its environment variables are larger than the system lets a program start with: delete some, or shorten their values (large values can stand in a file or in the flows)',
    );
  if (code === 'ENAMETOOLONG')
    return new DriverFailed(
      'TooDeep',
      'its folder holds folders deeper than a path can say: an admin has to delete those, or delete the instance',
    );
  return error;
}
