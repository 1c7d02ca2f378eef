// Safe mode: an instance whose editor works and whose flows do not run, because they ended it again and again, or because somebody wants it so.
import type { SpecOf } from '../kinds/index.ts';
import type { SafeMode } from '../kinds/instance.ts';
import type { Why } from './why.ts';

/** How many fast ends in a row bring it about. */
export const mostFastEnds = 5;

/** How soon after it came up an end is a fast one, in milliseconds. */
const fastMs = 120_000;

/** The reasons of ends and failed starts that flows can bring about; a full disk or a missing stack are none. */
const byFlows: ReadonlySet<string> = new Set([
  'StartFailed',
  'NoAnswer',
  'Exited',
  'Killed',
  'Aborted',
  'Unresponsive',
  'MemoryExceeded',
  'ProcessesExceeded',
]);

type Spec = SpecOf<'Instance'>;

/** The spec of an instance that ended by itself, or did not come up. */
export function afterEnd(spec: Spec, { reason, message }: Why, now: string): Spec {
  if (!byFlows.has(reason) || spec.safeMode) return spec;
  const { fastEnds = 0, ...rest } = spec;
  const count = isFast(spec, now) ? fastEnds + 1 : 0;
  if (count < mostFastEnds) return count > 0 ? { ...rest, fastEnds: count } : rest;
  const because = `it ended ${count} times in a row shortly after its start, last because ${message}`;
  return { ...rest, safeMode: { since: now, reason: 'FastEnds', message: because } };
}

/** What never came up ended fast; so did what came up at a time that is yet to come, where a clock was set back. */
function isFast({ state, started }: Spec, now: string): boolean {
  const upMs = state === 'running' && started ? Date.parse(now) - Date.parse(started.at) : 0;
  return upMs < fastMs;
}

/** The spec of an instance that somebody wants in safe mode. */
export function withSafeMode(spec: Spec, now: string): Spec {
  const message = 'somebody started it in safe mode';
  return { ...spec, safeMode: spec.safeMode ?? { since: now, reason: 'Requested', message } };
}

/** The spec of an instance that is in safe mode no more, and begins to count anew. */
export function withoutSafeMode({ safeMode: _, fastEnds: __, ...spec }: Spec): Spec {
  return spec;
}

/** What its condition says. */
export function safeModeWhy({ reason, message }: SafeMode): Why {
  const leave = 'mend them and deploy, which starts them, or restart it';
  return { reason, message: `${message}: its editor works, and its flows do not run; ${leave}` };
}
