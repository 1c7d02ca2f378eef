// protected-instance: no other flows are brought into a protected instance, and it is not deleted (specification 2.3).
import { changesOf } from '../model/change.ts';
import type { Finding } from '../model/finding.ts';
import type { Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { effectiveIn, type Facts } from './facts.ts';
import { type Batch, type Rule, violation } from './rule.ts';

export const protectedInstance: Rule = {
  id: 'protected-instance',
  refuses: 'restoring a snapshot into a protected instance, and deleting it',
  perChange: true,
  *check(batch) {
    for (const { before, after } of changesOf(batch.changes, 'Instance')) {
      if (!before) continue;
      if (isProtected(batch.before, batch.facts, before)) yield* keep(batch, before, after);
      else if (after && isProtected(batch.after, batch.facts, after)) yield* settle(after);
    }
  },
};

/** Whether protection acts on an instance: somebody protected it, and its team has the feature. */
export function isProtected(view: View, facts: Pick<Facts, 'drivers'>, { spec }: Resource<'Instance'>): boolean {
  if (!spec.protected) return false;
  const type = view.get('TeamType', view.get('Team', spec.team)?.spec.type ?? '');
  return type !== undefined && effectiveIn(view, facts, type.spec.features, 'protectedInstances').effective;
}

/** The fields of an instance that bring other flows into it, and how that is called. */
export const bringFlows = { restore: 'no snapshot can be restored into it' } as const;

const lift = 'have an owner of its team lift the protection first ("protected": false)';

function* keep(
  { door }: Batch,
  before: Resource<'Instance'>,
  after: Resource<'Instance'> | undefined,
): Iterable<Finding> {
  const isGoing = !after || after.spec.state === 'deleting';
  if (isGoing && before.spec.state !== 'deleting')
    yield violation('protected-instance', before, '', `cannot be deleted, because it is protected: ${lift}`);
  if (door === 'run') return;
  for (const field of Object.keys(bringFlows) as (keyof typeof bringFlows)[]) {
    const wanted = after?.spec[field];
    if (wanted === undefined || wanted.id === before.spec[field]?.id) continue;
    const why = 'because it is protected, and its flows stay as they are';
    yield violation('protected-instance', before, '', `${bringFlows[field]}, ${why}: ${lift}`);
  }
}

/** What was wanted before would be carried out under the protection. */
function* settle(after: Resource<'Instance'>): Iterable<Finding> {
  if (!after.spec.restore) return;
  const what = 'it cannot be protected, because a snapshot is being restored into it: wait for that';
  yield violation('protected-instance', after, '/protected', what);
}
