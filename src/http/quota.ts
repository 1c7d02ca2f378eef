// How often somebody may do something within a time. Counted by this process alone: another one counts anew.

import { putNewest } from '../lib/put-newest.ts';

/** One that was taken; `giveBack` where nothing came of it. */
export interface Taken {
  giveBack(): void;
}

/** Counts by a key, such as who has whom mailed. */
export interface Quota {
  /** Takes one at once, before anything is waited for; or in how many seconds there is one again. `now` is RFC 3339. */
  take(key: string, now: string): Taken | number;
}

/** Makes a quota of `max` a key within `spanMs` of the first. It remembers the newest `keys`. */
export function createQuota({
  max,
  spanMs,
  keys = 10_000,
}: {
  readonly max: number;
  readonly spanMs: number;
  readonly keys?: number;
}): Quota {
  const counts = new Map<string, { readonly begun: number; count: number }>();
  return {
    take: (key, time) => {
      const now = Date.parse(time);
      const known = counts.get(key);
      // A clock that was set back makes nobody wait longer.
      const isCurrent = known && now >= known.begun && now < known.begun + spanMs;
      const current = isCurrent ? known : { begun: now, count: 0 };
      if (current.count >= max) return Math.max(1, Math.ceil((current.begun + spanMs - now) / 1000));
      current.count += 1;
      putNewest(counts, key, current, keys);
      // Of a time that is over nothing is given back to the next one: that has a count of its own.
      return {
        giveBack: () => {
          current.count -= 1;
        },
      };
    },
  };
}

/** How often an inviter has had an address mailed, and how often anybody at all. */
export interface InvitationQuotas {
  readonly toOne: Quota;
  readonly toAll: Quota;
}

/** How many mails to one address within an hour. */
export const maxToOne = 20;
/** How many invitations and mails of them within a day. */
export const maxToAll = 200;

const hourMs = 3_600_000;

/** Makes them. */
export function createInvitationQuotas(): InvitationQuotas {
  return {
    toOne: createQuota({ max: maxToOne, spanMs: hourMs }),
    toAll: createQuota({ max: maxToAll, spanMs: 24 * hourMs }),
  };
}
