// The registry of steps between versions of the store's format: one file a step, one line here.
import { chained } from './chained.ts';
import { sealed } from './sealed.ts';
import type { Step } from './step.ts';

/**
 * The first takes version 1 to 2, the next 2 to 3, and so on: what stands here is never changed or taken away again, and each new one comes with a
 * fixture of the version that it starts from (test/store/fixtures).
 */
export const steps: readonly Step[] = [sealed, chained];
