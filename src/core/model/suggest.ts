// "Did you mean": the known word nearest to a mistyped one.

/** The nearest candidate within one edit for words of up to three letters, two for longer ones, three from nine letters on. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  // Nobody mistypes so long a word, and what was pasted by mistake would be compared for long.
  if (word.length > 200) return undefined;
  let limit = word.length <= 3 ? 1 : word.length < 9 ? 2 : 3;
  const typed = word.toLowerCase();
  let best: string | undefined;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) > limit || candidate === word) continue;
    const distance = editDistance(typed, candidate.toLowerCase(), limit);
    if (distance > limit) continue;
    best = candidate;
    limit = distance - 1;
    if (limit < 0) break;
  }
  return best;
}

/**
 * Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours. Anything beyond `limit` is answered as `limit + 1`,
 * and only what can be within it is looked at.
 */
function editDistance(a: string, b: string, limit: number): number {
  const far = limit + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => Math.min(index, far));
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(far);
    row[0] = Math.min(i, far);
    let least = row[0];
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const cost = stepCost(a, b, i, j, row, previous, beforePrevious);
      row[j] = Math.min(cost, far);
      least = Math.min(least, cost);
    }
    if (least > limit) return far;
    [beforePrevious, previous] = [previous, row];
  }
  return previous[b.length] ?? far;
}

function stepCost(
  a: string,
  b: string,
  i: number,
  j: number,
  row: readonly number[],
  previous: readonly number[],
  beforePrevious: readonly number[],
): number {
  const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
  const cost = Math.min((row[j - 1] ?? 0) + 1, (previous[j] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1));
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return swapped ? Math.min(cost, (beforePrevious[j - 2] ?? 0) + 1) : cost;
}
