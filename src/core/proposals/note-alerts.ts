// Notes what the owners of instances were told, so that they are told once.
import type { InstanceAlerts } from '../kinds/instance.ts';
import { updated } from '../model/change.ts';
import { sameValue } from '../model/leaves.ts';
import type { Proposal } from '../model/proposal.ts';

/** What was told of an instance, or is so no more; what is absent stays. */
export interface AlertNote {
  readonly id: string;
  readonly alerts: InstanceAlerts;
}

/** Of what is gone nothing is noted. */
export function noteAlerts(notes: readonly AlertNote[]): Proposal {
  return (view) => {
    const byId = new Map<string, InstanceAlerts>();
    for (const { id, alerts } of notes) byId.set(id, { ...byId.get(id), ...alerts });
    return [...byId].flatMap(([id, alerts]) => {
      const current = view.get('Instance', id);
      if (!current) return [];
      const spec = { ...current.spec, alerts: { ...current.spec.alerts, ...alerts } };
      return sameValue(spec, current.spec) ? [] : [updated(current, { ...current, spec })];
    });
  };
}
