// What the system refuses the local driver, in words that help the people of a team.
import { DriverFailed } from '../driver.ts';

/** What the system refuses, in words that help; anything else is a bug. */
export function explained(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new DriverFailed('DiskFull', 'the disk is full');
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new DriverFailed('FolderClosed', 'its folder cannot be written: an admin has to look at its permissions');
  if (code === 'EAGAIN' || code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM')
    return new DriverFailed('MachineFull', `the machine can run nothing more (${code})`);
  return error;
}
