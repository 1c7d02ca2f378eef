// Whether an instance takes up more of the disk than its stack allows, look by look, and when it has to be stopped for that.

/** How the disk of one run has been: what was taken up when it was first looked at, and last. */
export interface DiskLooks {
  readonly run: string;
  readonly first: number;
  readonly last: number;
  readonly wasOver: boolean;
}

/** `over` is told; `stop` ends it. */
export type DiskVerdict = 'fine' | 'over' | 'stop';

/** From this share of the limit on what grew in this run is stopped at once. */
const stopShare = 1.1;

/** What grows by less between two looks does not grow: a log that is turned over, a file that is written anew. */
const growthBytes = 1024 * 1024;

/**
 * The verdict on one more look, and what is to be known at the next. One that was over its limit when it was started, by somebody who wants to clear
 * up, is stopped only if it grows.
 */
export function diskVerdict(
  before: DiskLooks | undefined,
  { run, used, limit }: { readonly run: string; readonly used: number; readonly limit: number },
): { readonly verdict: DiskVerdict; readonly looks: DiskLooks } {
  const known = before?.run === run ? before : undefined;
  const isOver = used > limit;
  const looks = { run, first: known?.first ?? used, last: used, wasOver: isOver };
  if (!isOver) return { verdict: 'fine', looks };
  const grew = known !== undefined && used >= known.first + growthBytes && used / limit >= stopShare;
  const grows = known?.wasOver === true && used >= known.last + growthBytes;
  return { verdict: grew || grows ? 'stop' : 'over', looks };
}
