// last-admin: there is always somebody who can sign in and administer the platform, whoever takes the flag away (specification 2.8).
import { activeAdmin } from '../kinds/user.ts';
import type { Change } from '../model/change.ts';
import type { Finding } from '../model/finding.ts';
import type { Resource } from '../model/resource.ts';
import { type Rule, removed, violation, written } from './rule.ts';

export const lastAdmin: Rule = {
  id: 'last-admin',
  refuses: 'taking the admin flag from, suspending or deleting the only active admin',
  *check(batch) {
    if (batch.after.countHaving('User', activeAdmin) > 0) return;
    for (const change of written(batch, 'User')) yield* judge(change);
    for (const change of removed(batch, 'User')) yield* judge(change);
  },
};

/** The users who were active admins, and are no more. */
function* judge({ before, after }: Change<'User'>): Iterable<Finding> {
  if (!before?.spec.admin || before.spec.suspended) return;
  const because = 'no other active admin would be left: make somebody else an admin first';
  for (const [path, what] of lossesOf(after))
    yield violation('last-admin', after ?? before, path, `cannot be ${what}, because ${because}`);
}

function lossesOf(after: Resource<'User'> | undefined): readonly [path: string, what: string][] {
  if (!after) return [['', 'deleted']];
  const { admin, suspended } = after.spec;
  return [
    ...(admin ? [] : [['/admin', 'without the admin flag'] as [string, string]]),
    ...(suspended ? [['/suspended', 'suspended'] as [string, string]] : []),
  ];
}
