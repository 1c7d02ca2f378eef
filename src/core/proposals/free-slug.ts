// A slug that no team has yet, and a username that no user has.

import type { View } from '../model/view.ts';
import { withoutTrailing } from '../model/without-trailing.ts';

const longest = 63;

/** The slug itself, or with `-2`, `-3` … behind it. */
export function freeSlug(view: View, wanted: string): string {
  return freeName(view, 'Team', wanted);
}

/** A name that nothing of a kind has, or with `-2`, `-3` … behind it, of at most 63 characters. Costs the logarithm of how many there are. */
export function freeName(view: View, kind: 'Team' | 'User', wanted: string): string {
  const isTaken = (count: number) => view.named(kind, numbered(wanted, count)) !== undefined;
  if (!isTaken(1)) return wanted;
  let taken = 1;
  let free = 2;
  while (isTaken(free)) [taken, free] = [free, free * 2];
  while (free - taken > 1) {
    const between = Math.floor((taken + free) / 2);
    if (isTaken(between)) taken = between;
    else free = between;
  }
  return numbered(wanted, free);
}

function numbered(slug: string, count: number): string {
  if (count === 1) return slug;
  const end = `-${count}`;
  return `${withoutTrailing(slug.slice(0, longest - end.length), '-')}${end}`;
}
