// Stops an instance that takes up more of the disk than its stack allows, and goes on: it is started again by hand, when there is room.
import { standing, withCondition } from '../instances/standing.ts';
import type { Why } from '../instances/why.ts';
import { because } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { put } from './act-on-instance.ts';

/** Changes nothing where it does not run, or is to be stopped anyhow. */
export function stopOverDisk(id: string, why: Why): Proposal {
  return (view, context) => {
    const current = view.get('Instance', id);
    if (current?.spec.state !== 'running' || current.spec.desired !== 'running') return [];
    const condition = { type: 'DiskExceeded', status: 'True', ...why } as const;
    const { now } = context;
    const noted = { ...current.spec, conditions: withCondition(current.spec.conditions, condition, now) };
    const spec = standing(noted, { state: 'stopping', desired: 'stopped' }, now, why);
    return [because(put(current, spec, context), `${why.reason}: ${why.message}`)];
  };
}
