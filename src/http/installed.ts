// Asks what is installed in many instances: a few at a time, for a few callers at a time, because each is many small files.
import type { Resource } from '../core/model/resource.ts';
import type { View } from '../core/model/view.ts';
import { createTurns, type Turns } from '../lib/turns.ts';
import { Problem } from './errors.ts';
import type { Installed, Services } from './services.ts';

/** Takes turns at asking. */
export function createInstalledTurns(): Turns {
  const busy = 'Too many others ask what is installed now: try again later.';
  return createTurns(2, 100, () => new Problem('unavailable', { detail: busy, headers: { 'retry-after': '5' } }));
}

/** What is installed in each of these instances, in their order: for what it runs, or would. */
export function installedIn(
  { installed, installedTurns }: Pick<Services, 'installed' | 'installedTurns'>,
  view: View,
  instances: readonly Resource<'Instance'>[],
): Promise<Installed[]> {
  return installedTurns(async () => {
    const found: Installed[] = [];
    for (let at = 0; at < instances.length; at += atOnce)
      found.push(
        ...(await Promise.all(
          instances.slice(at, at + atOnce).map((one) => installed?.(one.id, runtimeOf(view, one)) ?? nothing),
        )),
      );
    return found;
  });
}

const atOnce = 8;
const nothing: Installed = { modules: [] };

function runtimeOf(view: View, { spec }: Resource<'Instance'>): string {
  const running = spec.state === 'running' ? spec.started?.runtime : undefined;
  return running ?? view.get('Stack', spec.stack)?.spec.runtime ?? '';
}
