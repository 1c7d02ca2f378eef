// A rename is followed by what the API made and no document declares: its references take the new name.
import { type DeclaredKindName, declaredKinds } from '../kinds/index.ts';
import { type Change, updated } from '../model/change.ts';
import { leavesOf, specFrom } from '../model/leaves.ts';
import type { Context } from '../model/proposal.ts';
import { referencesOf, referringKinds } from '../model/references.ts';
import type { DeclaredResource } from '../model/resource.ts';
import { referrers, type View } from '../model/view.ts';
import type { Planned } from './planned.ts';

/** The updates of API-made resources that name something which the plan renames. Documents say the new name themselves. */
export function followRenames(planned: readonly Planned[], view: View, context: Context): Planned[] {
  const followers = new Map<string, DeclaredResource>();
  const renames = planned.filter(({ change: { before, after } }) => before && after && before.name !== after.name);
  const taken = new Set(planned.map(({ change }) => change.id));
  for (const { change } of renames)
    if (change.before && change.after)
      for (const follower of followersOf(view, change.before))
        if (!taken.has(follower.id)) {
          const so = followers.get(follower.id) ?? follower;
          followers.set(follower.id, renamedIn(so, change.before, change.after.name));
        }
  return [...followers.values()].map((after) => follow(after, view, context));
}

function follow(after: DeclaredResource, view: View, context: Context): Planned {
  const before = view.get(after.kind, after.id) ?? after;
  const next: DeclaredResource = { ...after, generation: before.generation + 1, updatedAt: context.now };
  return { action: 'update', change: updated(before, next) as Change<DeclaredKindName>, quiet: false };
}

function* followersOf(view: View, target: DeclaredResource): Iterable<DeclaredResource> {
  for (const kind of referringKinds(target.kind))
    if (kind in declaredKinds) yield* referrers(view, kind as DeclaredKindName, target);
}

function renamedIn(resource: DeclaredResource, target: DeclaredResource, name: string): DeclaredResource {
  const named = new Set(
    referencesOf(resource)
      .filter(({ kind, to }) => kind === target.kind && to === target.name)
      .map(({ path }) => path),
  );
  const leaves = [...leavesOf(resource.kind, resource.spec).values()].map((leaf): [string, unknown] => {
    if (named.has(leaf.pointer)) return [leaf.path.replace(`/${target.name}/`, `/${name}/`), name];
    if (Array.isArray(leaf.value))
      return [
        leaf.path,
        leaf.value.map((item, at) => (named.has(`${leaf.pointer}/${at}`) || item === target.name ? name : item)),
      ];
    return [leaf.path.replace(`/${target.name}/`, `/${name}/`), leaf.value];
  });
  return { ...resource, spec: specFrom(resource.kind, new Map(leaves)) as DeclaredResource['spec'] };
}
