// The flat table of fields.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { declaredKindNames } from '../../../src/core/kinds/index.ts';
import { envelopeFields, fieldsOf } from '../../../src/core/schemas/fields.ts';

const fields = suite('the fields of a kind');

const one = (kind: Parameters<typeof fieldsOf>[0], path: string) => {
  const found = fieldsOf(kind).find((field) => field.path === path);
  assert.ok(found, `${kind} has no ${path}`);
  return found;
};

fields('say their type, default and meaning', () => {
  assert.equal(one('Platform', 'spec.reconcile.settleMs'), {
    path: 'spec.reconcile.settleMs',
    type: 'whole number (50 to 60000)',
    default: 200,
    required: false,
    secret: false,
    description: 'How long a file of the tree must stay unchanged before it counts, in milliseconds (50 to 60000).',
  });
});

fields('say what is fixed, secret, a reference, or required', () => {
  assert.is(one('Platform', 'spec.driver.kind').immutable, 'while instances exist');
  assert.is(one('SsoConfig', 'spec.provider').immutable, 'always');
  assert.is(one('SsoConfig', 'spec.ldap.password').secret, true);
  assert.is(one('TeamType', 'spec.instanceTypes[].name').ref, 'InstanceType');
  const required = declaredKindNames.flatMap((kind) =>
    fieldsOf(kind)
      .filter((field) => field.required && !field.path.includes('[]'))
      .map(({ path }) => `${kind}.${path}`),
  );
  assert.equal(required, ['Stack.spec.runtime', 'SsoConfig.spec.emailDomain', 'SsoConfig.spec.provider']);
});

fields('have types in words', () => {
  const type = (kind: Parameters<typeof fieldsOf>[0], path: string) => one(kind, path).type.replaceAll('`', '');
  assert.is(type('Platform', 'spec.licence'), 'community or enterprise');
  assert.is(type('InstanceType', 'spec.stacks'), 'set of name of a Stack');
  assert.is(type('TeamType', 'spec.instanceTypes'), 'list of objects, each name once');
  assert.is(type('SsoConfig', 'spec.saml.certificate'), 'text, or {fromFile}');
  assert.is(type('SsoConfig', 'spec.ldap.password'), 'secret: {fromEnv} or {fromFile}');
});

fields('are each listed once', () => {
  for (const kind of declaredKindNames) {
    const paths = [...envelopeFields(), ...fieldsOf(kind)].map(({ path }) => path);
    assert.is(new Set(paths).size, paths.length, kind);
  }
});

fields.run();
