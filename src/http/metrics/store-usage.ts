// Metrics of the disk under the store: how much is left, what the store takes, how old its snapshot and backup are, how long syncs take.
import { Counter, Gauge, Histogram, type OpenMetricsContentType, type Registry } from 'prom-client';
import { parts, type Usage } from '../../store/store.ts';
import type { Sync } from '../../store/timed-files.ts';

type OpenMetrics = Registry<OpenMetricsContentType>;

/** Registers the gauges; answers the function that brings them up to date. What is not known has no series. */
export function usageGauges(registry: OpenMetrics): (usage: Usage) => void {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const free = gauge('weir_disk_free_bytes', 'How much of the disk of the store this process may still take.');
  const size = gauge('weir_disk_size_bytes', 'How large the disk of the store is.');
  const filling = gauge('weir_disk_filling', 'Whether little is left of the disk of the store (1) or not (0).');
  const bytes = new Gauge({
    name: 'weir_store_bytes',
    help: 'How much each part of the store takes, looked at once a minute at most; reserve: what is set aside for a full disk.',
    labelNames: ['part'],
    registers,
  });
  const snapshot = gauge(
    'weir_store_snapshot_timestamp_seconds',
    'When the newest snapshot of the store was made; 0 where there is none.',
  );
  const backup = gauge(
    'weir_store_backup_timestamp_seconds',
    'When the newest backup of the store was made that could leave its mark; 0 where there is none.',
  );
  return ({ disk, filling: words, bytes: known = parts, snapshotAt = 0, backupAt = 0 }) => {
    if (disk) free.set(disk.free);
    if (disk) size.set(disk.size);
    filling.set(words === undefined ? 0 : 1);
    for (const [part, taken] of Object.entries(known)) bytes.set({ part }, taken);
    snapshot.set(snapshotAt / 1000);
    backup.set(backupAt / 1000);
  };
}

/** Registers how long syncs take; answers the function that counts one. */
export function syncMetrics(registry: OpenMetrics): (sync: Sync) => void {
  const registers = [registry];
  const duration = new Histogram({
    name: 'weir_store_sync_duration_seconds',
    help: 'How long the disk takes to make durable what was written: of the journal, of snapshots, records and blobs.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const failures = new Counter({
    name: 'weir_store_sync_failures_total',
    help: 'Syncs that the disk answered with an error.',
    registers,
  });
  return ({ seconds, failed }) => {
    duration.observe(seconds);
    if (failed) failures.inc();
  };
}
