// Changes what a device should be, and gives it another token.
import { withoutCondition } from '../instances/standing.ts';
import type { SpecOf } from '../kinds/index.ts';
import { updated } from '../model/change.ts';
import { sameValue } from '../model/leaves.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { overridden, type WrittenVariables } from './chosen-for-instance.ts';
import { requireGroup } from './chosen-group.ts';
import { requireSnapshot } from './chosen-snapshot.ts';
import { type Target, targetIn } from './target.ts';
import { InvalidSpec } from './written-spec.ts';

/** What changes; what is absent stays, and `null` takes it away. In `environment` too: what it does not mention stays. */
export interface DeviceUpdate extends Target {
  readonly name?: string | undefined;
  readonly mode?: SpecOf<'Device'>['mode'] | undefined;
  readonly group?: string | null | undefined;
  readonly targetSnapshot?: string | null | undefined;
  readonly environment?: WrittenVariables;
  /** `environment` is all that there shall be. */
  readonly replacesLists?: boolean;
}

/** Declines (`not_found`, `precondition_failed`); throws `InvalidSpec` for what cannot be chosen. */
export function updateDevice(update: DeviceUpdate): Proposal {
  return (view, { now }) => {
    const current = targetIn(view, 'Device', update);
    requireGroup(view, current.spec.team, update.group);
    requireSnapshot(view, current.spec.team, update.targetSnapshot);
    const { environment, issues } = overridden({ environment: current.spec.environment }, update);
    if (issues.length > 0) throw new InvalidSpec(issues);
    const spec = written(current.spec, { ...update, environment });
    const name = update.name ?? current.name;
    if (name === current.name && sameValue(spec, current.spec)) return [];
    return [updated(current, { ...current, name, spec, generation: current.generation + 1, updatedAt: now })];
  };
}

/** Its old token opens nothing from then on. `hash` is that of the new one. Declines (`not_found`). */
export function renewDeviceToken(id: string, hash: string): Proposal {
  return (view, { now }) => {
    const current = targetIn(view, 'Device', { id });
    const { generation } = current;
    // Whoever else used the old one is shut out now.
    const conditions = withoutCondition(current.spec.conditions ?? [], 'Cloned');
    const spec = { ...current.spec, hash, conditions };
    return [updated(current, { ...current, spec, generation: generation + 1, updatedAt: now })];
  };
}

type Spec = Resource<'Device'>['spec'];

type Written = Pick<DeviceUpdate, 'mode' | 'group' | 'targetSnapshot'> & Pick<Spec, 'environment'>;

/** A request for a snapshot is nothing to a device whose flows nobody edits. */
function written(current: Spec, { mode = current.mode, environment, ...update }: Written): Spec {
  const { group: _, targetSnapshot: __, environment: ___, snapshotRequest, ...rest } = current;
  const group = update.group === undefined ? current.group : update.group;
  const targetSnapshot = update.targetSnapshot === undefined ? current.targetSnapshot : update.targetSnapshot;
  return {
    ...rest,
    mode,
    ...(group ? { group } : {}),
    ...(targetSnapshot ? { targetSnapshot } : {}),
    ...(environment ? { environment } : {}),
    ...(snapshotRequest && mode === 'developer' ? { snapshotRequest } : {}),
  };
}
