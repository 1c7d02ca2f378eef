// Notes what the agent of a device says of itself, and what is wrong with the device.
import { withCondition, withoutCondition } from '../instances/standing.ts';
import type { DeviceConditionName, Reported } from '../kinds/device.ts';
import { updated } from '../model/change.ts';
import { sameValue } from '../model/leaves.ts';
import type { AuditEvent, ProposalWith } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { targetIn } from './target.ts';

/** What is heard of a device. */
export interface Heard {
  readonly id: string;
  readonly reported: Reported;
  /** Why it is not what it should be; absent where it is. */
  readonly error?: string | undefined;
  /** That two agents use its token, in a sentence. */
  readonly cloned?: string | undefined;
}

/**
 * Changes nothing where it said so before; the result is whether it was found just now that two agents use its token. That stays until the device gets
 * another one. Declines (`not_found`).
 */
export function checkIn({ id, reported, error, cloned }: Heard): ProposalWith<boolean> {
  return (view, { now }) => {
    const current = targetIn(view, 'Device', { id });
    const old = current.spec.conditions ?? [];
    const isCloned = old.some(({ type }) => type === 'Cloned');
    let conditions = withoutCondition(old, 'UpdateFailed');
    if (error !== undefined) conditions = withCondition(old, failed(error), now);
    if (cloned !== undefined && !isCloned) conditions = withCondition(conditions, twice(cloned), now);
    const spec = { ...current.spec, reported, conditions };
    const isSame = sameValue(current.spec.reported, reported) && sameValue(old, conditions);
    // Of two agents each says something else: that is told once.
    const isNew = (name: DeviceConditionName) => !old.some(({ type }) => type === name);
    const events = conditions
      .filter(({ type }) => (type === 'UpdateFailed' && isNew(type) && !isCloned) || (type === 'Cloned' && isNew(type)))
      .map(({ type, message }) =>
        eventOf(current, type === 'Cloned' ? 'device.cloned' : 'device.update-failed', message),
      );
    const changes = isSame ? [] : [updated(current, { ...current, spec })];
    return { changes, result: cloned !== undefined && !isCloned, events };
  };
}

function failed(message: string) {
  return { type: 'UpdateFailed', status: 'True', reason: 'AgentFailed', message } as const;
}

function twice(message: string) {
  return { type: 'Cloned', status: 'True', reason: 'TwoAgents', message } as const;
}

function eventOf({ id, name, spec }: Resource<'Device'>, event: string, reason: string): AuditEvent {
  return { event, target: { kind: 'Device', id, name }, team: spec.team, reason };
}
