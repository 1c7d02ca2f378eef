// Runtimes that an older Weir started, their editor is opened by a header that flows may have seen.
import type { Reason } from '../driver.ts';
import { doorForm } from './door.ts';
import { forgetRecord } from './record.ts';
import { end, type Patience, type Runtime } from './runtimes.ts';

/** Whether a runtime knows another way to open its editor than this version of Weir. It never gets a door; it is ended, and started anew. */
export function isOutdated({ door }: Runtime): boolean {
  return door !== doorForm;
}

/** Ends it, and tells why. */
export async function endOutdated(
  runtime: Runtime,
  { stopMs }: Pick<Patience, 'stopMs'>,
  listeners: Iterable<(id: string, why: Reason) => void>,
): Promise<undefined> {
  await end(runtime, stopMs);
  await forgetRecord(runtime.folder, runtime.run);
  for (const listener of listeners) listener(runtime.id, outdated);
}

const outdated: Reason = {
  reason: 'Outdated',
  message: 'an older version of Weir started it, whose way to open the editor is no longer safe: it is restarted, once',
};
