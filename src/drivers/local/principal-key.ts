// The key of the proofs by which a runtime knows who sends a request.
import { createHmac } from 'node:crypto';

/** What proofs are made with, and checked with in the runtime: another key than the token itself, which is never shown to a runtime. */
export function principalKey(token: string): Buffer {
  return createHmac('sha256', token).update('weir principal').digest();
}
