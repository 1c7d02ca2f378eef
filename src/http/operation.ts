// What the description says of one route: in the words of Fastify's schemas, and what those have no words for.
import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import { policy } from '../core/access/policy.ts';
import type { Components, JsonSchema } from './json-schema.ts';
import { mergePatchType } from './merge-patch-type.ts';
import type { Answer, Route } from './route.ts';
import { planView } from './views/config.ts';
import { examplePlan } from './views/example-plan.ts';

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
    headers: headersOf(route),
    ...(body ? { body: contentOf(Object.fromEntries(typesOf(route).map((type) => [type, body])), components) } : {}),
    response: answers(route, components),
  };
}

function typesOf({ method }: Route): readonly string[] {
  return method === 'PATCH' ? [mergePatchType, 'application/json'] : ['application/json'];
}

/** Adds to an operation what a Fastify schema cannot say: shared errors, examples, and that a body may be left out. */
export function completeOperation(operation: Loose, { answers: given, bodyExample, bodyOptional }: Route): void {
  const { requestBody, responses } = operation;
  if (requestBody && bodyOptional) Object.assign(requestBody, { required: false });
  if (bodyExample) addExample(requestBody, bodyExample());
  for (const [status, answer] of Object.entries(given)) addExample(responses?.[status], exampleOf(answer));
  if (responses) Object.assign(responses, { default: { $ref: '#/components/responses/Problem' } });
}

/** As much of an operation as is looked at. */
export interface Loose {
  readonly operationId?: string;
  readonly requestBody?: object;
  readonly responses?: Readonly<Record<string, object>>;
}

function exampleOf({ example, schema }: Answer): unknown {
  return example ? example() : schema === planView ? examplePlan : undefined;
}

function addExample(holder: object | undefined, example: unknown): void {
  const { 'application/json': json, 'text/html': page } = Object(holder).content ?? {};
  const media = json ?? page;
  if (media && example !== undefined) Object.assign(media, { example });
}

function securityOf(action: Route['action']) {
  const { who, sessionOnly } = policy[action];
  if (who === 'anyone') return [];
  if (who === 'device' || who === 'machine') return [{ [who]: [] }];
  return [...(sessionOnly ? [] : [{ token: [] }]), { session: [] }];
}

function audience(action: Route['action']): string {
  const { who, planTokens, statisticsToken, sessionOnly, orSelf, usersWhile } = policy[action];
  const people = {
    anyone: 'anyone',
    user: 'any user',
    admin: 'admins',
    device: 'the device itself',
    machine: 'whoever holds a provisioning token',
  };
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

function headersOf({ method, creates, ignoresIfMatch }: Route): JsonSchema {
  const header = (name: string, description: string, more = {}) =>
    properties([[name, { type: 'string', description, ...more }]]);
  if (method === 'GET')
    return header('If-None-Match', 'An ETag that you have: 304 where it is still that of the answer.');
  if (method === 'POST') return creates ? header('Idempotency-Key', once, key) : properties([]);
  return ignoresIfMatch
    ? properties([])
    : header('If-Match', 'The ETag that you read: 412 where the object has changed since.');
}

const once =
  'A text of your own for this request: sent again within 24 hours with the same body, it makes nothing twice. Another body with it is 409.';
const key = { minLength: 1, maxLength: 255, pattern: '^[!-~]+$' };

function answers(route: Route, components: Components): JsonSchema {
  const own = Object.entries(route.answers).map(([status, answer]) => [status, response(answer, route, components)]);
  return Object.fromEntries(route.method === 'GET' ? [...own, ['304', empty('It is as you have it.')]] : own);
}

function response(answer: Answer, { method }: Route, components: Components): JsonSchema {
  const { description, schema, also = {}, headers = {} } = answer;
  const types = { ...(schema ? { 'application/json': schema } : {}), ...also };
  if (Object.keys(types).length === 0) return empty(description);
  const all = { ...(method === 'GET' ? { ETag: 'The version of the answer.' } : {}), ...headers };
  const described = Object.entries(all).map(([name, words]) => [name, { type: 'string', description: words }]);
  return { description, headers: Object.fromEntries(described), ...contentOf(types, components) };
}

function contentOf(types: Readonly<Record<string, z.ZodType>>, components: Components): JsonSchema {
  const content = Object.entries(types).map(([type, schema]) => [type, { schema: components.of(schema) }]);
  return { content: Object.fromEntries(content) };
}

/** An answer without a body. */
function empty(description: string): JsonSchema {
  return { type: 'null', description };
}
