// Names from outside, fit for a sentence.
import { printable } from '../model/printable.ts';

const longest = 120;

/** A name that somebody else gave, in quotes, cut short where it is very long. */
export function shownName(name: string): string {
  return `"${printable(name.length > longest ? `${name.slice(0, longest)}…` : name)}"`;
}
