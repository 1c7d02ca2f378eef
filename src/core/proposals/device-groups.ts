// Makes, changes and deletes a group of devices.
import { kinds } from '../kinds/index.ts';
import { created, deleted, updated } from '../model/change.ts';
import { sameValue } from '../model/leaves.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { countReferrers, referrers } from '../model/view.ts';
import { requireSnapshot } from './chosen-snapshot.ts';
import { Declined } from './declined.ts';
import { type Target, targetIn } from './target.ts';

/** What a new group is given. */
export interface NewDeviceGroup {
  readonly team: string;
  readonly name: string;
  readonly description?: string | undefined;
}

/** Makes a group of the team (by its id). */
export function createDeviceGroup({ name, ...given }: NewDeviceGroup): Proposal {
  return (_view, { now, newId }) => {
    const spec = kinds.DeviceGroup.spec.parse(given);
    const times = { generation: 1, createdAt: now, updatedAt: now };
    const group: Resource<'DeviceGroup'> = { kind: 'DeviceGroup', id: newId(), name, spec, ...times };
    return [created(group)];
  };
}

/** What changes; what is absent stays. */
export interface DeviceGroupUpdate extends Target {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** `null`: none. */
  readonly targetSnapshot?: string | null | undefined;
}

/** Declines (`not_found`, `precondition_failed`); throws `InvalidSpec` for a snapshot that the team does not have. */
export function updateDeviceGroup(update: DeviceGroupUpdate): Proposal {
  return (view, { now }) => {
    const current = targetIn(view, 'DeviceGroup', update);
    requireSnapshot(view, current.spec.team, update.targetSnapshot);
    const { name = current.name, description = current.spec.description } = update;
    const { targetSnapshot: old, ...rest } = current.spec;
    const targetSnapshot = update.targetSnapshot === undefined ? old : update.targetSnapshot;
    const spec = { ...rest, description, ...(targetSnapshot ? { targetSnapshot } : {}) };
    if (name === current.name && sameValue(spec, current.spec)) return [];
    return [updated(current, { ...current, name, spec, generation: current.generation + 1, updatedAt: now })];
  };
}

/** Provisioning tokens lose the group that they name. Declines (`not_found`, `precondition_failed`; `conflict` while devices are in it). */
export function deleteDeviceGroup(target: Target): Proposal {
  return (view) => {
    const current = targetIn(view, 'DeviceGroup', target);
    const members = countReferrers(view, 'Device', current);
    if (members > 0)
      throw new Declined(
        'conflict',
        `the group ${current.name} cannot be deleted, because ${members === 1 ? '1 device is' : `${members} devices are`} in it: take ${members === 1 ? 'it' : 'them'} out first`,
      );
    const tokens = [...referrers(view, 'ProvisioningToken', current)].map((token) => {
      const { group: _, ...spec } = token.spec;
      return updated(token, { ...token, spec });
    });
    return [deleted(current), ...tokens];
  };
}
