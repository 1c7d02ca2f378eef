// The oracle: what must be there, what must not, and what may be either because its answer never came.

/** What is known of a thing: its fields as text, or nothing where it is not there. */
export type Shape = Readonly<Record<string, string>> | undefined;

/** A write under way. */
export interface Attempt {
  /** It was acknowledged: from now on it must be there. */
  kept(): void;
  /** It was refused: from now on it must not be there. */
  refused(): void;
  /** No answer came, or one that says that nobody knows: it is there as a whole, or not at all. */
  unknown(): void;
}

/** How many writes were acknowledged, refused and cut off, and how many of the latter turned out to be there. */
export interface Tally {
  acknowledged: number;
  refused: number;
  cut: number;
  cutAndKept: number;
}

export interface Oracle {
  readonly tally: Tally;
  /** Says that a thing is about to become `after`. Until it is told how that ended, both are right. */
  begin(key: string, after: Shape): Attempt;
  /** What a thing is, where that is certain. */
  sure(key: string): { readonly shape: Shape } | undefined;
  /** Holds what is seen against what is known, and takes it for certain from then on. Answers what is wrong, in words. */
  compare(seen: ReadonlyMap<string, Shape>): string[];
}

interface Known {
  /** The last one is the newest. More than one: an answer is missing. */
  readonly may: Shape[];
  /** How many writes of this thing are under way. */
  open: number;
}

/** One writer a thing: two at once would leave their order unknown. */
export function createOracle(): Oracle {
  const all = new Map<string, Known>();
  const tally: Tally = { acknowledged: 0, refused: 0, cut: 0, cutAndKept: 0 };

  function begin(key: string, after: Shape): Attempt {
    const known = all.get(key) ?? { may: [undefined], open: 0 };
    all.set(key, known);
    known.may.push(after);
    known.open += 1;
    const end = (count: 'acknowledged' | 'refused' | 'cut', change: () => void) => () => {
      tally[count] += 1;
      known.open -= 1;
      change();
    };
    return {
      kept: end('acknowledged', () => known.may.splice(0, known.may.length, after)),
      refused: end('refused', () => known.may.pop()),
      unknown: end('cut', () => {}),
    };
  }

  function settle(key: string, known: Known, shape: Shape): string | undefined {
    const at = known.may.findLastIndex((one) => same(one, shape));
    if (at < 0) return `${key} is ${told(shape)}, and must be ${known.may.map(told).join(' or ')}`;
    if (known.may.length > 1 && known.open === 0 && at === known.may.length - 1) tally.cutAndKept += 1;
    if (known.open === 0) known.may.splice(0, known.may.length, shape);
    if (known.open === 0 && shape === undefined) all.delete(key);
    return undefined;
  }

  return {
    tally,
    begin,
    sure: (key) => {
      const known = all.get(key);
      if (known === undefined) return { shape: undefined };
      return known.may.length === 1 ? { shape: known.may[0] } : undefined;
    },
    compare: (seen) => {
      const strange = [...seen.keys()].filter((key) => !all.has(key));
      return [
        ...[...all].map(([key, known]) => settle(key, known, seen.get(key))).filter((one) => one !== undefined),
        ...strange.map((key) => `${key} is ${told(seen.get(key))}, and nobody was told that it was made`),
      ];
    },
  };
}

function same(one: Shape, other: Shape): boolean {
  return told(one) === told(other);
}

function told(shape: Shape): string {
  if (shape === undefined) return 'not there';
  return JSON.stringify(Object.fromEntries(Object.entries(shape).sort(([a], [b]) => (a < b ? -1 : 1))));
}
