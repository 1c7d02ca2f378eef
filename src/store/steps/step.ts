// What a step between two versions of the store's format is.

/** The sorts of files that a store has; each names its sort and version in its first line. */
export type FileSort = 'journal' | 'snapshot' | 'records';

/** Takes a line (but the first) of one version to the next: pure, one line for one line. */
// biome-ignore lint/suspicious/noExplicitAny: JSON whose shape the checksum vouches for
export type Step = (line: any, sort: FileSort) => any;
