// Which entries of the audit log somebody asks for.
import type { AuditEntry } from './entry.ts';

/**
 * What an entry has to be like; what is absent does not matter. `actor` is an id, a name, or a kind of actor; `target` an id or a name; `event`
 * an event, or what stands before its dot (`team` for all that is done to teams); `team` the id of the team that it concerns;
 * `instance` the id of the instance to which, or to whose snapshots, it happened; `revision` a digest, or how it begins, since logs and screens show twelve digits of it.
 */
export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly event?: string | undefined;
  readonly target?: string | undefined;
  readonly requestId?: string | undefined;
  readonly revision?: string | undefined;
  readonly team?: string | undefined;
  readonly instance?: string | undefined;
}

/** Whether an entry is asked for. */
export function isAskedFor(entry: AuditEntry, filter: AuditFilter): boolean {
  const { actor, event, target, requestId, revision, team, instance } = filter;
  return (
    (team === undefined || entry.team === team) &&
    (instance === undefined || isAbout(entry, instance)) &&
    (requestId === undefined || entry.requestId === requestId) &&
    (revision === undefined || entry.revision?.startsWith(revision) === true) &&
    (event === undefined || entry.event === event || entry.event.startsWith(`${event}.`)) &&
    (actor === undefined || [entry.actor.id, entry.actor.name, entry.actor.kind].includes(actor)) &&
    (target === undefined || [entry.target.id, entry.target.name].includes(target))
  );
}

/** A snapshot says whose it is when it comes and when it goes. */
function isAbout({ target, changes }: AuditEntry, instance: string): boolean {
  if (target.kind === 'Instance') return target.id === instance;
  const isOwner = changes.some(
    ({ path, before, after }) => path === '/spec/instance' && (after ?? before) === instance,
  );
  return target.kind === 'Snapshot' && isOwner;
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
