// Gives a user a new local password, without knowing the old one.
import type { Proposal } from '../model/proposal.ts';
import { suggest } from '../model/suggest.ts';
import type { View } from '../model/view.ts';
import { Declined } from './declined.ts';
import { forgiven } from './failed-sign-in.ts';
import { changedUser, endedSessions } from './update-user.ts';

/** The account is unlocked, and signed out everywhere; tokens stay: they are revoked one by one. Declines (`not_found`) where there is no such user. */
export function resetPassword({
  username,
  passwordHash,
}: {
  readonly username: string;
  readonly passwordHash: string;
}): Proposal {
  return (view, context) => {
    const user = view.named('User', username);
    if (!user)
      throw new Declined(
        'not_found',
        `${username} cannot get a new password, because there is no user of that name${hint(view, username)}`,
      );
    const spec = { passwordHash, ...forgiven(user) };
    return [...changedUser(user, { spec }, context), ...endedSessions(view, user)];
  };
}

function hint(view: View, username: string): string {
  const names: string[] = [];
  for (const user of view.all('User')) names.push(user.name);
  const meant = suggest(username, names);
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`;
}
