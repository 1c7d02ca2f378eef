// last-admin: there is always somebody who can sign in and administer the platform, whoever takes the flag away (specification 2.8).
import { activeAdmin } from '../kinds/user.ts';
import type { Change } from '../model/change.ts';
import type { Finding } from '../model/finding.ts';
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
  const [path, what] = !after
    ? ['', 'deleted']
    : after.spec.suspended
      ? ['/suspended', 'suspended']
      : ['/admin', 'without the admin flag'];
  const because = 'no other active admin would be left: make somebody else an admin first';
  yield violation('last-admin', after ?? before, path, `cannot be ${what}, because ${because}`);
}
