// With a team go its memberships, invitations, device groups and provisioning tokens. A team that has instances or devices is not deleted: see `deleteTeam`.
import { type Change, changesOf, deleted } from '../model/change.ts';
import { referrers } from '../model/view.ts';
import type { Consequence } from './consequence.ts';

export const teamGone: Consequence = function* (changes, _before, after): Iterable<Change> {
  for (const { before, after: kept } of changesOf(changes, 'Team'))
    if (before && !kept)
      for (const kind of ['Membership', 'Invitation', 'DeviceGroup', 'ProvisioningToken'] as const)
        for (const one of referrers(after, kind, before)) yield deleted(one);
};
