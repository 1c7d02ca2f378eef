// Where a target has its entries put: a receiver of webhooks, or a file.
import type { Batch } from './batch.ts';

/** What came of a try. `reason` can follow "because", and holds no secret. */
export type Put =
  | { readonly came: 'taken' }
  | {
      readonly came: 'later';
      readonly reason: string;
      /** Not before so many milliseconds. */
      readonly afterMs?: number;
      /** It may take fewer at once. */
      readonly isTooLarge?: true;
    };

/** None of these rejects. */
export interface Sink {
  /** `taken` only once it is the target's for good. */
  put(batch: Batch): Promise<Put>;
  /** The id of the newest entry that the target has, where that can be known. */
  newest(): Promise<string | undefined>;
  close(): Promise<void>;
}
