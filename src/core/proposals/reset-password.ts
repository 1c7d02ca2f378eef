// Gives a user a new local password, without knowing the old one.
import { updated } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { suggest } from '../model/suggest.ts';
import type { View } from '../model/view.ts';
import { Declined } from './declined.ts';

/** Declines (`not_found`) where there is no such user. Tokens stay: they are revoked one by one. */
export function resetPassword({
  username,
  passwordHash,
}: {
  readonly username: string;
  readonly passwordHash: string;
}): Proposal {
  return (view, { now }) => {
    const user = view.named('User', username);
    if (!user)
      throw new Declined(
        'not_found',
        `${username} cannot get a new password, because there is no user of that name${hint(view, username)}`,
      );
    const next = { ...user, spec: { ...user.spec, passwordHash }, generation: user.generation + 1, updatedAt: now };
    return [updated(user, next)];
  };
}

function hint(view: View, username: string): string {
  const names: string[] = [];
  for (const user of view.all('User')) names.push(user.name);
  const meant = suggest(username, names);
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`;
}
