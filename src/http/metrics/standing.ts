// Gauges of how Weir itself stands: the last reload, its findings and conditions, the store, mail that waits.
import { Gauge, type OpenMetricsContentType, type Registry } from 'prom-client';
import { driftOf } from '../../control/conditions.ts';
import { type Attempted, driftCount, leftCount } from '../../control/config-status.ts';
import type { ReconcilerStanding } from '../../control/reconciler.ts';
import type { Health } from '../../store/store.ts';
import { usageGauges } from './store-usage.ts';

/** What the gauges are set from. */
export interface Standing {
  /** Absent until the first reconcile has ended. */
  readonly reconciler: ReconcilerStanding | undefined;
  readonly store: Health;
  readonly mailsWaiting: number;
}

/** Registers them; answers the function that brings them up to date. */
export function standingGauges(registry: Registry<OpenMetricsContentType>): (standing: Standing) => void {
  const reconciler = reconcilerGauges(registry);
  const posture = postureGauges(registry);
  const store = storeGauges(registry);
  const waiting = new Gauge({
    name: 'weir_mails_waiting',
    help: 'Mails that are neither delivered nor given up.',
    registers: [registry],
  });
  return (standing) => {
    if (standing.reconciler) reconciler(standing.reconciler);
    if (standing.reconciler) posture(standing.reconciler);
    store(standing.store);
    waiting.set(standing.mailsWaiting);
  };
}

function reconcilerGauges(registry: Registry<OpenMetricsContentType>): (standing: ReconcilerStanding) => void {
  const gauge = <L extends string = never>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge<L>({ name: `weir_config_${name}`, help, labelNames, registers: [registry] });
  const successful = gauge('last_reload_successful', 'Whether the last tree was read and applied (1) or not (0).');
  const applied = gauge(
    'last_reload_success_timestamp_seconds',
    'When a tree was last found applied, or was applied; 0 for never.',
  );
  const attempted = gauge('last_reload_timestamp_seconds', 'When a tree was last read; 0 for never.');
  const findings = gauge('findings', 'Findings in the tree that was read last, by severity.', 'severity');
  const pending = gauge(
    'pending_changes',
    'Changes that the last reconcile would have made, had it not been refused or held by manual mode; 0 where the tree is not valid.',
  );
  const drifted = gauge(
    'drifted_objects',
    'Declared objects that others changed: left as they are, or reverted by the last reconcile.',
    'outcome',
  );
  const unsettled = gauge(
    'unsettled_files',
    'Files of the tree that did not stand still, and count as they were when it was last acted on.',
  );
  const settling = gauge(
    'settling_seconds',
    'How long the tree was last waited for until it stood still, or was taken as far as it did.',
  );
  const condition = gauge('condition', 'Conditions: 1 for the status that one has.', 'type', 'status');
  return (standing) => {
    const ready = standing.conditions.find(({ type }) => type === 'Ready');
    successful.set(ready?.status === 'True' ? 1 : 0);
    applied.set(secondsOf(standing.applied));
    attempted.set(secondsOf(standing.attempted));
    findings.set({ severity: 'error' }, standing.attempted?.errors ?? 0);
    findings.set({ severity: 'warning' }, standing.attempted?.warnings ?? 0);
    pending.set(pendingIn(standing.attempted));
    unsettled.set(standing.settling?.files.length ?? 0);
    settling.set(standing.settling?.seconds ?? 0);
    const found = driftOf(standing);
    const left = leftCount(found);
    drifted.set({ outcome: 'left' }, left);
    drifted.set({ outcome: 'reverted' }, driftCount(found) - left);
    for (const { type, status } of standing.conditions)
      for (const one of ['True', 'False', 'Unknown'] as const)
        condition.set({ type, status: one }, one === status ? 1 : 0);
  };
}

function postureGauges(registry: Registry<OpenMetricsContentType>): (standing: ReconcilerStanding) => void {
  const registers = [registry];
  const suspended = new Gauge({
    name: 'weir_config_suspended',
    help: 'Whether the reconciler is suspended (1) or not (0).',
    registers,
  });
  const mode = new Gauge({
    name: 'weir_config_mode',
    help: 'How a changed tree is treated: 1 for the mode that is on.',
    labelNames: ['mode'],
    registers,
  });
  return (standing) => {
    suspended.set(standing.suspended ? 1 : 0);
    for (const one of ['auto', 'manual'] as const) mode.set({ mode: one }, one === standing.mode ? 1 : 0);
  };
}

function secondsOf(entry: Pick<Attempted, 'at'> | undefined): number {
  return entry ? Date.parse(entry.at) / 1000 : 0;
}

function pendingIn(entry: Attempted | undefined): number {
  if (entry?.result !== 'refused' && entry?.result !== 'pending') return 0;
  const { create, update, delete: deletions, rename, adopt, blocked } = entry.summary;
  return create + update + deletions + rename + adopt + blocked;
}

function storeGauges(registry: Registry<OpenMetricsContentType>): (health: Health) => void {
  const registers = [registry];
  const usage = usageGauges(registry);
  const state = new Gauge({
    name: 'weir_store_state',
    help: 'The state of the store: 1 for the one that it is in.',
    labelNames: ['state'],
    registers,
  });
  const position = new Gauge({ name: 'weir_store_position', help: 'How many commits the store holds.', registers });
  const journal = new Gauge({
    name: 'weir_store_journal_bytes',
    help: 'How much the journal has grown since the last snapshot; 0 where the store keeps none.',
    registers,
  });
  const damage = new Gauge({
    name: 'weir_store_records_damage',
    help: 'Places in the audit log and the history that are not what was written, as far as they were read.',
    registers,
  });
  return (health) => {
    usage(health.usage ?? {});
    damage.set(health.damage?.count ?? 0);
    for (const one of ['ready', 'read-only', 'closed'] as const)
      state.set({ state: one }, one === health.state ? 1 : 0);
    // Engines may count otherwise, and what is no number is not told.
    const at = Number(health.position);
    if (Number.isFinite(at)) position.set(at);
    journal.set(health.journalBytes ?? 0);
  };
}
