// Makes a provisioning token of a team.
import { kinds } from '../kinds/index.ts';
import { created } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { referenceKey } from '../model/references.ts';
import type { Resource } from '../model/resource.ts';
import { requireGroup } from './chosen-group.ts';
import { Declined } from './declined.ts';

/** How many provisioning tokens a team may have at a time. */
export const mostProvisioningTokens = 1000;

/** What a new one is given: a label, the ids of team and group, the hash of its text, and its end (RFC 3339, UTC). */
export interface NewProvisioningToken {
  readonly name: string;
  readonly team: string;
  readonly group?: string | undefined;
  readonly hash: string;
  readonly expiresAt: string;
}

/** Declines (`conflict`) where the team has as many as any may have; throws `InvalidSpec` for a group that it does not have. */
export function createProvisioningToken({ name, ...given }: NewProvisioningToken): Proposal {
  return (view, { now, newId }) => {
    requireGroup(view, given.team, given.group);
    const own = view.countHaving('ProvisioningToken', referenceKey({ kind: 'Team', by: 'id', to: given.team }));
    if (own >= mostProvisioningTokens)
      throw new Declined(
        'conflict',
        `no provisioning token can be made, because the team has ${own} already, and none may have more than ${mostProvisioningTokens}: revoke some`,
      );
    const spec = kinds.ProvisioningToken.spec.parse(given);
    const token: Resource<'ProvisioningToken'> = {
      kind: 'ProvisioningToken',
      id: newId(),
      name,
      spec,
      generation: 1,
      createdAt: now,
      updatedAt: now,
    };
    return [created(token)];
  };
}
