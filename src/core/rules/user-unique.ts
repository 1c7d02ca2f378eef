// username-unique and email-unique: no two users share either, whatever the case of the letters.
import type { Finding } from '../model/finding.ts';
import type { Resource } from '../model/resource.ts';
import { nameKey } from '../model/view.ts';
import { type Batch, type Rule, violation, written } from './rule.ts';

export const usernameUnique: Rule = {
  id: 'username-unique',
  refuses: 'two users with one username, whatever the case of its letters',
  *check(batch) {
    for (const { after } of written(batch, 'User'))
      if (batch.after.countHaving('User', nameKey(after.name)) > 1)
        yield violation(
          'username-unique',
          after,
          '/username',
          `username cannot be ${after.name}, because another user has it`,
        );
  },
};

export const emailUnique: Rule = {
  id: 'email-unique',
  refuses: 'two users with one email address, whatever the case of its letters',
  *check(batch) {
    for (const { after } of written(batch, 'User'))
      if (batch.after.countHaving('User', `email=${after.spec.email}`) > 1)
        yield violation(
          'email-unique',
          after,
          '/email',
          `email cannot be ${after.spec.email}, because another user has it`,
        );
    for (const { after: link } of written(batch, 'ActionToken')) yield* judgeLink(batch, link);
  },
};

/** Nobody is sent a link to an address that could not become theirs. */
function* judgeLink(batch: Batch, { spec }: Resource<'ActionToken'>): Iterable<Finding> {
  const user = batch.after.get('User', spec.user);
  if (!user || spec.email === user.spec.email || batch.after.countHaving('User', `email=${spec.email}`) === 0) return;
  yield violation('email-unique', user, '/email', `email cannot be ${spec.email}, because another user has it`);
}
