// Which entries of the audit log somebody asks for.
import type { AuditEntry } from './entry.ts';

/**
 * What an entry has to be like; what is absent does not matter. `actor` is an id, a name, or a kind of actor; `target` an id or a name; `event`
 * an event, or what stands before its dot (`team` for all that is done to teams); `team` the id of the team that it concerns.
 */
export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly event?: string | undefined;
  readonly target?: string | undefined;
  readonly requestId?: string | undefined;
  readonly revision?: string | undefined;
  readonly team?: string | undefined;
}

/** Whether an entry is asked for. */
export function isAskedFor(entry: AuditEntry, filter: AuditFilter): boolean {
  const { actor, event, target, requestId, revision, team } = filter;
  return (
    (team === undefined || entry.team === team) &&
    (requestId === undefined || entry.requestId === requestId) &&
    (revision === undefined || entry.revision === revision) &&
    (event === undefined || entry.event === event || entry.event.startsWith(`${event}.`)) &&
    (actor === undefined || [entry.actor.id, entry.actor.name, entry.actor.kind].includes(actor)) &&
    (target === undefined || [entry.target.id, entry.target.name].includes(target))
  );
}

/** Texts that stand in the JSON of every entry that is asked for. */
export function textsOf({ event, ...exact }: AuditFilter): string[] {
  const values = Object.values(exact).filter((value) => value !== undefined);
  // What stands before the dot is the beginning of a text.
  return [...values.map((value) => JSON.stringify(value)), ...(event ? [JSON.stringify(event).slice(0, -1)] : [])];
}
