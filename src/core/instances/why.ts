// Why something is as it is.

/** A word for programs, and a sentence for people. */
export interface Why {
  readonly reason: string;
  readonly message: string;
}
