// The declared configuration as a whole: its status, reconciles, history and export; its plans stand beside it.
import { z } from 'zod';
import { historyEntry } from '../../control/history.ts';
import { actorOf } from '../../core/access/actor.ts';
import { declaredKindNames } from '../../core/kinds/index.ts';
import { name } from '../../core/kinds/kind.ts';
import type { View } from '../../core/model/view.ts';
import { createSlicer, inSlices } from '../../lib/slice.ts';
import type { StoreRecord } from '../../store/store.ts';
import { dryRunQuery } from '../dry-run.ts';
import { Problem } from '../errors.ts';
import { component } from '../json-schema.ts';
import { listBody, listView, pageQuery } from '../paging.ts';
import { recordPage } from '../record-page.ts';
import { defineRoute, type Route } from '../route.ts';
import { configStatusView, historyDetailView, historyView, planAnswer, planView } from '../views/config.ts';
import { exampleConfigStatus, exampleHistory } from '../views/example-plan.ts';
import { maxWaitMs, unlessLate } from '../waiting.ts';
import { requireAllowed } from '../write.ts';
import { configPlanRoutes, consentFields, consentsIn, planInTurn } from './config-plan.ts';

const tag = 'configuration';
const historyUrl = '/api/v1/admin/config/history';

const status = defineRoute({
  method: 'GET',
  url: '/api/v1/admin/config',
  action: 'read-config-status',
  operationId: 'getConfigStatus',
  tag,
  summary: 'How the declared platform stands',
  description:
    'Which tree is applied, which was tried last, and what is wrong with it. Also for tokens of scope `plan`.',
  answers: { 200: { description: 'The status.', schema: configStatusView, example: () => exampleConfigStatus } },
  verbatim: true,
  handle: async ({ services }) => ({ body: await services.reconciler.status() }),
});

const reconcileBody = component(
  'Reconcile',
  z.strictObject({
    base: z
      .strictObject({
        revision: z.string().max(1000).nullable().optional().describe('As the plan has it.'),
        digest: z.string().max(1000).optional().describe('As the plan has it.'),
      })
      .optional()
      .describe('The base of the plan that you have seen: 412 where the state has moved since.'),
    source: z
      .strictObject({ digest: z.string().max(1000).describe('As the plan has it.') })
      .optional()
      .describe('The tree of the plan that you have seen: 412 where the server reads another one.'),
    ...consentFields,
  }),
);

const reconcile = defineRoute({
  method: 'POST',
  url: '/api/v1/admin/config/reconcile',
  action: 'reconcile-config',
  operationId: 'reconcile',
  tag,
  summary: 'Apply the server’s own tree now',
  description:
    'Reads the tree, applies it all or nothing, and answers the plan that was done. What takes longer than 45 s is answered 202 and goes on: how it ended is the newest entry of the history then. A dry run that takes longer is 503.',
  query: z.strictObject(dryRunQuery),
  body: reconcileBody.prefault({}),
  bodyExample: () => ({ allowDeletes: 1 }),
  bodyOptional: true,
  answers: {
    200: { description: 'The plan that was done.', schema: planView },
    202: {
      description: 'It goes on; the status as it is now.',
      schema: configStatusView,
      example: () => exampleConfigStatus,
      headers: { Location: 'Where to see how it ended.' },
    },
  },
  verbatim: true,
  handle: async (call) => {
    const { services, body, query, caller, requestId, address } = call;
    if (query.dryRun) return { body: planAnswer(await planInTurn(call)) };
    const { base, source } = body;
    const consents = consentsIn(body);
    const withBase = base && {
      base: {
        ...(base.revision === undefined ? {} : { revision: base.revision }),
        ...(base.digest === undefined ? {} : { digest: base.digest }),
      },
    };
    const permit = (view: View) => requireAllowed(call, view, services.clock());
    const by = { actor: actorOf(caller), requestId, address, permit };
    const seen = { ...withBase, ...(source ? { source } : {}) };
    const work = services.reconciler.reconcile({ ...seen, consents, ...by });
    const done = await unlessLate(work, services.maxWaitMs ?? maxWaitMs, (reason) =>
      services.log(`a reconcile that was answered before it ended (${requestId}) was not kept: ${String(reason)}`),
    );
    if (done) return { body: planAnswer(done) };
    requireAllowed(call, services.door.store.read(), services.clock());
    return { status: 202, headers: { location: historyUrl }, body: await services.reconciler.status() };
  },
});

const results = ['applied', 'refused', 'unchanged'] as const;

const history = defineRoute({
  method: 'GET',
  url: historyUrl,
  action: 'read-config-history',
  operationId: 'listHistory',
  tag,
  summary: 'What was applied and refused',
  description: 'Every attempt to apply a tree, newest first.',
  query: z.strictObject({
    ...pageQuery,
    result: z.enum(results).optional().describe('Only attempts that ended so.'),
  }),
  answers: {
    200: {
      description: 'A page of attempts.',
      schema: listView('history', historyView),
      example: () => ({ meta: {}, count: 1, history: [exampleHistory] }),
    },
  },
  handle: async ({ services, query }) => {
    const { result } = query;
    const where = (record: StoreRecord) => historyEntry(record).result === result;
    const filtered = result !== undefined && { where, holding: [JSON.stringify(result)] };
    const page = await recordPage(services, { stream: 'history', ...filtered }, query);
    return { body: listBody('history', page, shownHistory) };
  },
});

function shownHistory(record: StoreRecord) {
  const { findings: _, ...entry } = shownAttempt(record);
  return entry;
}

/** Without what only the next reconcile has to know. */
function shownAttempt(record: StoreRecord) {
  const { gone: _, ...entry } = historyEntry(record);
  return entry;
}

const historyDetail = defineRoute({
  method: 'GET',
  url: '/api/v1/admin/config/history/:revision',
  action: 'read-config-history',
  operationId: 'getHistory',
  tag,
  summary: 'The last attempt to apply a revision',
  description: 'With all its findings.',
  params: z.strictObject({
    revision: z.string().min(1).max(200).describe('The digest of the tree, or how it begins.'),
  }),
  answers: {
    200: {
      description: 'The attempt.',
      schema: historyDetailView,
      example: () => ({ ...exampleHistory, findings: [] }),
    },
  },
  handle: async ({ services, params }) => {
    const where = (record: StoreRecord) => historyEntry(record).revision.startsWith(params.revision);
    const [record] = await services.door.store.records({ stream: 'history', limit: 1, where });
    if (!record) throw new Problem('not_found', { detail: 'There is no attempt with this revision.' });
    return { body: shownAttempt(record) };
  },
});

const exported = component(
  'Export',
  z.strictObject({
    documents: z
      .array(
        z.strictObject({
          path: z.string().describe('The path of the file, relative to the tree.'),
          content: z.string().describe('The text of the file.'),
        }),
      )
      .describe('The files.'),
  }),
);

const exampleExport = () => ({
  documents: [{ path: 'weir.yaml', content: 'kind: Platform\nmetadata: {name: platform}\n' }],
});

const exportRoute = defineRoute({
  method: 'GET',
  url: '/api/v1/admin/config/export',
  action: 'export-config',
  operationId: 'exportConfig',
  tag,
  summary: 'All declared objects as documents',
  description: 'Also those made through the API. Secrets that were written out come as references to fill in.',
  query: z.strictObject({
    kind: z.enum(declaredKindNames).optional().describe('Only objects of this kind.'),
    name: name().optional().describe('Only the object of this name; needs `kind`.'),
  }),
  takesTurns: true,
  answers: { 200: { description: 'The files of a tree.', schema: exported, example: exampleExport } },
  verbatim: true,
  handle: async ({ services, query: { kind, name: only } }) => {
    if (only !== undefined && kind === undefined)
      throw new Problem('invalid_request', { detail: 'The parameter name needs kind.' });
    const filter = kind && { kind, ...(only === undefined ? {} : { name: only }) };
    const files = await inSlices(services.exportDocuments(services.door.store.read(), filter), createSlicer());
    if (only !== undefined && files.length === 0)
      throw new Problem('not_found', { detail: `There is no ${kind}/${only}.` });
    return { body: { documents: files.map(({ path, content }) => ({ path, content })) } };
  },
});

export const configRoutes: readonly Route[] = [
  status,
  ...configPlanRoutes,
  reconcile,
  history,
  historyDetail,
  exportRoute,
];
