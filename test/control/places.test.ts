// Where a declared resource and its fields stand.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { placesIn } from '../../src/control/places.ts';
import { load } from './world.ts';

const text = `metadata: {name: t}
kind: TeamType
spec:
  active: true
  features:
    teamLibrary: true
  instanceTypes:
    - name: b
    - name: a
      limit: 3
  limits: {}
`;

const places = suite('places');

places('are known for what a document declares and each field that it sets, defaults that it writes included', () => {
  const sizes = ['a', 'b'].map((name) => `kind: InstanceType\nmetadata: {name: ${name}}\n`).join('---\n');
  const found = placesIn(load({ 'team.yaml': text, 'sizes.yaml': sizes }), 'TeamType/t');
  assert.equal([found?.source.file, found?.source.line], ['team.yaml', 2]);
  const lines = Object.fromEntries(Object.entries(found?.fields ?? {}).map(([path, { line }]) => [path, line]));
  assert.equal(lines, {
    '/spec/active': 4,
    '/spec/features/teamLibrary': 6,
    '/spec/instanceTypes/b/name': 8,
    '/spec/instanceTypes/a/name': 9,
    '/spec/instanceTypes/a/limit': 10,
  });
});

places('are known of lists, sections and drawn-in files by their key', () => {
  const sso =
    'kind: SsoConfig\nmetadata: {name: s}\nspec:\n  emailDomain: a.example\n  provider: saml\n  saml:\n    certificate: {fromFile: idp.pem}\n  groups:\n    teams: [x]\n';
  const found = placesIn(load({ 'sso.yaml': sso, 'idp.pem': 'CERT' }), 'SsoConfig/s');
  assert.is(found?.fields['/spec/saml/certificate']?.line, 7);
  assert.is(found?.fields['/spec/groups/teams']?.line, 9);
  assert.is(found?.fields['/spec/saml/groupAssertionName'], undefined);
});

places('are none of what no document declares', () => {
  assert.is(placesIn(load({}), 'Stack/none'), undefined);
  assert.is(placesIn(undefined, 'Stack/none'), undefined);
});

places.run();
