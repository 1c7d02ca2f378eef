// Metrics of what is told to receivers: what became of messages, and how much waits.
import { Counter, Gauge, type OpenMetricsContentType, type Registry } from 'prom-client';

/** What counts. */
export interface NotificationMetrics {
  /** What became of a message. */
  told(result: 'delivered' | 'failed' | 'dropped'): void;
  /** Says who knows how many attempts are not yet told. */
  countedBy(waiting: () => number): void;
}

/** Registers them. */
export function notificationMetrics(registry: Registry<OpenMetricsContentType>): NotificationMetrics {
  const registers = [registry];
  const count = new Counter({
    name: 'weir_notifications_total',
    help: 'Messages to the receivers of notifications, by what became of them; dropped: too many attempts waited.',
    labelNames: ['result'],
    registers,
  });
  for (const result of ['delivered', 'failed', 'dropped']) count.inc({ result }, 0);
  let waiting = () => 0;
  const gauge: Gauge = new Gauge({
    name: 'weir_notifications_waiting',
    help: 'Attempts that are not yet told, of all receivers together.',
    registers,
    collect: () => {
      gauge.set(waiting());
    },
  });
  return {
    told: (result) => count.inc({ result }),
    countedBy: (from) => {
      waiting = from;
    },
  };
}
