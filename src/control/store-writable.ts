// The condition that tells whether the store takes writes. While it does not, nothing that is wanted can come about: the platform is not ready.
import type { Store } from '../store/store.ts';
import type { Condition } from './config-status.ts';

/** Answers the condition as it is now; its time is when that was first seen. */
export function storeWritableOf(store: Pick<Store, 'health'>, now: () => string): () => Condition {
  let known: Condition | undefined;
  return () => {
    const told = toldOf(store.health());
    const lastTransitionTime = known?.status === told.status ? known.lastTransitionTime : now();
    known = { type: 'StoreWritable', ...told, lastTransitionTime };
    return known;
  };
}

function toldOf({ state, reason = 'it is being closed', isLow, usage }: ReturnType<Store['health']>) {
  if (state !== 'ready') return { status: 'False', reason: 'ReadOnly', message: `nothing is kept: ${reason}` } as const;
  if (isLow)
    return {
      status: 'True',
      reason: 'DiskLow',
      message:
        'the disk of the store is full: commits are kept from what was set aside for them, what can wait is refused',
    } as const;
  if (usage?.filling !== undefined) return { status: 'True', reason: 'DiskFilling', message: usage.filling } as const;
  return { status: 'True', reason: 'Writable', message: 'what is written is kept' } as const;
}

/** The conditions of a platform: `Ready` is false as long as the store takes no writes. */
export function readyWhereWritable(conditions: readonly Condition[]): readonly Condition[] {
  const store = conditions.find(({ type }) => type === 'StoreWritable');
  if (store?.status !== 'False') return conditions;
  const { message, lastTransitionTime } = store;
  return conditions.map((one) =>
    one.type === 'Ready' ? { ...one, status: 'False', reason: 'StoreReadOnly', message, lastTransitionTime } : one,
  );
}
