// Judges a sign-in by single sign-on: who it is, whether they may in, and what their groups make of them, as one change.
import type { Explained } from '../groups/explained.ts';
import type { Change } from '../model/change.ts';
import type { Identity } from '../model/identity.ts';
import type { Context } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { userCalled } from '../model/user-called.ts';
import type { View } from '../model/view.ts';
import { begunSession, type NewSession } from './begin-session.ts';

/** What a provider has proved, for the configuration with the id `config`. */
export interface SsoAttempt {
  readonly config: string;
  readonly identity: Identity;
  readonly session: NewSession;
}

/**
 * What comes of it. `isNew`: the account was made now, so its owner is sent to their settings. `reason` is for the log and for administrators: it
 * is not told to who signs in.
 */
export type SsoVerdict = { readonly changes: readonly Change[] } & (
  | {
      readonly outcome: 'signed-in';
      readonly user: Resource<'User'>;
      readonly isNew: boolean;
      readonly explanation: readonly Explained[];
    }
  | { readonly outcome: 'refused'; readonly reason: string }
);

/** The verdict on an attempt. Pure: it may be asked again when somebody else was first. */
export function judgeSsoSignIn({ identity, session }: SsoAttempt, view: View, context: Context): SsoVerdict {
  const user = userCalled(view, identity.email);
  if (!user) return { outcome: 'refused', reason: `no user has the address ${identity.email}`, changes: [] };
  const changes = begunSession(view, user, session, context);
  return { outcome: 'signed-in', user, isNew: false, explanation: [], changes };
}
