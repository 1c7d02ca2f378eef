// How often a password may be tried for a name that has no account to count on: remembered by this process, for each machine of its own.

/** One try that may be made. It is over when `end` was told how it went: `wrong` counts, `right` forgives, anything else leaves all as it was. */
export interface Try {
  end(outcome: 'wrong' | 'right' | 'neither'): void;
}

export interface Tries {
  /**
   * A try for a name; nothing where it has had too many, with those under way. `at` is the time in milliseconds, `counted` how many wrong ones are
   * counted elsewhere.
   */
  begin(name: string, at: number, counted?: number): Try | undefined;
}

interface Entry {
  readonly wrong: number;
  readonly underWay: number;
  readonly at: number;
}

/** `most` wrong tries in a row close a name for `closedMs`; as many may be under way. Of `names` names the oldest are forgotten. */
export function createTries({ most, closedMs, names }: Readonly<Record<'most' | 'closedMs' | 'names', number>>): Tries {
  const entries = new Map<string, Entry>();
  const put = (name: string, entry: Entry): void => {
    // Behind all others: the first is the one that nothing happened to for the longest time.
    entries.delete(name);
    if (entry.wrong === 0 && entry.underWay === 0) return;
    entries.set(name, entry);
    for (const [oldest, { underWay }] of entries) {
      if (entries.size <= names) return;
      if (underWay === 0) entries.delete(oldest);
    }
  };
  const entryAt = (name: string, at: number): Entry => {
    const entry = entries.get(name) ?? { wrong: 0, underWay: 0, at };
    // A clock that was set back opens what it closed.
    const isOver = at - entry.at >= closedMs || at < entry.at;
    return isOver ? { ...entry, wrong: 0, at } : entry;
  };
  return {
    begin: (name, at, counted = 0) => {
      const entry = entryAt(name, at);
      if (counted + entry.wrong + entry.underWay >= most) return undefined;
      put(name, { ...entry, underWay: entry.underWay + 1 });
      return {
        end: (outcome) => {
          // As it stands: only who begins looks at the clock. Tries end in any order, and one that began earlier says nothing of the others.
          const now = entries.get(name) ?? { wrong: 0, underWay: 1, at };
          const wrong = outcome === 'right' ? 0 : now.wrong + (outcome === 'wrong' ? 1 : 0);
          const last = outcome === 'wrong' ? Math.max(at, now.at) : now.at;
          put(name, { wrong, underWay: Math.max(0, now.underWay - 1), at: last });
        },
      };
    },
  };
}
