// Revokes the statistics token.
import { deleted } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { Declined } from './declined.ts';

/** Declines (`not_found`) where there is none, and (`precondition_failed`) where it is not the one that is `expected` (asked with its id). */
export function deleteStatisticsToken(expected: (id: string | undefined) => boolean = () => true): Proposal {
  return (view) => {
    const [token] = [...view.all('StatisticsToken')];
    if (!expected(token?.id)) throw new Declined('precondition_failed', 'the statistics token is another one by now');
    if (!token) throw new Declined('not_found', 'there is no statistics token');
    return [deleted(token)];
  };
}
