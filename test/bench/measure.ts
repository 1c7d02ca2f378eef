// How things are measured: CPU time of this process, medians of several rounds, ratios within one run.

/** One row of the table: a figure, and what it is allowed to be, where something was promised. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The promise: `value` is at most (or at least) this. */
  readonly atMost?: number;
  readonly atLeast?: number;
  /** The least and the most that were seen. */
  readonly range?: readonly [least: number, most: number];
  /** The line of the picture of growth on which this stands (`growth.svg`), and at which size. */
  readonly growth?: { readonly of: string; readonly size: number };
}

/** The middle of some figures, and between what they lie: the part of a row that is measured. */
export function spread(figures: readonly number[]): Required<Pick<Row, 'value' | 'range'>> {
  return { value: median(figures), range: [Math.min(...figures), Math.max(...figures)] };
}

/** How a figure stands to its yardstick, which was measured in the same run: what this machine is, or does meanwhile, cancels out. */
export function against(
  name: string,
  figure: number,
  yardstick: number,
  promise: Pick<Row, 'atMost' | 'atLeast'>,
): Row {
  return { name, value: figure / yardstick, unit: '×', ...promise };
}

/** A number as people write it: `10 000`. */
export function told(count: number): string {
  return count.toLocaleString('en').replaceAll(',', ' ');
}

/** CPU milliseconds (user and system, all threads of this process) that some work takes, and what it answers. */
export async function cpuOf<T>(work: () => Promise<T> | T): Promise<{ readonly ms: number; readonly answer: T }> {
  const start = process.cpuUsage();
  const answer = await work();
  const { user, system } = process.cpuUsage(start);
  return { ms: (user + system) / 1_000, answer };
}

/** The middle one of some figures. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const [below = 0, above = below] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (below + above) / 2;
}

/** Whether a row keeps its promise; a row without one does. */
export function holds({ value, atMost, atLeast }: Row): boolean {
  return (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
}
