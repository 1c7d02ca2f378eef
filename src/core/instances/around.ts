// What surrounds an instance in the state: its stack, template, the upgrade that is on offer, and what it would be started with now.
import type { Resource, ResourceOf } from '../model/resource.ts';
import { referrers, singleton, type View } from '../model/view.ts';
import { instanceHost } from './address.ts';
import { differingSettings, type Settings, settingsOf } from './settings.ts';

/** The stack that an instance is offered instead of its own: the newest active one that replaces it, directly or through others. */
export function upgradeOf(view: View, { spec }: Resource<'Instance'>): ResourceOf<'Stack'> | undefined {
  const seen = new Set([spec.stack]);
  let newest: ResourceOf<'Stack'> | undefined;
  for (let at = view.get('Stack', spec.stack); at; at = successor(view, at, seen)) {
    seen.add(at.id);
    if (at.id !== spec.stack && at.spec.active) newest = at;
  }
  return newest;
}

function successor(view: View, stack: ResourceOf<'Stack'>, seen: ReadonlySet<string>): ResourceOf<'Stack'> | undefined {
  for (const next of referrers(view, 'Stack', stack)) if (!seen.has(next.id)) return next;
  return undefined;
}

/** What an instance would be started with now; nothing where its stack is gone. */
export function settingsIn(view: View, { id, spec }: Resource<'Instance'>): Settings | undefined {
  const stack = view.get('Stack', spec.stack);
  const isAtRoot = instanceHost(singleton(view, 'Platform').spec, id) !== undefined;
  const settings = stack && settingsOf(stack.spec, view.get('Template', spec.template)?.spec, spec);
  return settings && (isAtRoot ? { ...settings, atRoot: true } : settings);
}

/** What a running instance was started with otherwise than it would be now, by name. Nothing where it does not run: it gets them when it starts. */
export function pendingSettings(view: View, instance: Resource<'Instance'>): string[] {
  const { state, started } = instance.spec;
  const now = state === 'running' && started ? settingsIn(view, instance) : undefined;
  return now && started ? differingSettings(started, now) : [];
}

/** Whether the context of an instance is in files: with what it was last started, or where it never was, with what it would be. */
export function hasPersistentContext(view: View, instance: Resource<'Instance'>): boolean {
  return keepsContext(instance.spec.started ?? settingsIn(view, instance));
}

/** Whether it will be, from its next start on. */
export function willHavePersistentContext(view: View, instance: Resource<'Instance'>): boolean {
  return keepsContext(settingsIn(view, instance));
}

function keepsContext(settings: Settings | undefined): boolean {
  return settings?.options.contextStorage === 'file';
}

/** Why the driver of the platform cannot run anything, in words that follow "because"; nothing where it can. */
export function driverProblem(
  { kind }: { readonly kind: string },
  drivers: ReadonlyMap<string, { readonly runner?: object }>,
): string | undefined {
  if (drivers.get(kind)?.runner) return undefined;
  return `this build of Weir has no ${kind} driver that can run instances`;
}
