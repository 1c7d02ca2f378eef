// What is fuzzed: a parser at the edge, and what has to hold of it whatever it is given.

/** One parser. */
export interface Target {
  /** What a mutation puts in: words that mean something to it. */
  readonly words: readonly string[];
  /** Inputs to begin with, besides those that are kept. */
  readonly seeds: () => readonly (string | Uint8Array)[];
  /** Throws what is wrong; answers what became of the input, in words that are the same for inputs that went the same way. */
  readonly check: (input: Buffer) => string | Promise<string>;
  /** The most that an input of up to 64 KiB may cost, in milliseconds of CPU. */
  readonly mostMs: number;
  /** Lets go what it stands on. */
  readonly end?: () => Promise<void>;
}

/** What is wrong, where nothing was thrown. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** Throws `Broken` unless a thing holds. */
export function holds(thing: boolean, what: string): asserts thing {
  if (!thing) throw new Broken(what);
}

/** A message without what differs from input to input: texts in quotes, numbers, what comes after the first 80 characters. */
export function gist(message: string): string {
  return message
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\d+/g, '#')
    .replace(/[^ -~]+/g, '?')
    .slice(0, 80);
}
