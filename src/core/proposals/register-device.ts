// Makes a device by a provisioning token, which that uses up.
import { created, deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { type NewDevice, newDevice } from './create-device.ts';
import { targetIn } from './target.ts';

/** What a machine says of itself, and what it is given; its team and group stand in the token, by whose id this goes. */
export type Registration = Omit<NewDevice, 'team' | 'group'> & { readonly token: string };

/** Declines (`not_found`) where the token is gone. */
export function registerDevice({ token: id, ...device }: Registration): Proposal {
  return (view, context) => {
    const token = targetIn(view, 'ProvisioningToken', { id });
    const { team, group } = token.spec;
    return [deleted(token), created(newDevice({ ...device, team, group }, context))];
  };
}
