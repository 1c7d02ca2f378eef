// Makes a device of a team.
import { kinds, type SpecOf } from '../kinds/index.ts';
import { created } from '../model/change.ts';
import type { Context, Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { requireGroup } from './chosen-group.ts';

/** What a new device is given: the ids of its team and group, the hash of its token, and what its flows' credentials are encrypted with. */
export interface NewDevice {
  readonly name: string;
  readonly team: string;
  readonly mode?: SpecOf<'Device'>['mode'] | undefined;
  readonly group?: string | undefined;
  readonly hash: string;
  readonly credentialSecret: string;
}

/** Throws `InvalidSpec` for a group that the team does not have. */
export function createDevice(device: NewDevice): Proposal {
  return (view, context) => {
    requireGroup(view, device.team, device.group);
    return [created(newDevice(device, context))];
  };
}

/** The resource of a new device. */
export function newDevice({ name, ...given }: NewDevice, { now, newId }: Context): Resource<'Device'> {
  const spec = kinds.Device.spec.parse(given);
  return { kind: 'Device', id: newId(), name, spec, generation: 1, createdAt: now, updatedAt: now };
}
