// What measures the instances of a server, in the folder `usage` of its store, and mails their owners.
import { join, resolve } from 'node:path';
import { createDiskQuota } from '../control/disk-quota.ts';
import type { Driver } from '../drivers/driver.ts';
import { type AlertsOptions, createAlerts } from '../monitor/alerts.ts';
import { createMonitor, type Monitor } from '../monitor/monitor.ts';
import type { Options } from '../options.ts';
import type { Io } from './io.ts';

/** The monitor of a server, not yet begun. */
export function monitorOf(
  around: Omit<AlertsOptions, 'clock'> & { readonly drivers: ReadonlyMap<string, Driver> },
  options: Options,
  io: Io,
): Monitor {
  const { door, drivers, log } = around;
  const folder = join(resolve(io.cwd, options.store), 'usage');
  const alerts = createAlerts({ ...around, clock: io.now });
  const quota = createDiskQuota({ ...around, clock: io.now });
  return createMonitor({ store: door.store, drivers, folder, clock: io.now, elapsed: io.elapsed, log, alerts, quota });
}
