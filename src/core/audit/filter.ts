// Which entries of the audit log somebody asks for.
import type { AuditEntry } from './entry.ts';

/**
 * What an entry has to be like; what is absent does not matter. `actor` is an id, a name, or a kind of actor; `target` an id or a name; `event`
 * an event, or what stands before its dot (`team` for all that is done to teams); `team` the id of the team that it concerns;
 * `revision` a digest, or how it begins, since logs and screens show twelve digits of it.
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
    (revision === undefined || entry.revision?.startsWith(revision) === true) &&
    (event === undefined || entry.event === event || entry.event.startsWith(`${event}.`)) &&
    (actor === undefined || [entry.actor.id, entry.actor.name, entry.actor.kind].includes(actor)) &&
    (target === undefined || [entry.target.id, entry.target.name].includes(target))
  );
}

/** Texts that stand in the JSON of every entry that is asked for. */
export function textsOf({ event, revision, ...exact }: AuditFilter): string[] {
  const whole = Object.values(exact).filter((value) => value !== undefined);
  const beginnings = [event, revision].filter((value) => value !== undefined);
  return [
    ...whole.map((value) => JSON.stringify(value)),
    ...beginnings.map((value) => JSON.stringify(value).slice(0, -1)),
  ];
}
