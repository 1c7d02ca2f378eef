// The condition that tells whether the audit log and the history are what was written, as far as they were read.
import type { Store } from '../store/store.ts';
import type { Condition } from './config-status.ts';

/** Answers the condition as it is now; its time is when that was first seen. */
export function auditIntactOf(store: Store, now: () => string): () => Condition {
  let known: Condition | undefined;
  return () => {
    const { damage } = store.health();
    const status = damage ? 'False' : 'True';
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : now();
    known = { type: 'AuditIntact', status, ...toldOf(damage), lastTransitionTime };
    return known;
  };
}

function toldOf(damage: ReturnType<Store['health']>['damage']): Pick<Condition, 'reason' | 'message'> {
  if (!damage)
    return { reason: 'Intact', message: 'what was read of the audit log and the history is what was written' };
  const more = damage.count > 1 ? `; and ${damage.count - 1} more` : '';
  return { reason: 'Damaged', message: `${damage.first}${more}: "weir store check" tells all that is wrong` };
}
