// What the description says of one route: in the words of Fastify's schemas, and what those have no words for.
import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import { policy } from '../core/access/policy.ts';
import type { Components, JsonSchema } from './json-schema.ts';
import type { Answer, Route } from './route.ts';

/** A route as `@fastify/swagger` reads it; only described, because zod checks what is sent. */
export function operationSchema(route: Route, components: Components): FastifySchema {
  const { operationId, summary, description, tag, action, params, query, body } = route;
  return {
    operationId,
    summary,
    description: `${description}\n\nFor ${audience(action)}.`,
    tags: [tag],
    security: securityOf(action),
    params: fields(params, components),
    querystring: fields(query, components),
    headers: conditionals(route),
    ...(body ? { body: contentOf({ 'application/json': body }, components) } : {}),
    response: answers(route, components),
  };
}

/** Adds to an operation what a Fastify schema cannot say: shared errors, examples, and that a body may be left out. */
export function completeOperation(operation: Loose, { answers: given, bodyExample, bodyOptional }: Route): void {
  const { requestBody, responses } = operation;
  if (requestBody && bodyOptional) Object.assign(requestBody, { required: false });
  if (bodyExample) addExample(requestBody, bodyExample());
  for (const [status, { example }] of Object.entries(given)) if (example) addExample(responses?.[status], example());
  if (responses) Object.assign(responses, { default: { $ref: '#/components/responses/Problem' } });
}

/** As much of an operation as is looked at. */
export interface Loose {
  readonly operationId?: string;
  readonly requestBody?: object;
  readonly responses?: Readonly<Record<string, object>>;
}

function addExample(holder: object | undefined, example: unknown): void {
  const media = Object(holder).content?.['application/json'];
  if (media) Object.assign(media, { example });
}

function securityOf(action: Route['action']) {
  const { who, sessionOnly } = policy[action];
  if (who === 'anyone') return [];
  return [...(sessionOnly ? [] : [{ token: [] }]), { session: [] }];
}

function audience(action: Route['action']): string {
  const { who, planTokens, statisticsToken, sessionOnly, orSelf, usersWhile } = policy[action];
  const people = { anyone: 'anyone', user: 'any user', admin: 'admins' };
  return [
    typeof who === 'string' ? people[who] : `admins, and members of the team who are ${who.join(', ')}`,
    ...(orSelf ? ['whoever it is about'] : []),
    ...(usersWhile ? ['any user where the administration settings allow it'] : []),
    ...(planTokens ? ['their tokens of scope `plan`'] : []),
    ...(statisticsToken ? ['the statistics token'] : []),
    ...(sessionOnly ? ['by a session, not by a token'] : []),
  ].join('; ');
}

function fields(schema: z.ZodType | undefined, components: Components): JsonSchema {
  const shape = schema instanceof z.ZodObject ? Object.entries(schema.shape) : [];
  return properties(shape.map(([name, field]) => [name, { description: name, ...components.of(field) }]));
}

function properties(entries: readonly (readonly [name: string, schema: JsonSchema])[]): JsonSchema {
  return { type: 'object', properties: Object.fromEntries(entries) };
}

function conditionals({ method }: Route): JsonSchema {
  const header = (name: string, description: string) => properties([[name, { type: 'string', description }]]);
  if (method === 'GET')
    return header('If-None-Match', 'An ETag that you have: 304 where it is still that of the answer.');
  if (method === 'POST') return properties([]);
  return header('If-Match', 'The ETag that you read: 412 where the object has changed since.');
}

function answers(route: Route, components: Components): JsonSchema {
  const own = Object.entries(route.answers).map(([status, answer]) => [status, response(answer, route, components)]);
  return Object.fromEntries(route.method === 'GET' ? [...own, ['304', empty('It is as you have it.')]] : own);
}

function response({ description, schema, also = {} }: Answer, { method }: Route, components: Components): JsonSchema {
  const types = { ...(schema ? { 'application/json': schema } : {}), ...also };
  if (Object.keys(types).length === 0) return empty(description);
  const headers = { ETag: { type: 'string', description: 'The version of the answer.' } };
  return { description, ...(method === 'GET' ? { headers } : {}), ...contentOf(types, components) };
}

function contentOf(types: Readonly<Record<string, z.ZodType>>, components: Components): JsonSchema {
  const content = Object.entries(types).map(([type, schema]) => [type, { schema: components.of(schema) }]);
  return { content: Object.fromEntries(content) };
}

/** An answer without a body. */
function empty(description: string): JsonSchema {
  return { type: 'null', description };
}
