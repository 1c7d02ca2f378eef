// The files that an instance serves as they are: listing, writing and deleting them.
import { z } from 'zod';
import { submit } from '../../control/submit.ts';
import {
  type StaticFile,
  staticBounds,
  staticBoundsProblem,
  staticPathProblem,
} from '../../core/instances/static-files.ts';
import { happened } from '../../core/model/proposal.ts';
import type { Resource } from '../../core/model/resource.ts';
import { targeted } from '../../core/proposals/update-instance.ts';
import { messageOf } from '../../lib/message-of.ts';
import { dryRunQuery, tried } from '../dry-run.ts';
import { invalidRequest, Problem } from '../errors.ts';
import { matchesEtag } from '../etag.ts';
import { component } from '../json-schema.ts';
import { listBody, listView, pageOf, pageQuery, type SortKey } from '../paging.ts';
import { type Call, defineRoute, type Route } from '../route.ts';
import type { InstanceFiles, Services } from '../services.ts';
import { instanceSubject, requireFeature } from '../subjects.ts';
import { planView } from '../views/config.ts';
import { instantView } from '../views/values.ts';
import { contextOf, emptyAnswer, requireAllowed, write } from '../write.ts';
import { ofInstance } from './instances.ts';

const tag = 'instances';
const url = '/api/v1/instances/:id/files';
const { fileBytes, files: mostFiles, allBytes, depth, pathLength } = staticBounds;
const mebibytes = (bytes: number) => `${bytes / 1024 / 1024} MiB`;

const fileView = component(
  'InstanceFile',
  z.strictObject({
    path: z.string().describe('Its path below `static/` of the instance.'),
    size: z.int().describe('Its length in bytes.'),
    modifiedAt: instantView('When it was written.'),
    etag: z.string().describe('What it is served with, and what If-Match of a change looks at.'),
  }),
);
const example = { path: 'img/logo.svg', size: 1834, modifiedAt: '2026-11-21T10:00:00.000Z', etag: '"4k1-1ey-1x2v"' };

const ofFile = {
  params: z.strictObject({
    id: z.string().describe('The id of the instance.'),
    path: z
      .string()
      .describe(
        `The path of the file, its slashes written as %2F: up to ${depth} segments of ASCII letters, digits, ".", "_" and "-" that begin with no dot, ${pathLength} characters in all.`,
      ),
  }),
  subject: instanceSubject,
};

const list = defineRoute({
  ...ofInstance,
  method: 'GET',
  url,
  action: 'read-instance-files',
  operationId: 'listInstanceFiles',
  tag,
  summary: 'List the static files of an instance',
  description: 'By path. Needs the feature `staticAssets`.',
  query: z.strictObject(pageQuery),
  answers: {
    200: {
      description: 'A page of files.',
      schema: listView('files', fileView),
      example: () => ({ meta: {}, count: 1, files: [example] }),
    },
  },
  handle: async ({ params, query, services }) => {
    const { id } = instanceOf(services, params.id);
    const keyOf = ({ path }: StaticFile): SortKey => [path, path];
    const page = pageOf((await services.instanceFiles?.list(id)) ?? [], query, 'path', keyOf);
    return { body: listBody('files', page, shown) };
  },
});

const put = defineRoute({
  ...ofFile,
  method: 'PUT',
  url: `${url}/:path`,
  action: 'write-instance-files',
  // In base64, and a little for what stands around it.
  bodyLimit: Math.ceil((fileBytes * 4) / 3) + 1024,
  operationId: 'putInstanceFile',
  tag,
  summary: 'Write a static file of an instance',
  description: `All or nothing, in place of one that is there. It is served at \`static/<path>\` below the address of the instance. At most ${mebibytes(fileBytes)} a file, ${mostFiles} files and ${mebibytes(allBytes)} an instance. Needs the feature \`staticAssets\`.`,
  query: z.strictObject(dryRunQuery),
  body: z.strictObject({ content: z.string().describe('What is in it, in base64 (RFC 4648, 4, with padding).') }),
  bodyExample: () => ({ content: 'PHN2Zy8+' }),
  answers: {
    200: {
      description: 'The file, or what a dry run would change, which is nothing that a plan shows.',
      schema: z.union([fileView, planView]),
      example: () => example,
    },
  },
  handle: async (call) => {
    const { instance, path, files } = target(call);
    const content = bytesOf(call.body.content);
    const check = (there: readonly StaticFile[]) => {
      allow(call, there, path);
      const problem = staticBoundsProblem(there, path, content.length);
      if (problem !== undefined) throw new Problem('conflict', { detail: `${path} cannot be written: ${problem}.` });
    };
    check(await files.list(instance.id));
    if (call.query.dryRun) return { body: planOf(await write(call, () => [])) };
    const what = { event: 'written', path, before: null, after: { bytes: content.length } } as const;
    return { body: shown(await told(call, instance, what, () => files.put(instance.id, path, content, check))) };
  },
});

const remove = defineRoute({
  ...ofFile,
  method: 'DELETE',
  url: `${url}/:path`,
  action: 'write-instance-files',
  operationId: 'deleteInstanceFile',
  tag,
  summary: 'Delete a static file of an instance',
  description: 'Needs the feature `staticAssets`.',
  query: z.strictObject(dryRunQuery),
  answers: { 200: tried, 204: { description: 'It is gone.' } },
  handle: async (call) => {
    const { instance, path, files } = target(call);
    let before = 0;
    const check = (there: readonly StaticFile[]) => {
      const found = there.find((file) => file.path === path);
      if (!found) throw new Problem('not_found', { detail: `The instance has no file ${path}.` });
      before = found.size;
      allow(call, there, path);
    };
    check(await files.list(instance.id));
    if (call.query.dryRun) return emptyAnswer(await write(call, () => []));
    const what = { event: 'deleted', path, before: { bytes: before }, after: null } as const;
    await told(call, instance, what, () => files.remove(instance.id, path, check));
    return { status: 204 };
  },
});

type FileCall = Call<{ readonly id: string; readonly path: string }, { readonly dryRun: boolean }>;

/** What a write is about. Throws where its path is none, or its team may have no files. */
function target({ params, services }: FileCall) {
  const instance = instanceOf(services, params.id);
  const problem = staticPathProblem(params.path);
  if (problem !== undefined)
    throw new Problem('invalid_request', {
      detail: `${JSON.stringify(params.path)} can be no path of a file: ${problem}.`,
    });
  return { instance, path: params.path, files: filesOf(services) };
}

function instanceOf(services: Services, id: string): Resource<'Instance'> {
  const instance = targeted(services.door.store.read(), { id });
  const what = 'it can have no static files';
  requireFeature(services, { team: instance.spec.team, feature: 'staticAssets', resource: instance, what });
  return instance;
}

function filesOf({ instanceFiles }: Services): InstanceFiles {
  if (instanceFiles) return instanceFiles;
  throw new Problem('conflict', { detail: 'There are no files here, because this server runs no instances.' });
}

/** Just before the change: whether the caller still may, and whether the file is the one that they saw. */
function allow(call: FileCall, there: readonly StaticFile[], path: string): void {
  const { services, ifMatch } = call;
  const view = services.door.store.read();
  requireAllowed(call, view, services.clock());
  // Its folder goes, or is gone: a file would bring it back, and nobody would ever delete it.
  const { name, spec } = targeted(view, { id: call.params.id });
  if (spec.state === 'deleting')
    throw new Problem('conflict', {
      detail: `${path} cannot be written, because the instance ${name} is being deleted.`,
    });
  if (ifMatch === undefined) return;
  const found = there.find((file) => file.path === path);
  if (!matchesEtag(ifMatch, found && shown(found).etag))
    throw new Problem('precondition_failed', {
      detail: `The file ${path} is another than the one that If-Match names.`,
    });
}

/** What is done to a file. */
interface Done {
  readonly event: 'written' | 'deleted';
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Does it once the audit log tells it, because nothing may be done that nobody is told of; where it then fails, the log tells that, too. What is not
 * told, because the store takes nothing or the caller may not any more, is not done.
 */
async function told<T>(
  call: FileCall,
  { id, name, spec }: Resource<'Instance'>,
  { event, path, before, after }: Done,
  work: () => Promise<T>,
): Promise<T> {
  const about = { target: { kind: 'Instance', id, name }, team: spec.team } as const;
  await write(
    call,
    happened({ event: `instance-file.${event}`, changes: [{ path: `/files/${path}`, before, after }], ...about }),
  );
  try {
    return await work();
  } catch (error) {
    const changes = [{ path: `/files/${path}`, before: after, after: before }];
    const undone = happened({ event: `instance-file.not-${event}`, changes, reason: 'it failed', ...about });
    // Whoever lost the right to it meanwhile is no less the one who tried.
    await submit(call.services.door, undone, contextOf(call)).catch((cause: unknown) => {
      const { log } = call.services;
      log(`that ${path} of the instance ${id} was not ${event} could not be kept: ${messageOf(cause)}`, {
        requestId: call.requestId,
      });
    });
    throw error;
  }
}

function planOf(outcome: Awaited<ReturnType<typeof write>>): unknown {
  return 'plan' in outcome ? outcome.plan : undefined;
}

/** What is not exactly base64 would be cut or read as something else. */
function bytesOf(content: string): Buffer {
  const bytes = Buffer.from(content, 'base64');
  const invalid = (message: string) =>
    invalidRequest([{ rule: 'schema', severity: 'error', message, path: '/content' }]);
  if (bytes.toString('base64') !== content) throw invalid('content is no base64 with padding');
  if (bytes.length > fileBytes) throw invalid(`content has ${bytes.length} bytes, and ${fileBytes} is the most`);
  return bytes;
}

function shown({ path, size, modifiedAt, version }: StaticFile) {
  return { path, size, modifiedAt, etag: `"${version}"` };
}

export const instanceFileRoutes: readonly Route[] = [list, put, remove];
