// Chance that can be had again: the same seed makes the same choices.

/** A source of chance. */
export interface Dice {
  /** A whole number from 0 up to, and without, `count`. */
  below(count: number): number;
  /** One of these. */
  of<T>(items: readonly T[]): T;
  /** True so many times in a hundred. */
  percent(chance: number): boolean;
  /** The same items in another order. */
  shuffled<T>(items: readonly T[]): T[];
}

/** Makes one from a text (mulberry32 over an FNV-1a hash of it). */
export function diceOf(seed: string): Dice {
  let state = hashOf(seed);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    below,
    of: (items) => items[below(items.length)] as (typeof items)[number],
    percent: (chance) => below(100) < chance,
    shuffled: (items) => {
      const left = [...items];
      return items.map(() => left.splice(below(left.length), 1)[0] as (typeof items)[number]);
    },
  };
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}
