// The key of the proofs by which a runtime knows who sends a request.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/**
 * What proofs are made with, and checked with in the runtime: another key than the token itself, which is never shown to a runtime. With bytes for a key
 * Node looks at them anew for each proof, which costs six times what the proof does.
 */
export function principalKey(token: string): KeyObject {
  return createSecretKey(createHmac('sha256', token).update('weir principal').digest());
}
