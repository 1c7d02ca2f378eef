// What weir doctor says of one thing.

/** One thing that was looked at: a `note` is how it is meant, `lacking` what Weir does less well without, `missing` what it cannot do without. */
export interface Examined {
  readonly name: string;
  readonly state: 'fine' | 'note' | 'lacking' | 'missing';
  /** What it is for. */
  readonly purpose: string;
  /** What was seen. */
  readonly detail: string;
  /** What to do, where it is not fine. */
  readonly remedy?: string;
}
