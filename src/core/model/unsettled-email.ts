// An address that a token gave somebody: for a while nothing that is mailed to it, or proved by it, opens their account, so that whoever found a token does not take it over.
import type { Resource } from './resource.ts';

/** How long, in milliseconds: as long as the link is good by which the address before it is taken back. */
export const unsettledMs = 72 * 3_600_000;

/** Whether the address opens nothing yet at this time (RFC 3339). */
export function isEmailUnsettled({ spec }: Pick<Resource<'User'>, 'spec'>, now: string): boolean {
  const until = spec.emailUnsettledUntil ?? null;
  return until !== null && Date.parse(now) < Date.parse(until);
}

/** Whether a token gave the address, however long ago, and nobody has shown since that it is theirs: whoever had the token may have the account. */
export function isEmailByToken({ spec }: Pick<Resource<'User'>, 'spec'>): boolean {
  return (spec.emailUnsettledUntil ?? null) !== null;
}

/** The fields of somebody whose address opens what addresses open, from now on. */
export function settled(user: Pick<Resource<'User'>, 'spec'>): { readonly emailUnsettledUntil?: null } {
  return isEmailByToken(user) ? { emailUnsettledUntil: null } : {};
}
