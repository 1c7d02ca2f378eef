// What can be done to an instance: each action a route.
import { z } from 'zod';
import { keysOf } from '../../core/kinds/kind.ts';
import { actOnInstance, type InstanceOperation } from '../../core/proposals/act-on-instance.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { component } from '../json-schema.ts';
import { begunHeaders, defineRoute, type Route } from '../route.ts';
import { write } from '../write.ts';
import { ofInstance, shownInstanceAnswer as shown, shownIn } from './instances.ts';

const startBody = component(
  'StartInstance',
  z.strictObject({
    safe: z
      .boolean()
      .optional()
      .describe('In safe mode: its editor works, and its flows do not run until somebody deploys or it is restarted.'),
  }),
);

const operations: Readonly<Record<InstanceOperation, readonly [summary: string, description: string]>> = {
  start: [
    'Start an instance',
    'With its settings as they are now. One that runs already is left as it is; with `safe` one that runs with its flows is restarted without them.',
  ],
  stop: ['Stop an instance', 'What it has written stays.'],
  restart: [
    'Restart an instance',
    'With its settings as they are now. It leaves safe mode; with `safe` it comes up in it.',
  ],
  suspend: ['Suspend an instance', 'It is stopped, and gives back all that it holds but what it has written.'],
  'upgrade-stack': [
    'Upgrade an instance to the stack on offer',
    'It moves to the stack that `upgrade` names, and goes back by itself where that fails. One that does not run is not started.',
  ],
};

export const instanceActionRoutes: readonly Route[] = keysOf(operations).map((action) => {
  const [summary, description] = operations[action];
  return defineRoute({
    ...ofInstance,
    method: 'POST',
    url: `/api/v1/instances/:id/actions/${action}`,
    action: 'act-on-instance',
    operationId: `${action === 'upgrade-stack' ? 'upgrade' : action}Instance`,
    tag: 'instances',
    summary,
    description: `${description} The answer comes before it is done: read the instance to follow it. What its state does not allow is a conflict.`,
    query: z.strictObject(dryRunQuery),
    ...(action === 'start' || action === 'restart'
      ? { body: startBody.prefault({}), bodyOptional: true, bodyExample: () => ({ safe: true }) }
      : {}),
    answers: {
      200: tried,
      202: { ...shown, description: 'It will be done, or is done already.', headers: begunHeaders },
    },
    handle: async (call) => {
      const drivers = call.services.door.facts().drivers;
      const outcome = await write(
        call,
        actOnInstance({ id: call.params.id, action, safe: safeIn(call.body) }, drivers),
      );
      if ('plan' in outcome) return { body: outcome.plan };
      const headers = { location: `/api/v1/instances/${call.params.id}` };
      return { status: 202, headers, ...shownIn(outcome.view, call.params.id, call) };
    },
  });
});

/** What starts and restarts alone may be sent. */
function safeIn(body: unknown): boolean | undefined {
  return startBody.safeParse(body).data?.safe;
}
