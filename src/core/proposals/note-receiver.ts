// Writes down how far a receiver of notifications has been told, and forgets those that are declared no more.
import type { SpecOf } from '../kinds/index.ts';
import type { Notification } from '../kinds/notifications.ts';
import { type Change, created, deleted, updated } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { singleton, type View } from '../model/view.ts';

/** What is known of a receiver, but for since when. */
export type Standing = Omit<SpecOf<'Receiver'>, 'since'>;

/** Who is to be told now. A platform that an earlier build wrote names nobody. */
export function receiversIn(view: View): readonly Notification[] {
  return singleton(view, 'Platform').spec.notifications ?? [];
}

/** Nothing where it is declared no more. */
export function noteReceiver(name: string, standing: Standing): Proposal {
  return (view, { now, newId }) => {
    if (!receiversIn(view).some((one) => one.name === name)) return [];
    const current = view.named('Receiver', name);
    const since = current?.spec.state === standing.state ? current.spec.since : now;
    const spec = { ...standing, since };
    if (current) return [updated(current, { ...current, spec, generation: current.generation + 1, updatedAt: now })];
    const made: Resource = { kind: 'Receiver', id: newId(), name, spec, generation: 1, createdAt: now, updatedAt: now };
    return [created(made)];
  };
}

/** Forgets the receivers that no notification names any more: one that comes back begins anew. */
export const forgetReceivers: Proposal = (view) => {
  const declared = new Set(receiversIn(view).map(({ name }) => name));
  const gone = [...view.all('Receiver')].filter(({ name }) => !declared.has(name));
  return gone.map((one): Change => deleted(one));
};
