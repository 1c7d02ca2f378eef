// With a team go its memberships, invitations, device groups and provisioning tokens. A team that has instances or devices is not deleted: see `deleteTeam`.
import { changesOf, deleted, follows } from '../model/change.ts';
import { referrers } from '../model/view.ts';
import type { Consequence } from './consequence.ts';

const belongings = ['Membership', 'Invitation', 'DeviceGroup', 'ProvisioningToken'] as const;

export const teamGone: Consequence = function* (changes, _before, after) {
  for (const change of changesOf(changes, 'Team')) {
    const { before, after: kept } = change;
    if (!before || kept) continue;
    for (const kind of belongings)
      for (const one of referrers(after, kind, before))
        yield follows(deleted(one), change, `the team ${before.name} is deleted`);
  }
};
