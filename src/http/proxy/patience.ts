// How long the way in waits for runtimes.

/** Milliseconds. */
export interface Patience {
  /** How long a runtime may take to begin its answer. */
  readonly headMs: number;
  /** How long it may be silent within its answer. */
  readonly bodyMs: number;
  /** How long a connection that was upgraded may be silent. */
  readonly tunnelMs: number;
  /** How long requests that are under way may take when the server closes. */
  readonly closeMs: number;
  /** How often it is looked whether who holds an open connection still may. */
  readonly lookMs: number;
}

export const usualPatience: Patience = {
  headMs: 60_000,
  bodyMs: 150_000,
  tunnelMs: 600_000,
  closeMs: 2500,
  lookMs: 5000,
};
