// The description of the API: OpenAPI 3.0, complete, and true to what is served.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { kinds } from '../../src/core/kinds/index.ts';
import { collectComponents, component, inlineSchema } from '../../src/http/json-schema.ts';
import { routes } from '../../src/http/routes/index.ts';
import { openApiDocument } from '../../src/http/server.ts';
import { sentBody } from '../../src/http/views/device-snapshot.ts';
import { startWorld } from './world.ts';

// biome-ignore lint/suspicious/noExplicitAny: a description is looked into at every depth.
const document: any = JSON.parse(JSON.stringify(await openApiDocument('http://weir.example')));
const operations = Object.entries<Record<string, Record<string, unknown>>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

const description = suite('the description');

description('is what the server answers, whatever its state', async () => {
  const world = await startWorld();
  assert.equal((await world.ask('GET', '/api/')).body, document);
  await world.close();
});

description('lists every route under /api/ and /account/, and nothing else', () => {
  const served = routes
    .filter(({ url }) => url.startsWith('/api/') || url.startsWith('/account/'))
    .map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
  assert.equal(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort(), served.sort());
});

description('gives each operation an id of its own, words, a tag, security and a default problem', () => {
  const tags = new Set(document.tags.map(({ name }: { name: string }) => name));
  const ids = operations.map(({ operation }) => operation['operationId']);
  assert.is(new Set(ids).size, ids.length);
  for (const { path, method, operation } of operations) {
    const where = `${method} ${path}`;
    assert.match(String(operation['operationId']), /^[a-z][A-Za-z]+$/, where);
    assert.ok(operation['summary'] && operation['description'], where);
    assert.ok(
      (operation['tags'] as string[]).every((tag) => tags.has(tag)),
      where,
    );
    assert.ok(Array.isArray(operation['security']), where);
    assert.equal(Object(operation['responses']).default, { $ref: '#/components/responses/Problem' }, where);
  }
});

description('refers only to what it has, and has only what it refers to', () => {
  const refs = new Set(
    [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name),
  );
  assert.equal([...refs].sort(), Object.keys(document.components.schemas).sort());
});

description('is OpenAPI 3.0 in every corner: no list of types, no null type, nothing of JSON Schema alone', () => {
  const foreign = [
    'const',
    '$schema',
    '$id',
    'definitions',
    '$defs',
    'propertyNames',
    'patternProperties',
    'if',
    'examples',
    'prefixItems',
    'patternErrorMessage',
  ];
  visit(document.components.schemas, (schema, where) => {
    if (Array.isArray(schema['type']) || schema['type'] === 'null')
      throw new Error(`${where}: ${JSON.stringify(schema['type'])}`);
    if (schema['nullable'] === true && typeof schema['type'] !== 'string')
      throw new Error(`${where}: nullable without a type`);
    for (const word of foreign)
      if (word in schema && typeof schema['type'] === 'string') throw new Error(`${where}: ${word}`);
  });
});

description('shows examples that fit what they are examples of', () => {
  for (const { operationId, answers, body, bodyExample, takesBytes } of routes) {
    const form = takesBytes ? sentBody : body;
    if (bodyExample) assert.ok(form?.parse(bodyExample()), operationId);
    for (const { schema, also = {}, example } of Object.values(answers))
      if (example) assert.ok((schema ?? also['text/html'])?.parse(example()), operationId);
  }
  const { get, put } = document.paths['/api/v1/stacks/{name}'];
  assert.match(get.responses[200].content['application/json'].example.status.managedBy, 'api');
  assert.equal(Object.keys(put.requestBody.content['application/json'].example), ['spec']);
});

description('describes secrets as written and as read, and never the hash of anything', () => {
  const { SsoConfigSpec, SsoConfig } = document.components.schemas;
  assert.is(SsoConfigSpec.properties.ldap.properties.password.anyOf.length, 5);
  assert.match(JSON.stringify(SsoConfig.properties.spec.properties.ldap.properties.password), /ShownSecret/);
  assert.not.match(JSON.stringify(document), /passwordHash/);
});

description.run();

/** Every schema that is part of another, with itself. */
function within(schema: unknown, seen = new Set<z.core.$ZodType>()): Set<z.core.$ZodType> {
  if (schema instanceof z.ZodType && !seen.has(schema)) {
    seen.add(schema);
    const { shape, ...def } = Object(schema._zod.def);
    for (const part of [...Object.values(shape ?? {}), ...Object.values(def).flat()]) within(part, seen);
  }
  return seen;
}

const schemas = suite('schemas from zod');

schemas('name the value of each literal, by every schema of every route and kind', () => {
  const ofRoutes = routes.flatMap(({ params, query, body, answers }) => [
    params,
    query,
    body,
    ...Object.values(answers).flatMap(({ schema, also = {} }) => [schema, ...Object.values(also)]),
  ]);
  const all = [...ofRoutes, ...Object.values(kinds).map(({ spec }) => spec)].map((schema) => within(schema));
  const literals = all.flatMap((parts) => [...parts].filter((part) => part instanceof z.ZodLiteral));
  assert.ok(literals.length > 5, 'no literal was found');
  for (const literal of new Set(literals))
    assert.equal(Object(inlineSchema(literal)).enum, [...literal.values], JSON.stringify([...literal.values]));
  for (const name of ['Stack', 'TeamType', 'SsoConfig'])
    assert.equal(document.components.schemas[name].properties.kind.enum, [name]);
});

schemas('write what may be null as nullable, with its type', () => {
  const shape = z.strictObject({
    a: z.string().nullable(),
    b: z.enum(['x', 'y']).nullable(),
    c: z.union([z.string(), z.number()]).nullable(),
  });
  const { properties } = Object(inlineSchema(shape));
  assert.equal(properties.a, { type: 'string', nullable: true });
  assert.equal([properties.b.type, properties.b.nullable], ['string', true]);
  assert.not.match(JSON.stringify(properties), /"null"/);
});

schemas('write each named schema once, and refer to it', () => {
  const inner = component('TestInner', z.strictObject({ n: z.int() }));
  const components = collectComponents();
  const outer = components.of(
    z.strictObject({
      one: inner.optional(),
      two: inner.describe('Two.'),
      many: z.array(inner),
      none: inner.nullable(),
    }),
  );
  assert.equal(Object.keys(components.all()), ['TestInner']);
  assert.is([...JSON.stringify(outer).matchAll(/#\/components\/schemas\/TestInner/g)].length, 4);
});

schemas.run();

function visit(value: unknown, see: (schema: Record<string, unknown>, where: string) => void, where = ''): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as Record<string, unknown>;
  see(schema, where);
  for (const [key, item] of Object.entries(schema)) visit(item, see, `${where}/${key}`);
}
