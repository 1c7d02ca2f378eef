// The group that somebody chose for a device: one of its own team.
import type { View } from '../model/view.ts';
import { issueAt } from './chosen-for-instance.ts';
import { InvalidSpec } from './written-spec.ts';

/** Throws `InvalidSpec` where the team (by its id) has no such group: of those of others nobody learns. */
export function requireGroup(view: View, team: string, group: string | null | undefined): void {
  if (group === null || group === undefined || view.get('DeviceGroup', group)?.spec.team === team) return;
  throw new InvalidSpec([issueAt(['group'], group, 'the team has no such group: give the id of one of its groups')]);
}
