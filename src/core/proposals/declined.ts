// Declined: a proposal that makes no sense for the state as it is, whatever the rules say.

/**
 * Why: there is nothing of that name; something stands there already; it moved since the caller saw it; the settings do not allow it; it takes somebody who
 * is signed in; what was
 * sent stands for nothing; it was done a moment ago; there is no room for it on the disk; or
 * there is too much else to do.
 */
export type DeclinedReason =
  | 'not_found'
  | 'conflict'
  | 'precondition_failed'
  | 'forbidden'
  | 'unauthorized'
  | 'invalid_request'
  | 'rate_limited'
  | 'insufficient_storage'
  | 'unavailable';

/** Thrown by a proposal, so that nothing is kept. The message says what cannot be, because what. */
export class Declined extends Error {
  override readonly name = 'Declined';
  readonly reason: DeclinedReason;
  constructor(reason: DeclinedReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
