// Notes what is wrong with an instance that runs on, and that it is well again.
import { withoutSafeMode } from '../instances/safe-mode.ts';
import { withCondition, withoutCondition } from '../instances/standing.ts';
import type { Why } from '../instances/why.ts';
import { updated } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';

/** Sets a condition of an instance that runs, or without `why` takes it away; changes nothing where it is so already. */
export function noticeInstance(id: string, { type, why }: { readonly type: string; readonly why?: Why }): Proposal {
  return (view, { now }) => {
    const current = view.get('Instance', id);
    if (current?.spec.state !== 'running') return [];
    const known = current.spec.conditions.find((condition) => condition.type === type);
    if (known?.reason === why?.reason) return [];
    const { conditions } = current.spec;
    const after = why
      ? withCondition(conditions, { type, status: 'True', ...why }, now)
      : withoutCondition(conditions, type);
    // Flows that run again have left safe mode, also for its next start.
    const spec = type === 'SafeMode' && !why ? withoutSafeMode(current.spec) : current.spec;
    return [updated(current, { ...current, spec: { ...spec, conditions: ready(after) } })];
  };
}

/** That which tells whether it is ready comes first. */
function ready<C extends { readonly type: string }>(conditions: readonly C[]): C[] {
  return conditions.toSorted((a, b) => Number(b.type === 'Ready') - Number(a.type === 'Ready'));
}
