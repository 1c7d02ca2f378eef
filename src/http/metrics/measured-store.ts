// A store that tells what became of each commit of this process, and how long it took: whatever the engine below it.
import { NotKept, OutcomeUnknown, type Store, type StoreRecord } from '../../store/store.ts';

/**
 * What became of a commit. `kept`: it is durable; `empty`: there was nothing to keep; `repeated`: it was kept before; `refused`: a rule or a
 * proposal said no; `not_kept`: the store took nothing; `unknown`: nobody knows.
 */
export const commitOutcomes = ['kept', 'empty', 'repeated', 'refused', 'not_kept', 'unknown'] as const;

export interface MeasuredCommit {
  readonly outcome: (typeof commitOutcomes)[number];
  /** Until it was durable, or given up. */
  readonly seconds: number;
  /** How many resources changed. */
  readonly changes: number;
  /** What rode in it; nothing where it was not kept. */
  readonly records: readonly StoreRecord[];
}

/** The same store; `tell` hears of each of its commits. */
export function measured(store: Store, tell: (commit: MeasuredCommit) => void): Store {
  const commit: Store['commit'] = (transaction, options) => {
    const begun = performance.now();
    const receipt = store.commit(transaction, options);
    const seconds = () => (performance.now() - begun) / 1000;
    receipt.then(
      ({ repeated, changes, records }) => {
        const isEmpty = changes.length === 0 && records.length === 0;
        const outcome = repeated ? 'repeated' : isEmpty ? 'empty' : 'kept';
        const kept = outcome === 'kept' ? { changes: changes.length, records } : { changes: 0, records: [] };
        tell({ outcome, seconds: seconds(), ...kept });
      },
      (error: unknown) => tell({ outcome: outcomeOf(error), seconds: seconds(), changes: 0, records: [] }),
    );
    return receipt;
  };
  return { ...store, commit };
}

function outcomeOf(error: unknown): MeasuredCommit['outcome'] {
  if (error instanceof NotKept) return 'not_kept';
  return error instanceof OutcomeUnknown ? 'unknown' : 'refused';
}
