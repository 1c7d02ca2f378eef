// Keeps a suspended reconciler from applying anything, and one that is asked from applying it for whoever may not: also what was under way.
import { suspendedIn } from '../core/model/suspension.ts';
import type { View } from '../core/model/view.ts';
import type { Entry, Store } from '../store/store.ts';
import { NotPermitted, ReconcilerSuspended } from './failures.ts';

/** Throws `ReconcilerSuspended` where a state says so. */
export function requireResumed(view: View): void {
  const suspended = suspendedIn(view);
  if (suspended) throw new ReconcilerSuspended(suspended);
}

/** Throws `ReconcilerSuspended`, or `NotPermitted` where whoever asks may not (any more). */
export function requireGoing(view: View, permit?: (view: View) => void): void {
  requireResumed(view);
  try {
    permit?.(view);
  } catch (error) {
    throw new NotPermitted(error);
  }
}

/** The same store, which keeps nothing while the reconciler is suspended, or for whoever may not (any more). */
export function whileGoing(store: Store, permit?: (view: View) => void): Store {
  const commit: Store['commit'] = (transaction, options) =>
    store.commit((view) => {
      requireGoing(view, permit);
      return transaction(view);
    }, options);
  return { ...store, commit };
}

/** Calls back when the reconciler may have been suspended or resumed. */
export function onSuspension(store: Store, listener: () => void): () => void {
  return store.subscribe((entry: Entry | 'reset') => {
    if (entry === 'reset' || entry.changes.some(({ kind }) => kind === 'Suspension')) listener();
  });
}
