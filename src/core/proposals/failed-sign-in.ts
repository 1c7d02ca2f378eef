// Counts wrong passwords, by network and by account: five in a row shut out the network that they came from for a quarter of an hour, and nobody else.
import { activeAdmin } from '../kinds/user.ts';
import { type Change, updated } from '../model/change.ts';
import { networkOf } from '../model/network.ts';
import type { Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';

/** How many wrong passwords in a row lock an account for the network that they came from; and for all, where a directory looks at them. */
export const mostFailures = 5;

/** From how many on, of all networks that the user never signed in from, such networks wait longer and longer. */
export const mostFromStrangers = 25;

/** How long an account is locked, in milliseconds. */
export const lockMs = 15 * 60_000;

/** How long the last admin waits at most, in milliseconds. */
export const longestPauseMs = 8000;

/** How many networks are remembered of a user: from where they signed in, and from where wrong passwords came. */
const mostNetworks = { known: 8, strange: 16 } as const;

type Network = NonNullable<Resource<'User'>['spec']['signInNetworks']>[number];

/**
 * Whether no password is taken now from an address. What strangers do elsewhere holds up nobody at a network from which they have signed in. A
 * lock that ends later than any lock can is none: the clock was set back.
 */
export function isLocked({ spec }: Resource<'User'>, address: string, now: string): boolean {
  const here = networkAt(spec, address);
  return isAhead(here.lockedUntil, now) || (!here.known && isAhead(spec.lockedUntil, now));
}

/** How many wrong passwords in a row count for an address, where `mostFailures` lock the account. */
export function failuresAt({ spec }: Resource<'User'>, address: string): number {
  const here = networkAt(spec, address);
  return here.known ? here.failed : spec.failedSignIns;
}

/** Where a wrong password came from, and when. `isDirectorys`: a directory looked at it, which may lock the account for good. */
export interface WrongPassword {
  readonly address: string;
  readonly now: string;
  readonly isDirectorys?: boolean;
}

/** The change that one more wrong password makes. From a network that is known it counts there alone. */
export function failedSignIn(
  view: View,
  user: Resource<'User'>,
  { address, now, isDirectorys }: WrongPassword,
): Change {
  const isLast = isLastAdmin(view, user);
  const here = networkAt(user.spec, address);
  const [failed, lockedUntil] = fiveInARow(here.failed + 1, isLast, now);
  const rest = here.known ? {} : fromAStranger(user, isLast, now, isDirectorys === true);
  const signInNetworks = networksWith(user, { ...here, failed, lockedUntil });
  return updated(user, { ...user, spec: { ...user.spec, ...rest, signInNetworks } });
}

/** The networks of a user who signs in: this one is known from now on. */
export function knownNetworks(user: Resource<'User'>, address: string): Network[] {
  return networksWith(user, { network: networkOf(address), known: true, failed: 0, lockedUntil: null });
}

/** What a user is counted by when all is forgiven, as with a new password. */
export function forgiven({ spec }: Resource<'User'>) {
  const known = (spec.signInNetworks ?? []).filter((one) => one.known);
  const signInNetworks = known.map((one) => ({ ...one, failed: 0, lockedUntil: null }));
  return { failedSignIns: 0, lockedUntil: null, ...(spec.signInNetworks ? { signInNetworks } : {}) };
}

function networkAt({ signInNetworks = [] }: Resource<'User'>['spec'], address: string): Network {
  const network = networkOf(address);
  const fresh = { network, known: false, failed: 0, lockedUntil: null };
  return signInNetworks.find((one) => one.network === network) ?? fresh;
}

function networksWith({ spec: { signInNetworks = [] } }: Resource<'User'>, own: Network): Network[] {
  const all = [own, ...signInNetworks.filter(({ network }) => network !== own.network)];
  const known = all.filter((one) => one.known).slice(0, mostNetworks.known);
  const strange = all.filter((one) => !one.known).slice(0, mostNetworks.strange);
  return [...known, ...strange];
}

function fromAStranger({ spec }: Resource<'User'>, isLast: boolean, now: string, isDirectorys: boolean) {
  const count = Math.min(spec.failedSignIns + 1, 1_000_000);
  if (isDirectorys) {
    const [failedSignIns, lockedUntil] = fiveInARow(count, isLast, now);
    return { failedSignIns, lockedUntil };
  }
  const most = isLast ? longestPauseMs : lockMs;
  if (count >= mostFromStrangers)
    return { failedSignIns: count, lockedUntil: after(pauseMs(count - mostFromStrangers, most), now) };
  return { failedSignIns: count, lockedUntil: isAhead(spec.lockedUntil, now) ? spec.lockedUntil : null };
}

/** The count and the end of the lock. The last admin is slowed, and never locked out for long: the count goes on, so that each pause is twice as long as the one before. */
function fiveInARow(count: number, isLast: boolean, now: string): [count: number, lockedUntil: string | null] {
  if (count < mostFailures) return [count, null];
  return isLast ? [count, after(pauseMs(count - mostFailures, longestPauseMs), now)] : [0, after(lockMs, now)];
}

/** A second, and twice as long each time. */
function pauseMs(times: number, most: number): number {
  return Math.min(most, 1000 * 2 ** times);
}

function after(ms: number, now: string): string {
  return new Date(Date.parse(now) + ms).toISOString();
}

function isAhead(until: string | null, now: string): boolean {
  if (until === null) return false;
  const left = Date.parse(until) - Date.parse(now);
  return left > 0 && left <= lockMs;
}

function isLastAdmin(view: View, { spec }: Resource<'User'>): boolean {
  return spec.admin && !spec.suspended && view.countHaving('User', activeAdmin) === 1;
}
