// Why there is no backup, or nothing was restored; the message says what to do.

/**
 * `not_written`: the backup cannot be written where it was to be. `not_readable`: it cannot be read. `foreign`, `newer`, `damaged`, `unsafe`: what is
 * in it is not a backup, that of a newer version, not what was written, or nothing that may be unpacked. `occupied`: there is something where it was to be
 * restored. `not_restored`: it could not be written there.
 */
export type BackupFailure =
  | 'not_written'
  | 'not_readable'
  | 'foreign'
  | 'newer'
  | 'damaged'
  | 'unsafe'
  | 'occupied'
  | 'not_restored';

/** Nothing was written, or nothing of what was written is left. */
export class BackupFailed extends Error {
  override readonly name = 'BackupFailed';
  readonly reason: BackupFailure;
  constructor(reason: BackupFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
