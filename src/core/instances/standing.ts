// How an instance stands: its state, what is wanted of it, and the condition that says whether it is ready, always moved together.

import type { SpecOf } from '../kinds/index.ts';
import type { InstanceCondition, InstanceState, SafeMode } from '../kinds/instance.ts';
import { safeModeWhy } from './safe-mode.ts';
import type { Move } from './states.ts';
import type { Why } from './why.ts';

/** The spec of an instance in another state. What only holds in the old one goes: where it answers, and where an upgrade goes back to. */
export function standing(spec: SpecOf<'Instance'>, move: Move, now: string, why?: Why): SpecOf<'Instance'> {
  const { url, previousStack, ...rest } = spec;
  const { reason, message } = why ?? plain[move.state];
  const status = move.state === 'running' ? 'True' : 'False';
  const known = withSafeCondition(lasting(spec.conditions), spec.safeMode, spec.conditions, now);
  return {
    ...rest,
    ...move,
    ...(url !== undefined && move.state === 'running' ? { url } : {}),
    ...(previousStack !== undefined && move.state === 'upgrading' ? { previousStack } : {}),
    conditions: withCondition(known, { type: 'Ready', status, reason, message }, now),
  };
}

/** The conditions that only hold while it runs, each run anew; and that of safe mode, which holds as long as its spec says so. */
const ofOneRun: readonly string[] = ['FlowsStopped', 'LogCut', 'SafeMode'];

function withSafeCondition(
  conditions: InstanceCondition[],
  safeMode: SafeMode | undefined,
  before: readonly InstanceCondition[],
  now: string,
): InstanceCondition[] {
  if (!safeMode) return conditions;
  const old = before.filter(({ type }) => type === 'SafeMode');
  const condition = { type: 'SafeMode', status: 'True', ...safeModeWhy(safeMode) } as const;
  return withCondition([...old, ...conditions], condition, now);
}

function lasting(conditions: readonly InstanceCondition[]): InstanceCondition[] {
  return conditions.filter(({ type }) => !ofOneRun.includes(type));
}

/** Conditions with one of them as it is now; the time is that of the last change of its status. */
export function withCondition(
  conditions: readonly InstanceCondition[],
  condition: Omit<InstanceCondition, 'lastTransitionTime'>,
  now: string,
): InstanceCondition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = old && old.status === condition.status ? old.lastTransitionTime : now;
  return [{ ...condition, lastTransitionTime }, ...conditions.filter(({ type }) => type !== condition.type)];
}

/** Conditions without one of them. */
export function withoutCondition(conditions: readonly InstanceCondition[], gone: string): InstanceCondition[] {
  return conditions.filter(({ type }) => type !== gone);
}

/** Why it does not run, where its state alone does not say as much. */
export function whyDown({ state, conditions }: Pick<SpecOf<'Instance'>, 'state' | 'conditions'>): Why | undefined {
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready && ready.status !== 'True' && ready.reason !== plain[state].reason ? ready : undefined;
}

/** What a state says where nothing more is known. */
const plain: Readonly<Record<InstanceState, Why>> = {
  creating: { reason: 'Creating', message: 'it is being made' },
  starting: { reason: 'Starting', message: 'it is being started' },
  running: { reason: 'Running', message: 'it runs' },
  stopping: { reason: 'Stopping', message: 'it is being stopped' },
  stopped: { reason: 'Stopped', message: 'it is stopped' },
  suspended: { reason: 'Suspended', message: 'it is suspended' },
  restarting: { reason: 'Restarting', message: 'it is being restarted' },
  upgrading: { reason: 'Upgrading', message: 'it is being moved to another stack' },
  crashed: { reason: 'Crashed', message: 'it ended by itself' },
  deleting: { reason: 'Deleting', message: 'it is being deleted' },
};
