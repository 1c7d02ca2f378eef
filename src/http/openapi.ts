// The description of the API: an OpenAPI 3.0 document, made by `@fastify/swagger` from the very routes that are served.
import swagger from '@fastify/swagger';
import { type FastifyInstance, type FastifyPluginAsync, fastify, type RouteOptions } from 'fastify';
import { sessionCookie } from './authentication.ts';
import { Problem, problemBody } from './errors.ts';
import { collectComponents } from './json-schema.ts';
import { completeOperation, type Loose, operationSchema } from './operation.ts';
import { placeOf, type Route, type Tag } from './route.ts';
import { routes } from './routes/index.ts';
import { problemView } from './views/finding.ts';

/** Describes what is registered after this plugin was loaded: `app.swagger()`, once the server is ready. `baseUrl` is that of the server. */
export function describe(app: FastifyInstance, baseUrl: string): void {
  const components = collectComponents();
  const problem = components.of(problemView);
  const described = new Map<string, Route>();
  const servers = [{ url: baseUrl, description: 'This server.' }];
  app.register(swagger, {
    // Addresses stand as they are served, also where the server's own address ends in a path.
    stripBasePath: false,
    openapi: {
      openapi: '3.0.3',
      info,
      servers,
      tags: tagList(),
      security: [{ token: [] }, { session: [] }],
      components: base,
    },
    transform: ({ route: options, url }) => {
      const route = shownRoute(options);
      if (!route) return { schema: { hide: true }, url };
      described.set(route.operationId, route);
      return { schema: operationSchema(route, components), url };
    },
    // The library would convert our schemas once more, and put a description of each error into each operation.
    transformObject: (whole) => {
      const document = 'openapiObject' in whole ? whole.openapiObject : whole.swaggerObject;
      for (const operation of operationsOf(document.paths)) {
        const route = described.get(operation.operationId ?? '');
        if (route) completeOperation(operation, route);
      }
      const responses = { Problem: problemResponse(problem) };
      const parts = { securitySchemes: base.securitySchemes, responses, schemas: components.all() };
      return Object.assign(document, { components: parts });
    },
  });
}

/** The document without a server: the same, because it depends on no state. */
export async function openApiDocument(baseUrl = '/'): Promise<object> {
  const app = fastify();
  describe(app, baseUrl);
  const api: FastifyPluginAsync = async (scope) => {
    for (const route of routes) scope.route({ ...placeOf(route), handler: () => undefined });
  };
  app.register(api);
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}

function shownRoute({ config }: RouteOptions): Route | undefined {
  return config?.route?.undocumented ? undefined : config?.route;
}

function operationsOf(paths: object | undefined): Loose[] {
  return Object.values(paths ?? {}).flatMap((path: object) => Object.values(path));
}

function problemResponse(schema: object) {
  return {
    description: 'An error (RFC 9457): `code` tells programs which. 429 and 503 say in Retry-After when to ask again.',
    headers: headersOfProblems,
    content: { 'application/problem+json': { schema, example: problemBody(new Problem('not_found')) } },
  };
}

const header = (description: string) => ({ description, schema: { type: 'string' } });

const headersOfProblems = {
  'Retry-After': header('With 429 and 503: after how many seconds to ask again.'),
  'WWW-Authenticate': header('With 401: how to send a token.'),
  Allow: header('With 405: the methods that there are.'),
  'X-Request-Id': header('The id of the request: it stands in the log, and in the audit log.'),
};

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
  account: 'Signing in and out, registering, and getting back in.',
  self: 'The user who asks: profile, tokens, sessions, teams, invitations.',
  teams: 'Teams, their members, and invitations.',
  instances: 'The flow runtimes of teams.',
  devices: 'Flow runtimes of teams that live elsewhere.',
  agents: 'The channel between a device and the platform.',
  snapshots: 'What instances held at one time.',
  users: 'All users, for admins.',
  administration: 'What admins see of everybody.',
  statistics: 'Counts for people and for scrapers.',
  health: undefined,
};

function tagList() {
  return Object.entries(tags).flatMap(([name, description]) => (description ? [{ name, description }] : []));
}

const base = {
  securitySchemes: {
    token: { type: 'http', scheme: 'bearer', description: 'An access token: `Authorization: Bearer weirp_…`.' },
    device: {
      type: 'http',
      scheme: 'bearer',
      description: 'The token of a device: `Authorization: Bearer weirdev_…`.',
    },
    machine: {
      type: 'http',
      scheme: 'bearer',
      description: 'A provisioning token, good once: `Authorization: Bearer weirprov_…`.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookie,
      description: 'A session, begun by `POST /account/login`. What changes something needs the header `Origin`, too.',
    },
  },
} as const;
