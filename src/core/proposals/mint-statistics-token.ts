// Makes the statistics token, in place of the one that there is.
import { kinds } from '../kinds/index.ts';
import { created, deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { singleton } from '../model/view.ts';
import { Declined } from './declined.ts';

/** `hash` is that of its text. Declines (`conflict`) while the administration settings do not permit it (specification 4.3). */
export function mintStatisticsToken(hash: string): Proposal {
  return (view, { now, newId }) => {
    if (!singleton(view, 'AdminSettings').spec.statisticsTokenAccess)
      throw new Declined(
        'conflict',
        'the statistics token cannot be made, because AdminSettings/default has statisticsTokenAccess off: switch it on first',
      );
    const token: Resource<'StatisticsToken'> = {
      kind: 'StatisticsToken',
      id: newId(),
      name: 'statistics',
      spec: kinds.StatisticsToken.spec.parse({ hash }),
      generation: 1,
      createdAt: now,
      updatedAt: now,
    };
    return [...[...view.all('StatisticsToken')].map(deleted), created(token)];
  };
}
