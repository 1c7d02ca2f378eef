// Notes what the agent of a device says of itself.
import type { Reported } from '../kinds/device.ts';
import { updated } from '../model/change.ts';
import { sameValue } from '../model/leaves.ts';
import type { Proposal } from '../model/proposal.ts';
import { targetIn } from './target.ts';

/** Changes nothing where it said so before. Declines (`not_found`). */
export function checkIn(id: string, reported: Reported): Proposal {
  return (view) => {
    const current = targetIn(view, 'Device', { id });
    if (sameValue(current.spec.reported, reported)) return [];
    return [updated(current, { ...current, spec: { ...current.spec, reported } })];
  };
}
