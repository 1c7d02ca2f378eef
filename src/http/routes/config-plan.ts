// Plans over the API: of the server's own tree, and of one that is sent.
import { z } from 'zod';
import type { PostedTree } from '../../control/reconciler.ts';
import type { PlanDocument } from '../../core/plan/plan-document.ts';
import type { Consents } from '../../core/rules/rule.ts';
import { dryRunQuery } from '../dry-run.ts';
import { component } from '../json-schema.ts';
import { type Call, defineRoute, type Route } from '../route.ts';
import { planAnswer, planView } from '../views/config.ts';
import { inTime, maxWaitMs } from '../waiting.ts';

/** What a caller may consent to. */
export const consentFields = {
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

/** The consents of a body. */
export function consentsIn({ allowDeletes, adopt = [] }: ConsentBody): Consents {
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
              .refine(isInside, {
                error: 'it is not a path inside a tree: relative, with "/", without "..", and at most 64 folders deep',
              })
              .describe('The path of the file, relative to the tree.'),
            content: z.string().describe('The text of the file.'),
          }),
        )
        .min(1)
        .max(50_000)
        .refine((files) => files.some(({ path }) => path === 'weir.yaml'), {
          error: 'there is no weir.yaml in it, so it is no tree',
        })
        .refine((files) => new Set(files.map(({ path }) => path)).size === files.length, {
          error: 'a path stands in it twice',
        })
        .refine(isOnDisk, { error: 'a path is that of a file and of a folder' })
        .describe('The files of a whole tree, with its `weir.yaml`.'),
      environment: z
        .string()
        .min(1)
        .max(63)
        .refine((name) => !/[/\\\0]/.test(name), { error: 'it is not the name of a folder below overlays/' })
        .optional()
        .describe('The overlay of the tree that is merged over it: its files are below `overlays/NAME/`.'),
      source: z
        .strictObject({
          commit: z
            .string()
            .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, { error: 'it is not the full hash of a git commit' })
            .describe('The git commit that the files come from, in full.'),
          dirty: z.boolean().optional().describe('Whether files differ from that commit.'),
        })
        .optional()
        .describe('Where the files come from: the plan says it again, and nobody checks it.'),
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

/**
 * Whether no file stands where another one has a folder. Of paths that are very long and many together the rest is not looked at: a request is
 * judged in one go, and a plan of what no disk can hold harms nobody.
 */
function isOnDisk(files: readonly { readonly path: string }[]): boolean {
  const paths = new Set(files.map(({ path }) => path));
  const folders = new Set<string>();
  let looked = 0;
  for (const { path } of files)
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      looked += at;
      if (looked > maxLooked) return true;
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      if (paths.has(folder)) return false;
      folders.add(folder);
    }
  return true;
}

/** In characters of paths. */
const maxLooked = 4_000_000;

/** As deep as folders may lead into each other: what is deeper takes time and memory, and is no tree that people keep. */
const maxDepth = 64;

function isShallow(path: string): boolean {
  let at = -1;
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    at = path.indexOf('/', at + 1);
    if (at < 0) return true;
  }
  return false;
}

function isInside(path: string): boolean {
  return (
    isShallow(path) &&
    !path.startsWith('/') &&
    !/[\\\0]/.test(path) &&
    !path.split('/').some((step) => ['', '.', '..'].includes(step))
  );
}

function postedIn({ environment, source, ...body }: z.output<typeof documents>): PostedTree {
  return {
    documents: body.documents,
    consents: consentsIn(body),
    ...(environment === undefined ? {} : { environment }),
    ...(source === undefined
      ? {}
      : { source: { commit: source.commit, ...(source.dirty === undefined ? {} : { dirty: source.dirty }) } }),
  };
}

const planned = { 200: { description: 'The plan, also when rules forbid it.', schema: planView } };

const tag = 'configuration';

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
  bodyLimit: 24 * 1024 * 1024,
  readsOnly: true,
  takesTurns: true,
  answers: planned,
  verbatim: true,
  handle: async ({ services, body }) => ({
    body: planAnswer(await services.reconciler.planDocuments(postedIn(body))),
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
  takesTurns: true,
  answers: planned,
  verbatim: true,
  handle: async ({ services }) => ({ body: planAnswer(await services.reconciler.plan()) }),
});

/** The plan of the server's own tree, for a route that makes one now and then. */
export async function planInTurn({ services, caller }: Call): Promise<PlanDocument> {
  const place = services.planTurns(caller);
  try {
    const made = place.run(() => services.reconciler.plan());
    return await inTime(made, 'the plan cannot be made', services.maxWaitMs ?? maxWaitMs);
  } finally {
    place.leave();
  }
}

export const configPlanRoutes: readonly Route[] = [planDocuments, planOwn];
