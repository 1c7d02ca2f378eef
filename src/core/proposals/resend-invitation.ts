// Sends an invitation once more: with a new token, and with all its time again.
import { updated } from '../model/change.ts';
import { isPending, verifiedUserAt } from '../model/invited.ts';
import type { Proposal } from '../model/proposal.ts';
import { Declined } from './declined.ts';
import { invitationEnd, type NewInvitation, requireOutsiders } from './invite.ts';
import { type Target, targetIn } from './target.ts';

/** How long somebody waits for the next mail of an invitation, in milliseconds. */
export const resendPauseMs = 60_000;

/** Which invitation, of which team; `hash` and `mail` as in a new one. */
export interface Resending extends Target, Pick<NewInvitation, 'team' | 'hash' | 'mail'> {}

/** Declines: `not_found`, `precondition_failed`, `rate_limited` within a minute of the last mail, and as `requireOutsiders` does. */
export function resendInvitation({ team, hash, mail, ...target }: Resending): Proposal {
  return (view, { now }) => {
    const current = targetIn(view, 'Invitation', target, (one) => one.spec.team === team && isPending(one, now));
    const { email } = current.spec;
    if (email !== undefined && !verifiedUserAt(view, email)) requireOutsiders(view, email, mail);
    const age = Date.parse(now) - Date.parse(current.updatedAt);
    // A clock that was set back makes nobody wait longer.
    if (age >= 0 && age < resendPauseMs)
      throw new Declined(
        'rate_limited',
        'the invitation cannot be sent again, because it was sent less than a minute ago: try again in a minute',
      );
    const spec = { ...current.spec, hash, expiresAt: invitationEnd(now) };
    return [updated(current, { ...current, spec, generation: current.generation + 1, updatedAt: now })];
  };
}
