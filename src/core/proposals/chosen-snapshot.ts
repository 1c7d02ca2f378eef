// The snapshot that somebody chose for a device or a group to run: one of its own team.
import { targetedBy } from '../model/device-standing.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { some } from '../rules/rule.ts';
import { issueAt } from './chosen-for-instance.ts';
import { Declined } from './declined.ts';
import { InvalidSpec } from './written-spec.ts';

/** Throws `InvalidSpec` where the team (by its id) has no such snapshot, or will soon have it no more. */
export function requireSnapshot(view: View, team: string, snapshot: string | null | undefined): void {
  if (snapshot === null || snapshot === undefined) return;
  const found = view.get('Snapshot', snapshot);
  if (found?.spec.team !== team)
    throw wrong(snapshot, 'the team has no such snapshot: give the id of one of its snapshots');
  const { instance } = found.spec;
  if (instance !== undefined && view.get('Instance', instance)?.spec.state === 'deleting')
    throw wrong(snapshot, 'the instance that it was taken of is being deleted, and its snapshots with it');
}

/** Declines (`conflict`) where `what` would take away what devices should run. `owner` is who goes along, by id. */
export function refuseWhileTargeted(
  view: View,
  snapshots: readonly Resource<'Snapshot'>[],
  what: string,
  owner?: string,
): void {
  const holders = targetedBy(view, snapshots, owner);
  if (holders.length === 0) return;
  const [who, verb] = [some(holders.map(addressOf), holders.length), holders.length === 1 ? 'has' : 'have'];
  const which = snapshots.length === 1 ? 'it' : 'one of its snapshots';
  throw new Declined('conflict', `${what}, because ${who} ${verb} ${which} as the target: choose another there first`);
}

function wrong(snapshot: string, because: string): InvalidSpec {
  return new InvalidSpec([issueAt(['targetSnapshot'], snapshot, because)]);
}
