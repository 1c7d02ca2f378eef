// Takes a token or a session away, from its owner or by its owner.
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { type Target, targetIn } from './target.ts';

/** Which one; of `user` (by id), where somebody may only know of their own. */
export interface Revocation extends Target {
  readonly kind: 'Token' | 'Session';
  readonly user?: string;
}

/** Declines (`not_found`, also for those of others; `precondition_failed`). */
export function revokeCredential({ kind, user, ...target }: Revocation): Proposal {
  return (view) => [deleted(targetIn(view, kind, target, ({ spec }) => user === undefined || spec.user === user))];
}
