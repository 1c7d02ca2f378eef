// Stands for the reconciler until its first attempt has ended, so that the server can answer probes while that goes on.
import type { Started } from '../control/loop.ts';
import type { Reconciler } from '../control/reconciler.ts';

/** A reconciler whose questions wait for the one that is starting. */
export function reconcilerOf(starting: Promise<Started>): Reconciler {
  let loop: Reconciler | undefined;
  const ready = starting.then((started) => {
    loop = started.loop;
    return started.loop;
  });
  ready.catch(() => {});
  return {
    settled: () => loop?.settled() ?? false,
    status: async () => (await ready).status(),
    standing: () => loop?.standing(),
    plan: async () => (await ready).plan(),
    planDocuments: async (posted) => (await ready).planDocuments(posted),
    reconcile: async (request) => (await ready).reconcile(request),
    placesOf: (address) => loop?.placesOf(address),
  };
}
