// references: a name that nothing declares, and the deletion of what something still names.
import { declaredKinds, type KindName } from '../kinds/index.ts';
import type { Finding } from '../model/finding.ts';
import { readable } from '../model/pointer.ts';
import { type Reference, referencesOf, referringKinds } from '../model/references.ts';
import { addressOf, type Resource } from '../model/resource.ts';
import { suggest } from '../model/suggest.ts';
import { countReferrers, referrers, type View } from '../model/view.ts';
import { type Batch, type Rule, some, violation } from './rule.ts';

export const references: Rule = {
  id: 'references',
  refuses: 'a name that nothing declares; deleting what something still names',
  *check(batch) {
    for (const { after } of batch.changes) if (after) yield* dangling(batch, after);
    for (const { before, after } of batch.changes) if (before && !after) yield* stillNamed(batch, before);
  },
};

function* dangling(batch: Batch, resource: Resource): Iterable<Finding> {
  for (const reference of referencesOf(resource)) {
    if (target(batch.after, reference) || isBroken(batch, reference)) continue;
    const what = `${readable(reference.path)} names ${reference.kind}/${reference.to}, which nothing declares`;
    yield violation('references', resource, reference.path, what, nearest(batch.after, reference));
  }
}

function target(view: View, { kind, by, to }: Reference): Resource | undefined {
  return by === 'name' ? view.named(kind, to) : view.get(kind, to);
}

function isBroken(batch: Batch, { kind, to }: Reference): boolean {
  return batch.tree?.broken.has(`${kind}/${to}`) === true || batch.tree?.broken.has(`*/${to}`) === true;
}

function nearest(view: View, { kind, by, to }: Reference): string | undefined {
  if (by === 'id') return undefined;
  const names = [];
  for (const resource of view.all(kind)) names.push(resource.name);
  return suggest(to, names);
}

/** What the teams, instances and users of a kind refuse has its own rule and words (`in-use`, `stack-in-use`). */
function* stillNamed(batch: Batch, gone: Resource): Iterable<Finding> {
  if (!(gone.kind in declaredKinds)) return;
  const holders = referringKinds(gone.kind).filter((kind) => kind in declaredKinds);
  const total = holders.reduce((sum, kind) => sum + countReferrers(batch.after, kind, gone), 0);
  if (total === 0) return;
  const who = some(addresses(batch.after, holders, gone), total);
  yield violation(
    'references',
    gone,
    '',
    `cannot be deleted, because ${who} still ${total === 1 ? 'names' : 'name'} it`,
  );
}

function* addresses(view: View, kinds: readonly KindName[], gone: Resource): Iterable<string> {
  for (const kind of kinds) for (const resource of referrers(view, kind, gone)) yield addressOf(resource);
}
