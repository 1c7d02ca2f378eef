// The declared configuration as a whole: its status, plans, reconciles, history and export.
import { z } from 'zod';
import { historyEntry } from '../../control/history.ts';
import { actorOf } from '../../core/access/actor.ts';
import { declaredKindNames } from '../../core/kinds/index.ts';
import { name } from '../../core/kinds/kind.ts';
import type { Consents } from '../../core/rules/rule.ts';
import type { StoreRecord } from '../../store/store.ts';
import { dryRunQuery } from '../dry-run.ts';
import { Problem } from '../errors.ts';
import { component } from '../json-schema.ts';
import { listBody, listView, pageQuery } from '../paging.ts';
import { recordPage } from '../record-page.ts';
import { defineRoute, type Route } from '../route.ts';
import { configStatusView, historyDetailView, historyView, planView } from '../views/config.ts';
import { exampleConfigStatus, exampleHistory } from '../views/example-plan.ts';
import { requireAllowed } from '../write.ts';

const tag = 'configuration';

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

const consentFields = {
  allowDeletes: z.int().min(0).optional().describe('Consents to exactly so many deletions.'),
  adopt: z
    .array(z.string().min(1).max(200))
    .max(10_000)
    .optional()
    .describe('Consents to taking these over from the API: `Kind/name`.'),
};

interface ConsentBody {
  readonly allowDeletes?: number | undefined;
  readonly adopt?: readonly string[] | undefined;
}

function consentsIn({ allowDeletes, adopt = [] }: ConsentBody): Consents {
  return { adopt: new Set(adopt), ...(allowDeletes === undefined ? {} : { allowDeletes }) };
}

const documents = component(
  'Documents',
  z
    .strictObject({
      documents: z
        .array(
          z.strictObject({
            path: z
              .string()
              .min(1)
              .max(4096)
              .refine(isInside, { error: 'it is not a path inside a tree: relative, with "/", without ".."' })
              .describe('The path of the file, relative to the tree.'),
            content: z.string().describe('The text of the file.'),
          }),
        )
        .min(1)
        .max(100_000)
        .refine((files) => files.some(({ path }) => path === 'weir.yaml'), {
          error: 'there is no weir.yaml in it, so it is no tree',
        })
        .refine((files) => new Set(files.map(({ path }) => path)).size === files.length, {
          error: 'a path stands in it twice',
        })
        .describe('The files of a whole tree, with its `weir.yaml`.'),
      environment: z
        .string()
        .min(1)
        .max(63)
        .refine((name) => !/[/\\\0]/.test(name), { error: 'it is not the name of a folder below overlays/' })
        .optional()
        .describe('The overlay of the tree that is merged over it: its files are below `overlays/NAME/`.'),
      ...consentFields,
    })
    .refine(({ documents, environment }) => hasEnvironment(documents, environment), {
      path: ['environment'],
      error: 'no file stands below its folder in overlays/',
    }),
);

function hasEnvironment(files: readonly { readonly path: string }[], name: string | undefined): boolean {
  return name === undefined || files.some(({ path }) => path.startsWith(`overlays/${name}/`));
}

function isInside(path: string): boolean {
  return (
    !path.startsWith('/') && !/[\\\0]/.test(path) && !path.split('/').some((step) => ['', '.', '..'].includes(step))
  );
}

const planned = { 200: { description: 'The plan, also when rules forbid it.', schema: planView } };

const planDocuments = defineRoute({
  method: 'POST',
  url: '/api/v1/admin/config/plan',
  action: 'plan-config',
  operationId: 'planDocuments',
  tag,
  summary: 'What a tree would change',
  description:
    'Plans a tree given as texts against the live state, and keeps nothing. Also for tokens of scope `plan`: the dry run of CI.',
  query: z.strictObject(dryRunQuery),
  body: documents,
  bodyExample: () => ({
    documents: [{ path: 'weir.yaml', content: 'kind: Platform\nmetadata: {name: platform}\n' }],
  }),
  bodyLimit: 64 * 1024 * 1024,
  answers: planned,
  verbatim: true,
  handle: async ({ services, body }) => ({
    body: await services.reconciler.planDocuments(body.documents, consentsIn(body), body.environment),
  }),
});

const planOwn = defineRoute({
  method: 'GET',
  url: '/api/v1/admin/config/plan',
  action: 'plan-own-config',
  operationId: 'planOwnTree',
  tag,
  summary: 'What the server’s own tree would change',
  description: 'Each change says whether its cause is the documents (source) or the state (drift).',
  answers: planned,
  verbatim: true,
  handle: async ({ services }) => ({ body: await services.reconciler.plan() }),
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
  description: 'Reads the tree, applies it all or nothing, and answers the plan that was done.',
  query: z.strictObject(dryRunQuery),
  body: reconcileBody.prefault({}),
  bodyExample: () => ({ allowDeletes: 1 }),
  bodyOptional: true,
  answers: { 200: { description: 'The plan that was done.', schema: planView } },
  verbatim: true,
  handle: async (call) => {
    const { services, body, query, caller, requestId, address } = call;
    requireAllowed(call, services.door.store.read(), services.clock());
    if (query.dryRun) return { body: await services.reconciler.plan() };
    const { base, source } = body;
    const consents = consentsIn(body);
    const seen = base && {
      base: {
        ...(base.revision === undefined ? {} : { revision: base.revision }),
        ...(base.digest === undefined ? {} : { digest: base.digest }),
      },
    };
    const by = { actor: actorOf(caller), requestId, address };
    return { body: await services.reconciler.reconcile({ ...seen, ...(source ? { source } : {}), consents, ...by }) };
  },
});

const results = ['applied', 'refused', 'unchanged'] as const;

const history = defineRoute({
  method: 'GET',
  url: '/api/v1/admin/config/history',
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
  const { findings: _, ...entry } = historyEntry(record);
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
    return { body: historyEntry(record) };
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
  answers: { 200: { description: 'The files of a tree.', schema: exported, example: exampleExport } },
  handle: ({ services, query: { kind, name: only } }) => {
    if (only !== undefined && kind === undefined)
      throw new Problem('invalid_request', { detail: 'The parameter name needs kind.' });
    const filter = kind && { kind, ...(only === undefined ? {} : { name: only }) };
    const files = services.exportDocuments(services.door.store.read(), filter);
    if (only !== undefined && files.length === 0)
      throw new Problem('not_found', { detail: `There is no ${kind}/${only}.` });
    return { body: { documents: files.map(({ path, content }) => ({ path, content })) } };
  },
});

export const configRoutes: readonly Route[] = [
  status,
  planDocuments,
  planOwn,
  reconcile,
  history,
  historyDetail,
  exportRoute,
];
