// From changes to audit entries: one for each resource that somebody changed.
import { type KindName, kindOf } from '../kinds/index.ts';
import type { Change } from '../model/change.ts';
import type { AuditEvent, Context } from '../model/proposal.ts';
import { referencesOf } from '../model/references.ts';
import type { Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { fieldsOf, type PlannedField } from '../plan/plan-fields.ts';
import type { AuditEntry } from './entry.ts';
import { eventOf, isFailedSignIn } from './event.ts';

/** The state on both sides of a change, for the names of users and teams that come or go with it. */
export interface Sides {
  readonly before: View;
  readonly after: View;
}

/** The entries of changes. What the platform keeps up by itself has none. */
export function auditOf(changes: readonly Change[], view: Sides, context: Context): AuditEntry[] {
  return changes.flatMap((change) => entryOf(change, view, context) ?? []);
}

/** The entry of one change; nothing where nobody changed anything. `fields` are those of the change, where they are known already. */
export function entryOf(
  change: Change,
  view: Sides,
  context: Context,
  fields?: readonly PlannedField[],
): AuditEntry | undefined {
  if (kindOf(change.kind).internal) return undefined;
  const [old, now] = [namesIn(change.before, view), namesIn(change.after, view)];
  const changes = (fields ?? fieldsOf(change.before, change.after)).map((field) => told(field, old, now));
  if (changes.length === 0 && change.before && change.after && !isFailedSignIn(change)) return undefined;
  const team = teamOf(change);
  const why = change.reason === undefined ? {} : { reason: change.reason };
  const where = team === undefined ? {} : { team };
  return entry({ event: eventOf(change), target: targetOf(change, view), changes, ...where, ...why }, context);
}

/** The entry of something that happened although nothing changed. */
export function entry({ event, target, changes = [], team, reason, count }: AuditEvent, context: Context): AuditEntry {
  const { now: at, newId, actor, requestId, revision, address } = context;
  return {
    id: newId(),
    at,
    event,
    actor,
    target,
    changes: [...changes],
    ...(reason === undefined ? {} : { reason }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(revision === undefined ? {} : { revision }),
    ...(address === undefined ? {} : { address }),
    ...(team === undefined ? {} : { team }),
    ...(count === undefined ? {} : { count }),
  };
}

/** Fingerprints belong to a plan: kept with the entry they could be compared for as long as it is. */
function told({ path, before, after, sensitive }: PlannedField, old: Names, now: Names): AuditEntry['changes'][number] {
  if (sensitive) return { path, before: unprinted(before), after: unprinted(after) };
  return { path, before: old.get(path) ?? before, after: now.get(path) ?? after };
}

/** By the pointers to fields, the names of what they refer to. */
type Names = ReadonlyMap<string, string>;

/** What a tree declares is known to people by its name; an entry outlives what its id leads to. */
function namesIn(resource: Resource | undefined, view: Sides): Names {
  const named = resource ? referencesOf(resource).filter(({ kind, by }) => by === 'id' && kindOf(kind).declared) : [];
  return new Map(named.map(({ path, kind, to }) => [path, calledIn(view, kind, to)]));
}

function unprinted(shown: unknown): unknown {
  return typeof shown === 'object' && shown !== null && 'fingerprint' in shown ? { set: true } : shown;
}

function targetOf({ kind, id, before, after }: Change, view: Sides): AuditEntry['target'] {
  const resource = after ?? before;
  return { kind, id, ...(resource ? { name: nameOf(resource, view) } : {}) };
}

/** What belongs to a user or a team is called by their names. */
function nameOf(resource: Resource, view: Sides): string {
  const { spec } = resource;
  const user = 'user' in spec && spec.user !== undefined ? calledIn(view, 'User', spec.user) : undefined;
  if (resource.kind === 'Session' || resource.kind === 'ActionToken') return user ?? resource.name;
  const team = 'team' in spec ? calledIn(view, 'Team', spec.team) : undefined;
  const who = user ?? ('email' in spec ? spec.email : undefined);
  const isLink = resource.kind === 'Membership' || resource.kind === 'Invitation';
  return isLink && team !== undefined && who !== undefined ? `${team}/${who}` : resource.name;
}

function calledIn({ before, after }: Sides, kind: KindName, id: string): string {
  return (after.get(kind, id) ?? before.get(kind, id))?.name ?? id;
}

function teamOf({ kind, id, before, after }: Change): string | undefined {
  if (kind === 'Team') return id;
  const spec = (after ?? before)?.spec;
  return spec && 'team' in spec ? spec.team : undefined;
}
