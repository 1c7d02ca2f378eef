// Whether the reconciler is suspended, by whom, since when and why.
import type { View } from './view.ts';

/** A suspension as it is shown. `since` is RFC 3339, UTC. */
export interface Suspended {
  readonly since: string;
  readonly by: string;
  readonly reason?: string;
}

/** The name of the only suspension. */
export const suspensionName = 'reconciler';

/** The suspension of the reconciler; nothing while it runs. */
export function suspendedIn(view: View): Suspended | undefined {
  const found = view.named('Suspension', suspensionName);
  if (!found) return undefined;
  const { by, reason } = found.spec;
  return { since: found.createdAt, by, ...(reason === '' ? {} : { reason }) };
}

/** A suspension in words: `suspended by ann since 2026-01-01T00:00:00.000Z: database upgrade`. */
export function suspendedWords({ by, since, reason }: Suspended): string {
  return `suspended by ${by} since ${since}${reason === undefined ? '' : `: ${reason}`}`;
}
