// Metrics of the audit log on its way: what each target has not got yet.
import { Gauge, type OpenMetricsContentType, type Registry } from 'prom-client';
import type { AuditTargetStanding } from '../../control/audit-delivered.ts';

/** What counts. */
export interface AuditStreamMetrics {
  /** Says who knows how the targets stand. */
  countedBy(standings: () => readonly AuditTargetStanding[]): void;
}

/** Registers them. */
export function auditStreamMetrics(
  registry: Registry<OpenMetricsContentType>,
  now: () => number = () => Date.now(),
): AuditStreamMetrics {
  let standings: () => readonly AuditTargetStanding[] = () => [];
  const gauge = (name: string, help: string, of: (standing: AuditTargetStanding) => number) => {
    const made: Gauge<'target'> = new Gauge({
      name: `weir_audit_stream_${name}`,
      help,
      labelNames: ['target'],
      registers: [registry],
      collect: () => {
        // Targets come and go.
        made.reset();
        for (const standing of standings()) made.set({ target: standing.target }, of(standing));
      },
    });
  };
  gauge('waiting', 'Entries of the audit log that a target has not got yet.', ({ waiting }) => waiting);
  gauge('oldest_seconds', 'How old the oldest entry is that a target has not got yet; 0 for none.', ({ oldest }) =>
    oldest === undefined ? 0 : Math.max(0, (now() - Date.parse(oldest)) / 1000),
  );
  gauge('dropped', 'Entries of the audit log that a target will never get.', ({ dropped }) => dropped);
  return {
    countedBy: (from) => {
      standings = from;
    },
  };
}
