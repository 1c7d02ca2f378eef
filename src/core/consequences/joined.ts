// Who is in a team needs no invitation to it, by whatever way they came.
import { changesOf, deleted, follows } from '../model/change.ts';
import { invitationsTo } from '../model/invited.ts';
import type { Consequence } from './consequence.ts';

export const joined: Consequence = function* (changes, _before, after) {
  for (const change of changesOf(changes, 'Membership')) {
    const { before, after: membership } = change;
    const user = before || !membership ? undefined : after.get('User', membership.spec.user);
    if (!user) continue;
    for (const invitation of invitationsTo(after, user))
      if (invitation.spec.team === membership?.spec.team)
        yield follows(deleted(invitation), change, 'its invitee is in the team');
  }
};
