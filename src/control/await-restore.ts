// Waits for the end of a restore, as the store tells it.
import type { Why } from '../core/instances/why.ts';
import type { InstanceState } from '../core/kinds/instance.ts';
import type { Change } from '../core/model/change.ts';
import type { Resource } from '../core/model/resource.ts';
import type { Store } from '../store/store.ts';

/** How a restore ended: the instance as it is then; why nothing was restored; or it is gone. Nothing: it goes on, and nobody waits any more. */
export type Ended = { readonly instance: Resource<'Instance'> } | { readonly failed: Why } | 'gone' | undefined;

/** Looks on from now. `ended` resolves when the restore has ended and the instance is on its way no more, or `over` says that nobody waits. */
export interface RestoreWatch {
  ended(restore: string, over: () => boolean): Promise<Ended>;
  close(): void;
}

const onTheWay: readonly InstanceState[] = ['creating', 'starting', 'stopping', 'restarting', 'upgrading'];

/** In milliseconds. */
const lookMs = 250;

/** Watches the restores of an instance: call it before one is asked for, so that its end is not missed. */
export function watchRestores(store: Store, id: string): RestoreWatch {
  const ends = new Map<string, Why | undefined>();
  let wake = Promise.withResolvers<void>();
  const stop = store.subscribe((entry) => {
    if (entry !== 'reset') for (const change of entry.changes) noteEnd(change, id, ends);
    wake.resolve();
    wake = Promise.withResolvers();
  });
  const result = (restore: string): Ended => {
    const instance = store.read().get('Instance', id);
    if (!instance) return 'gone';
    if (!ends.has(restore) || onTheWay.includes(instance.spec.state)) return undefined;
    const failed = ends.get(restore);
    return failed ? { failed } : { instance };
  };
  return {
    ended: async (restore, over) => {
      for (;;) {
        const found = result(restore);
        if (found || over()) return found;
        const timer = Promise.withResolvers<void>();
        const pause = setTimeout(timer.resolve, lookMs);
        await Promise.race([wake.promise, timer.promise]);
        clearTimeout(pause);
      }
    },
    close: stop,
  };
}

function noteEnd({ kind, id: changed, before, after }: Change, id: string, ends: Map<string, Why | undefined>): void {
  if (kind !== 'Instance' || changed !== id || !before || !after) return;
  const [old, now] = [before as Resource<'Instance'>, after as Resource<'Instance'>];
  const ended = old.spec.restore?.id;
  if (ended === undefined || ended === now.spec.restore?.id) return;
  const failed = now.spec.conditions.find(({ type }) => type === 'RestoreFailed');
  ends.set(ended, failed && { reason: failed.reason, message: failed.message });
}
