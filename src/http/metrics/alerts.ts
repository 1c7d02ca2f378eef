// Metrics of alerts: what owners of instances were told.
import { Counter, type OpenMetricsContentType, type Registry } from 'prom-client';
import type { AlertCause } from '../../core/instances/untold.ts';

/** Registers them; answers what counts. */
export function alertMetrics(registry: Registry<OpenMetricsContentType>): (cause: AlertCause) => void {
  const count = new Counter({
    name: 'weir_alerts_total',
    help: 'Alerts about instances that their owners were mailed, by cause.',
    labelNames: ['cause'],
    registers: [registry],
  });
  for (const cause of ['crash', 'safeMode', 'memory', 'cpu']) count.inc({ cause }, 0);
  return (cause) => count.inc({ cause });
}
