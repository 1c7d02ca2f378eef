// username-unique and email-unique: no two users share either, whatever the case of the letters.
import { nameKey } from '../model/view.ts';
import { type Rule, violation, written } from './rule.ts';

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
  },
};
