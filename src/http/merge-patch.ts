// PATCH by JSON Merge Patch (RFC 7386): made from each PUT that changes only the fields given, so that there is one of it.
import { z } from 'zod';
import { invalidRequest } from './errors.ts';
import { inlineSchema } from './json-schema.ts';
import type { Call, Route } from './route.ts';

/** A route, and beside a PUT of some fields the PATCH of the same. */
export function withPatch(route: Route): readonly Route[] {
  return route.changesGiven ? [route, patchOf(route)] : [route];
}

/** Whether a list that is given takes the place of the whole list: a merge patch knows nothing of items. */
export function replacesLists({ route }: Pick<Call, 'route'>): boolean {
  return route.method === 'PATCH';
}

function patchOf(route: Route): Route {
  return {
    ...route,
    method: 'PATCH',
    operationId: route.operationId.replace(/^update/, 'patch'),
    summary: `${route.summary}, by a merge patch`,
    description: `As PUT does, by a JSON Merge Patch (RFC 7386): what is left out stays, \`null\` takes away what may be absent, and a list takes the place of the whole list.\n\n${route.description}`,
    ...(route.body ? { body: patchBody(route.body) } : {}),
  };
}

/** Checks a patch as the body of the PUT, in which what may be empty is emptied by an empty text. */
function patchBody(body: z.ZodType): z.ZodType {
  if (!(body instanceof z.ZodObject)) throw new Error('a route that changes the fields given takes an object');
  const emptied = Object.entries(body.shape).filter(([, field]) => !takes(field, null) && isEmptied(field));
  if (emptied.length === 0) return body;
  return body.extend(Object.fromEntries(emptied.map(([name, field]) => [name, withNull(field)])));
}

function withNull(field: z.ZodType): z.ZodType {
  const { description = '' } = field;
  return field
    .nullable()
    .transform((value) => (value === null ? '' : value))
    .optional()
    .describe(`${description} \`null\`: none.`.trim());
}

/** A text that may be empty is one that may be absent; a password that is only compared is none. */
function isEmptied(field: z.ZodType): boolean {
  return takes(field, '') && inlineSchema(field)['writeOnly'] !== true;
}

function takes(field: z.ZodType, value: unknown): boolean {
  return field.safeParse(value).success;
}

/** Throws `invalid_request` for a patch that takes away what is always there. */
export function requireRemovable(body: z.ZodType, patch: unknown): void {
  if (!(body instanceof z.ZodObject)) return;
  const { shape } = body;
  const kept = Object.entries(Object(patch)).filter(
    ([name, value]) => value === null && Object.hasOwn(shape, name) && !takes(shape[name], null),
  );
  if (kept.length === 0) return;
  throw invalidRequest(
    kept.map(([name]) => ({
      rule: 'schema',
      severity: 'error',
      message: `${name} cannot be taken away, because there is always one: give it a value, or leave it out to keep it`,
      path: `/${name}`,
    })),
  );
}
