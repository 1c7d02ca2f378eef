// Looks at everything that is kept: whether every rule holds over the whole of it, and whether its parts fit together.
import { kindNames, kindOf } from '../../src/core/kinds/index.ts';
import { activeAdmin } from '../../src/core/kinds/user.ts';
import { created } from '../../src/core/model/change.ts';
import { type Reference, referencesOf } from '../../src/core/model/references.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { createState } from '../../src/core/model/state.ts';
import { keysOf, singleton, type View } from '../../src/core/model/view.ts';
import type { Facts } from '../../src/core/rules/facts.ts';
import { check } from '../../src/core/rules/index.ts';
import { noConsents, type RuleId } from '../../src/core/rules/rule.ts';

/** Everything that is wrong with a state, in words; nothing where all is well. */
export function wrongIn(view: View, facts: Facts): string[] {
  const all = kindNames.flatMap((kind) => [...view.all(kind)] as Resource[]);
  // A link to an address that somebody else has got since opens nothing, and is no wrong.
  const changes = all.filter(({ kind }) => kind !== 'ActionToken').map(created);
  const batch = { door: 'config', changes, before: createState(), after: view, consents: noConsents, facts } as const;
  const broken = check(batch).filter(({ rule }) => !ofEdits.has(rule as RuleId));
  return [
    ...broken.map(({ rule, message }) => `${rule}: ${message}`),
    ...all.flatMap(malformed),
    ...indexProblems(view, all),
    ...dangling(view, all),
    ...doubles(view),
    ...teamProblems(view),
    ...loneProblems(view),
  ];
}

/** Rules that speak of what is chosen or edited, not of how things stand. */
const ofEdits: ReadonlySet<RuleId> = new Set([
  'inactive',
  'instance-type-not-enabled',
  'template-locked',
  'reserved-variable',
  'feature-required',
  'needs-adopt',
  // Where every owner of a team is suspended it has owners all the same, as is looked at below.
  'last-owner',
]);

function malformed({ kind, id, spec }: Resource): string[] {
  const read = kindOf(kind).spec.safeParse(spec);
  return read.success ? [] : [`${kind} ${id} is not of its kind: ${read.error.message}`];
}

/** The indexes say what the rows say. */
function indexProblems(view: View, all: readonly Resource[]): string[] {
  const fresh = createState();
  fresh.apply(all.map(created));
  return all.flatMap((resource) =>
    keysOf(resource)
      .filter((key) => view.countHaving(resource.kind, key) !== fresh.countHaving(resource.kind, key))
      .map((key) => `${resource.kind} ${resource.id}: the index ${key} is wrong`),
  );
}

function dangling(view: View, all: readonly Resource[]): string[] {
  const isThere = ({ kind, by, to }: Reference) => (by === 'id' ? view.get(kind, to) : view.named(kind, to));
  return all.flatMap((resource) =>
    referencesOf(resource)
      .filter((reference) => !isThere(reference))
      .map(({ path, to }) => `${resource.kind} ${resource.id} names ${to} at ${path}, which is not there`),
  );
}

/** Said once more, because the rules themselves are on trial. */
function doubles(view: View): string[] {
  const texts = [
    ...Array.from(view.all('Team'), ({ name }) => `slug ${name}`),
    ...Array.from(view.all('User'), ({ name }) => `username ${name.toLowerCase()}`),
    ...Array.from(view.all('User'), ({ spec }) => `email ${spec.email.toLowerCase()}`),
    ...Array.from(view.all('Membership'), ({ spec }) => `member ${spec.user} of ${spec.team}`),
    ...Array.from(view.all('ActionToken'), ({ spec }) => `link to ${spec.purpose} of ${spec.user}`),
  ];
  const known = new Set<string>();
  return texts.filter((text) => known.size === known.add(text).size).map((text) => `twice: ${text}`);
}

function teamProblems(view: View): string[] {
  const owned = new Set<string>();
  const members = new Set<string>();
  for (const { spec } of view.all('Membership')) {
    members.add(`${spec.team} ${spec.user}`);
    if (spec.role === 'owner') owned.add(spec.team);
  }
  return [
    ...Array.from(view.all('Team'))
      .filter(({ id }) => !owned.has(id))
      .map(({ name }) => `${name} has no owner`),
    ...Array.from(view.all('Invitation'))
      .filter(({ spec }) => members.has(`${spec.team} ${spec.user}`))
      .map(({ spec }) => `a member of ${view.get('Team', spec.team)?.name} is invited`),
  ];
}

/** What no rule says, because consequences see to it. */
function loneProblems(view: View): string[] {
  const found: string[] = [];
  if (view.countHaving('User', activeAdmin) === 0) found.push('nobody can administer');
  const tokens = view.count('StatisticsToken');
  const most = singleton(view, 'AdminSettings').spec.statisticsTokenAccess ? 1 : 0;
  if (tokens > most) found.push(`${tokens} statistics tokens`);
  for (const kind of ['Session', 'ActionToken'] as const)
    for (const { spec } of view.all(kind))
      if (view.get('User', spec.user)?.spec.suspended) found.push(`a ${kind} of somebody who is suspended`);
  return found;
}
