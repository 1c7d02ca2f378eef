// The registry of steps between versions of the store's format: one file a step, one line here.

/** The sorts of files that a store has; each names its sort and version in its first line. */
export type FileSort = 'journal' | 'snapshot' | 'records';

/** Takes a line (but the first) of one version to the next: pure, one line for one line. */
// biome-ignore lint/suspicious/noExplicitAny: JSON whose shape the checksum vouches for
export type Step = (line: any, sort: FileSort) => any;

/**
 * The first takes version 1 to 2, the next 2 to 3, and so on: what stands here is never changed or taken away again, and each new one comes with a
 * fixture of the version that it starts from (test/store/fixtures).
 */
export const steps: readonly Step[] = [];
