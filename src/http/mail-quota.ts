// How often somebody may have somebody mailed. Counted by this process alone: another one counts anew.

/** Counts by a key, such as who has whom mailed; `now` is RFC 3339. */
export interface MailQuota {
  /** In how many seconds one more may go out; nothing where it may now. */
  wait(key: string, now: string): number | undefined;
  spend(key: string, now: string): void;
}

/** Makes a quota of `most` mails a key within `spanMs` of the first. It remembers the newest `keys`. */
export function createMailQuota({ most = 20, spanMs = 3_600_000, keys = 10_000 } = {}): MailQuota {
  const counts = new Map<string, { readonly begun: number; readonly count: number }>();
  const current = (key: string, now: number) => {
    const known = counts.get(key);
    // A clock that was set back makes nobody wait longer.
    return known && now >= known.begun && now < known.begun + spanMs ? known : undefined;
  };
  return {
    wait: (key, now) => {
      const known = current(key, Date.parse(now));
      if (!known || known.count < most) return undefined;
      return Math.max(1, Math.ceil((known.begun + spanMs - Date.parse(now)) / 1000));
    },
    spend: (key, now) => {
      const { begun, count } = current(key, Date.parse(now)) ?? { begun: Date.parse(now), count: 0 };
      counts.delete(key);
      counts.set(key, { begun, count: count + 1 });
      const [oldest] = counts.keys();
      if (counts.size > keys && oldest !== undefined) counts.delete(oldest);
    },
  };
}
