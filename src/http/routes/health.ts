// Whether the process lives, and whether it is ready to be asked.
import { z } from 'zod';
import { Problem } from '../errors.ts';
import { defineRoute, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const answer = z.strictObject({ status: z.string().describe('One word.') });
const answers = { 200: { description: 'Yes.', schema: answer } };

const common = { method: 'GET', action: 'probe', tag: 'health', answers, undocumented: true } as const;

const healthz = defineRoute({
  ...common,
  url: '/healthz',
  operationId: 'getHealth',
  summary: 'Whether the process lives',
  description: 'Answers as long as the process can answer anything.',
  handle: () => ({ body: { status: 'ok' } }),
});

const readyz = defineRoute({
  ...common,
  url: '/readyz',
  operationId: 'getReadiness',
  summary: 'Whether the server is ready',
  description: 'Answers 503 before the first reconcile has ended, on a read-only store, and while the server closes.',
  handle: ({ services }) => {
    const reason = unreadiness(services);
    if (reason !== undefined) throw new Problem('unavailable', { detail: reason });
    return { body: { status: 'ready' } };
  },
});

function unreadiness({ closing, door, reconciler }: Services): string | undefined {
  const { state, isLow, goesOn } = door.store.health();
  if (closing() || state === 'closed') return 'The server is closing.';
  if (state === 'read-only' && isLow)
    return 'The disk of the store is full: it takes changes again as soon as there is room.';
  if (state === 'read-only' && goesOn)
    return 'The store takes no changes for now: it goes on by itself once what keeps it from that is over, which its log tells.';
  if (state === 'read-only')
    return 'The store is read-only: nothing can be changed until it is mended and the server starts again.';
  return reconciler.settled() ? undefined : 'The first reconcile has not ended yet.';
}

export const healthRoutes: readonly Route[] = [healthz, readyz];
