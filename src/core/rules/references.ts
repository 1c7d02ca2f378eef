// references: a name that nothing declares, and the loss of a name that something still uses.
import { declaredKinds, type KindName } from '../kinds/index.ts';
import { namePattern } from '../kinds/kind.ts';
import type { Finding } from '../model/finding.ts';
import { readable } from '../model/pointer.ts';
import { type Reference, referenceKey, referencesOf, referringKinds } from '../model/references.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import { suggest } from '../model/suggest.ts';
import type { View } from '../model/view.ts';
import { type Batch, type Rule, some, violation } from './rule.ts';

export const references: Rule = {
  id: 'references',
  refuses: 'a name that nothing declares; deleting what something still names',
  perChange: true,
  *check(batch) {
    for (const { after } of batch.changes) if (after) yield* dangling(batch, after);
    for (const { before, after } of batch.changes)
      if (before && before.name !== after?.name) yield* stillNamed(batch, before, after);
  },
};

type Nearest = (reference: Reference) => string | undefined;

function* dangling(batch: Batch, resource: Resource): Iterable<Finding> {
  let count = 0;
  for (const reference of referencesOf(resource)) {
    if (target(batch.after, reference) || isBroken(batch, reference) || ++count > mostOfOne) continue;
    const near = nearestOver(batch.after)(reference);
    const isItself = reference.kind === resource.kind && near === resource.name;
    yield violation('references', resource, ...missing(reference), isItself ? undefined : near);
  }
  if (count > mostOfOne)
    yield violation(
      'references',
      resource,
      '',
      `names ${count - mostOfOne} more things that nothing declares: ${remedy}`,
    );
}

/**
 * Where, and what. What is made at run time is shown without the `spec` around its fields; it refers by id, and an id says nothing to
 * people: but who chose a name that nothing has is told that name.
 */
function missing({ kind, by, to, path }: Reference): [path: string, what: string] {
  const at = by === 'id' ? path.replace(/^\/spec/, '') : path;
  const isName = by === 'name' || (kind in declaredKinds && namePattern.test(to));
  const what = isName
    ? `names ${kind}/${to}, which nothing declares: ${remedy}`
    : `cannot name this ${kind}, because there is no such one any more: name another`;
  return [at, `${readable(path)} ${what}`];
}

/** Whoever may not declare anything can still do the first. */
const remedy = 'name what there is, or declare it first';

/** How many names of one resource are told one by one. */
const mostOfOne = 100;

function target(view: View, { kind, by, to }: Reference): Resource | undefined {
  return by === 'name' ? view.named(kind, to) : view.get(kind, to);
}

function isBroken(batch: Batch, { kind, to }: Reference): boolean {
  const { broken } = batch.tree ?? {};
  return broken !== undefined && [`${kind}/${to}`, `*/${to}`, '*/*'].some((address) => broken.has(address));
}

/** How many names are compared at most: where a whole tree dangles the first suggestions say enough. */
const mostComparisons = 1_000_000;

/** One for all the pieces in which a batch is shown, so that they share what may be compared. */
function nearestOver(view: View): Nearest {
  const nearest = nearestCache.get(view) ?? nearestIn(view);
  nearestCache.set(view, nearest);
  return nearest;
}

// By the state after a batch, which is made for that batch alone.
const nearestCache = new WeakMap<View, Nearest>();

function nearestIn(view: View): Nearest {
  const namesOf = new Map<KindName, readonly string[]>();
  let comparisons = 0;
  return ({ kind, to }) => {
    if (!(kind in declaredKinds) || comparisons >= mostComparisons) return undefined;
    const names = namesOf.get(kind) ?? Array.from(view.all(kind), ({ name }) => name);
    namesOf.set(kind, names);
    comparisons += names.length;
    return suggest(to, names);
  };
}

/** A deleted or renamed resource that others still name. */
function* stillNamed(batch: Batch, before: Resource, renamed: Resource | undefined): Iterable<Finding> {
  if (before.kind in declaredKinds) yield* stillDeclared(batch, before, renamed);
  else if (!renamed) yield* stillHeld(batch, before);
}

/**
 * What declared resources still name. What teams and instances refuse has its own rules and words (`in-use`, `stack-in-use`); they refer
 * by id, so a rename is nothing to them.
 */
function* stillDeclared({ after: view }: Batch, before: Resource, renamed: Resource | undefined): Iterable<Finding> {
  if (view.named(before.kind, before.name)) return;
  const holders = referringKinds(before.kind).filter((kind) => kind in declaredKinds);
  const key = referenceKey({ kind: before.kind, by: 'name', to: before.name });
  const total = holders.reduce((sum, kind) => sum + view.countHaving(kind, key), 0);
  if (total === 0) return;
  const who = some(addresses(view, holders, key), total);
  const [what, advice] = renamed
    ? [`called ${renamed.name}`, 'change the name there too']
    : ['deleted', `change or delete ${total === 1 ? 'that' : 'these'} first`];
  const subject = renamed ?? before;
  yield violation(
    'references',
    subject,
    '',
    `cannot be ${what}, because ${who} still ${total === 1 ? 'names' : 'name'} ${renamed ? before.name : 'it'}: ${advice}`,
  );
}

/** What was made at run time goes with all that belongs to it, or not at all. */
function* stillHeld({ after: view }: Batch, before: Resource): Iterable<Finding> {
  const holders = referringKinds(before.kind);
  const key = referenceKey({ kind: before.kind, by: 'id', to: before.id });
  const total = holders.reduce((sum, kind) => sum + view.countHaving(kind, key), 0);
  if (total === 0) return;
  const who = some(addresses(view, holders, key), total);
  const what = `cannot be deleted, because ${who} still ${total === 1 ? 'belongs' : 'belong'} to it: delete ${total === 1 ? 'that' : 'these'} first`;
  yield violation('references', before, '', what);
}

function* addresses(view: View, kinds: readonly KindName[], key: string): Iterable<string> {
  for (const kind of kinds) for (const resource of view.having(kind, key)) yield addressOf(resource);
}
