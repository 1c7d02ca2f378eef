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
    (instance === undefined || instancesOf(entry).includes(instance)) &&
    (requestId === undefined || entry.requestId === requestId) &&
    (revision === undefined || entry.revision?.startsWith(revision) === true) &&
    (event === undefined || entry.event === event || entry.event.startsWith(`${event}.`)) &&
    (actor === undefined || [entry.actor.id, entry.actor.name, entry.actor.kind].includes(actor)) &&
    (target === undefined || [entry.target.id, entry.target.name].includes(target))
  );
}

/** The instances to which, or to whose snapshots, it happened: a snapshot says whose it is when it comes and when it goes. */
function instancesOf({ target, changes }: AuditEntry): unknown[] {
  if (target.kind === 'Instance') return [target.id];
  if (target.kind !== 'Snapshot') return [];
  return changes.filter(({ path }) => path === '/spec/instance').map(({ before, after }) => after ?? before);
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

/** How many digits of a revision its term has: as many as logs and screens show. */
const revisionDigits = 12;

/** The terms of an entry: what an index finds it by. Their version is `auditTermsVersion`. */
export function auditTermsOf(entry: AuditEntry): ReadonlySet<string> {
  const { actor, event, target, requestId, revision, team } = entry;
  const events = [...event.matchAll(/\./g)].map(({ index }) => event.slice(0, index));
  return new Set([
    ...term('actor', actor.id, actor.name, actor.kind),
    ...term('event', event, ...events),
    ...term('target', target.id, target.name),
    ...term('team', team),
    ...term('instance', ...instancesOf(entry)),
    ...term('requestId', requestId),
    ...term('revision', revision?.slice(0, revisionDigits)),
  ]);
}

/** To be raised whenever `auditTermsOf` finds other terms for the same entry: an index of another version is made anew. */
export const auditTermsVersion = 1;

/**
 * The terms that all entries have that are asked for; nothing where there are none. `suffice`: an entry that has them all is asked for,
 * whatever else it says.
 */
export function auditTermsFor(filter: AuditFilter): { readonly all: readonly string[]; readonly suffice: boolean } {
  const { revision = '', ...exact } = filter;
  const all = Object.entries(exact).flatMap(([name, value]) => term(name, value));
  if (revision.length < revisionDigits) return { all, suffice: revision === '' };
  return {
    all: [...all, ...term('revision', revision.slice(0, revisionDigits))],
    suffice: revision.length === revisionDigits,
  };
}

function term(name: string, ...values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string').map((value) => `${name}:${value}`);
}
