// What keeps instances of a server from each other: looked for at its start and whenever the platform changes, told to the log, kept as a condition.
import type { Condition } from '../control/config-status.ts';
import { singleton } from '../core/model/view.ts';
import type { Driver, InForce } from '../drivers/driver.ts';
import type { Store } from '../store/store.ts';
import { driverOf } from './drivers-of.ts';
import type { Logger } from './logger.ts';

/** The isolation of a server's instances. */
export interface IsolationNow {
  /** Its condition; none before it is known, and where the driver does not look after it. */
  conditions(): readonly Condition[];
  /** Looks now, and again whenever the platform changes. */
  follow(): Promise<void>;
  close(): void;
}

/** The isolation that the platform's driver has in force. */
export function isolationOf(
  store: Store,
  drivers: ReadonlyMap<string, Driver>,
  { log, now }: { readonly log: Logger['log']; readonly now: () => string },
): IsolationNow {
  let known: Condition | undefined;
  let queue: Promise<void> = Promise.resolve();
  const settled = () => singleton(store.read(), 'Platform').spec.driver.isolation ?? 'auto';
  const look = async () => {
    const found = await driverOf(store, drivers)?.isolation?.inForce();
    if (!found) known = undefined;
    else if (known?.reason !== found.reason || known.message !== found.message) {
      known = conditionOf(found, now());
      tell(found, settled(), log);
    }
  };
  const looked = () => {
    queue = queue
      .then(look)
      .catch((error: unknown) => log('error', `isolation cannot be looked for: ${String(error)}`));
    return queue;
  };
  let forget = () => {};
  return {
    conditions: () => (known ? [known] : []),
    follow: () => {
      forget = store.subscribe((entry) => {
        if (entry === 'reset' || entry.changes.some(({ kind }) => kind === 'Platform')) void looked();
      });
      return looked();
    },
    close: () => forget(),
  };
}

function conditionOf({ reason, message }: InForce, now: string): Condition {
  const status = reason === 'None' ? 'False' : 'True';
  return { type: 'Isolation', status, reason, message, lastTransitionTime: now };
}

/** Whoever wrote that there is to be none knows. */
function tell({ reason, message, refuses }: InForce, setting: string, log: Logger['log']): void {
  const details = { code: 'no-isolation' };
  if (refuses) log('error', `instances cannot be started: ${message}`, details);
  else if (reason === 'None' && setting !== 'none') log('warn', message, details);
  else log('info', message, { isolation: reason });
}
