// Keeps a suspended reconciler from applying anything, also what was under way when it was suspended.
import { suspendedIn } from '../core/model/suspension.ts';
import type { View } from '../core/model/view.ts';
import type { Entry, Store } from '../store/store.ts';
import { ReconcilerSuspended } from './failures.ts';

/** Throws `ReconcilerSuspended` where a state says so. */
export function requireResumed(view: View): void {
  const suspended = suspendedIn(view);
  if (suspended) throw new ReconcilerSuspended(suspended);
}

/** The same store, which keeps nothing while the reconciler is suspended. */
export function whileResumed(store: Store): Store {
  const commit: Store['commit'] = (transaction, options) =>
    store.commit((view) => {
      requireResumed(view);
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
