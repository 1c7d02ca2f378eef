// Creates the first admin, with a token where one is wanted, on a state that has no user.
import { created } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { newToken } from './create-token.ts';
import { newUser } from './create-user.ts';
import { Declined } from './declined.ts';

/** The first admin. `email` is theirs; `token` is the label and the hash of a token with all rights. */
export interface FirstAdmin {
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly token?: { readonly name: string; readonly hash: string };
}

/** Declines (`conflict`) where a user exists. */
export function firstAdmin({ username, email, passwordHash, token }: FirstAdmin): Proposal {
  return (view, context) => {
    const count = view.count('User');
    if (count > 0)
      throw new Declined(
        'conflict',
        `no first admin can be made, because the store has ${count === 1 ? 'a user' : `${count} users`} already: "weir admin reset-password USERNAME" mends a lost password`,
      );
    const admin = newUser({ username, spec: { email, emailVerified: true, admin: true, passwordHash } }, context);
    const own = token && newToken({ name: token.name, spec: { user: admin.id, hash: token.hash } }, context);
    return [created(admin), ...(own ? [created(own)] : [])];
  };
}
