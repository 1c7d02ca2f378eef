// The description of the API: an OpenAPI 3.0 document, made from the very routes that are served.
import { z } from 'zod';
import { policy } from '../core/access/policy.ts';
import { type Components, collectComponents, type JsonSchema } from './json-schema.ts';
import type { Answer, Route, Tag } from './route.ts';
import { routes } from './routes/index.ts';
import { problemView } from './views/finding.ts';

/** The document. `baseUrl` is that of the server, where there is one. It does not depend on any state. */
export function openApiDocument(baseUrl = '/'): JsonSchema {
  const components = collectComponents();
  const problem = components.of(problemView);
  const shown = routes.filter(({ undocumented }) => !undocumented);
  const paths: Record<string, JsonSchema> = {};
  for (const route of shown) {
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, components) };
  }
  return {
    openapi: '3.0.3',
    info,
    servers: [{ url: baseUrl, description: 'This server.' }],
    tags: Object.entries(tags).flatMap(([name, description]) => (description ? [{ name, description }] : [])),
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes,
      responses: {
        Problem: { description: 'An error (RFC 9457).', content: { 'application/problem+json': { schema: problem } } },
      },
      schemas: components.all(),
    },
  };
}

const info = {
  title: 'Weir',
  version: '1',
  description:
    'A control plane for flow-runtime platforms: what is declared in documents, and the people and teams that use it.',
  license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  contact: { name: 'The operator of this server' },
} as const;

const tags: Readonly<Record<Tag, string | undefined>> = {
  description: 'What the API offers.',
  configuration: 'The declared configuration as a whole.',
  'declared kinds': 'Objects that documents declare, or that are made here.',
  settings: 'What there is one of.',
  health: undefined,
};

const securitySchemes = {
  token: { type: 'http', scheme: 'bearer', description: 'An access token: `Authorization: Bearer weirp_…`.' },
} as const;

function operation(route: Route, components: Components): JsonSchema {
  const { operationId, summary, description, tag, action } = route;
  return {
    operationId,
    summary,
    description: `${description}\n\nFor ${audience(action)}.`,
    tags: [tag],
    security: policy[action].who === 'anyone' ? [] : [{ token: [] }],
    parameters: [...parameters(route, components), ...conditionals(route)],
    ...requestBody(route, components),
    responses: { ...answers(route, components), default: { $ref: '#/components/responses/Problem' } },
  };
}

function audience(action: Route['action']): string {
  const { who, planTokens } = policy[action];
  return `${{ anyone: 'anyone', user: 'any user', admin: 'admins' }[who]}${planTokens ? ', and their tokens of scope `plan`' : ''}`;
}

function parameters(route: Route, components: Components): JsonSchema[] {
  const given = [
    ['path', route.params],
    ['query', route.query],
  ] as const;
  return given.flatMap(([place, schema]) =>
    schema instanceof z.ZodObject
      ? Object.entries(schema.shape).map(([name, field]) => parameter(place, name, field, components))
      : [],
  );
}

function parameter(place: 'path' | 'query', name: string, field: z.core.$ZodType, components: Components): JsonSchema {
  const { description, ...schema } = { description: name, ...components.of(field) };
  return { name, in: place, required: place === 'path', description, schema };
}

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

function conditionals({ method }: Route): JsonSchema[] {
  if (method === 'GET')
    return [header('If-None-Match', 'An ETag that you have: 304 where it is still that of the answer.')];
  return method === 'POST'
    ? []
    : [header('If-Match', 'The ETag that you read: 412 where the object has changed since.')];
}

function requestBody({ body, bodyOptional, bodyExample }: Route, components: Components): JsonSchema {
  if (!body) return {};
  const content = { schema: components.of(body), ...(bodyExample ? { example: bodyExample } : {}) };
  return { requestBody: { required: !bodyOptional, content: { 'application/json': content } } };
}

function answers(route: Route, components: Components): JsonSchema {
  const own = Object.entries(route.answers).map(([status, answer]) => [status, response(answer, route, components)]);
  return Object.fromEntries(route.method === 'GET' ? [...own, ['304', { description: 'It is as you have it.' }]] : own);
}

function response({ description, schema, example }: Answer, { method }: Route, components: Components): JsonSchema {
  if (!schema) return { description };
  const etag = { ETag: { description: 'The version of the answer.', schema: { type: 'string' } } };
  const content = { schema: components.of(schema), ...(example === undefined ? {} : { example }) };
  return { description, ...(method === 'GET' ? { headers: etag } : {}), content: { 'application/json': content } };
}
