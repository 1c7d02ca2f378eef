// The JSON Schemas as data; what an editor makes of them is in test/schemas.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { declaredKindNames, kindOf } from '../../../src/core/kinds/index.ts';
import { generatedFiles } from '../../../src/core/schemas/generate.ts';
import { documentSchema, type JsonSchema, kindSchema, specSchema } from '../../../src/core/schemas/json-schema.ts';
import { overlaySchema } from '../../../src/core/schemas/overlay-schema.ts';

/** Every schema of an object's field, with its path. */
function* fieldsIn(schema: JsonSchema, path = ''): Iterable<readonly [path: string, schema: JsonSchema]> {
  for (const [key, field] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
    yield [`${path}/${key}`, field];
    yield* fieldsIn(field, `${path}/${key}`);
  }
  if (schema.items) yield* fieldsIn(schema.items as JsonSchema, `${path}/-`);
}

const schemas = suite('the schemas');

schemas('describe every field', () => {
  for (const kind of declaredKindNames)
    for (const [path, field] of fieldsIn(kindSchema(kind)))
      assert.ok(String(field.description ?? '').length > 10, `${kind} ${path}`);
});

schemas('allow no unknown field in any object', () => {
  for (const kind of declaredKindNames)
    for (const [path, field] of [['', specSchema(kind)] as const, ...fieldsIn(kindSchema(kind))])
      if (field.properties) assert.is(field.additionalProperties, false, `${kind} ${path}`);
});

schemas('offer no choice of schemas, so that a mistake gives one error', () => {
  assert.not.match(JSON.stringify(documentSchema()), /"(anyOf|oneOf)"/);
});

schemas('know secrets by reference only', () => {
  const secrets = [...fieldsIn(specSchema('SsoConfig'))].find(([path]) => path === '/ldap/password')?.[1];
  assert.equal(Object.keys((secrets?.properties ?? {}) as object), ['fromEnv', 'fromFile']);
  for (const kind of declaredKindNames)
    for (const [path, field] of fieldsIn(specSchema(kind)))
      if (JSON.stringify(field.properties ?? {}).startsWith('{"fromEnv"'))
        assert.not.ok(Object.hasOwn(field.properties as object, 'value'), `${kind} ${path}`);
});

schemas('require what the nouns require', () => {
  assert.equal(specSchema('Stack').required, ['runtime']);
  assert.equal(specSchema('SsoConfig').required, ['emailDomain', 'provider']);
  assert.is(specSchema('TeamType').required, undefined);
});

schemas('say defaults where people read', () => {
  const fields = new Map(fieldsIn(specSchema('Platform')));
  assert.match(String(fields.get('/reconcile/settleMs')?.markdownDescription), /Default: `200`\.$/);
  assert.match(String(fields.get('/driver/kind')?.description), /Default: local\.$/);
});

schemas('ask for nothing but kind and name in an overlay, and take null for all else, but for items of lists', () => {
  const check = (schema: JsonSchema, path: string): void => {
    if (!['', '/metadata'].includes(path)) assert.is(schema['required'], undefined, path);
    const { properties = {}, additionalProperties } = schema as {
      properties?: object;
      additionalProperties?: JsonSchema;
    };
    for (const [key, field] of Object.entries(properties)) {
      const at = `${path}/${key}`;
      const isNullable = !('type' in field) || [field.type].flat().includes('null');
      assert.is(isNullable, !['/kind', '/metadata', '/metadata/name'].includes(at), at);
      if (field.enum) assert.is(field.enum.includes(null), at !== '/kind', at);
      check(field, at);
    }
    if (typeof additionalProperties === 'object')
      assert.ok([additionalProperties['type']].flat().includes('null'), path);
  };
  const { definitions, ...whole } = overlaySchema();
  check(whole, '');
  for (const [kind, spec] of Object.entries(definitions as Record<string, JsonSchema>)) check(spec, `/${kind}`);
});

schemas.run();

const files = suite('the generated files');

files('are one schema a kind, one for all, and a page for people', () => {
  assert.equal(Object.keys(generatedFiles()), [
    'document.schema.json',
    'overlay.schema.json',
    'platform.schema.json',
    'admin-settings.schema.json',
    'stack.schema.json',
    'instance-type.schema.json',
    'team-type.schema.json',
    'template.schema.json',
    'sso-config.schema.json',
    'README.md',
  ]);
});

files('are the same each time', () => {
  assert.equal(generatedFiles(), generatedFiles());
});

files('show each kind with the table of its fields', () => {
  const page = generatedFiles()['README.md'] ?? '';
  for (const kind of declaredKindNames) assert.match(page, `## ${kind}\n\n${kindOf(kind).summary}`);
  assert.match(page, /\| `spec\.runtime` \| text \(1 to 512 characters\) \| \*required\* \|/);
  for (const line of page.split('\n').filter((text) => text.startsWith('| `')))
    assert.is(line.replaceAll('\\|', '').split('|').length, 7, line);
});

files.run();
