// Export: what comes out of the state goes in again as the very same, whatever the texts hold.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { declaredKindNames, kindOf } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import type { DeclaredResource } from '../../src/core/model/resource.ts';
import { createState } from '../../src/core/model/state.ts';
import type { View } from '../../src/core/model/view.ts';
import { exportDocuments } from '../../src/manifests/export.ts';
import { parse } from '../../src/manifests/parse.ts';
import { apply, load, made, newWorld, planOf, problemsIn, write } from '../control/world.ts';

function stateOf(...resources: readonly DeclaredResource[]): View {
  const state = createState();
  state.apply(resources.map(created));
  return state;
}

function contentOf(resource: DeclaredResource): string {
  const [file] = exportDocuments(stateOf(resource), { kind: resource.kind, name: resource.name });
  return file?.content ?? '';
}

const exported = suite('an exported document');

exported('says what is not so anyway, in the order in which people write', () => {
  const labels = { tier: 'free' };
  const lifecycle = { protect: true, onRemove: 'delete', ignore: ['/spec/description'] } as const;
  const spec = {
    description: 'For a first team.',
    instanceTypes: [{ name: 'small', limit: 2 }, { name: 'large' }],
    features: { teamLibrary: true },
  };
  assert.is(
    contentOf(made('TeamType', 'starter', spec, { labels, lifecycle })),
    `apiVersion: weir/v1
kind: TeamType
metadata:
  name: starter
  labels:
    tier: free
lifecycle:
  protect: true
  ignore:
    - /spec/description
spec:
  description: For a first team.
  features:
    teamLibrary: true
  instanceTypes:
    - name: small
      limit: 2
    - name: large
`,
  );
  assert.is(
    contentOf(made('AdminSettings', 'default')),
    'apiVersion: weir/v1\nkind: AdminSettings\nmetadata:\n  name: default\n',
  );
});

exported('keeps a section whose presence says something', () => {
  assert.match(contentOf(made('Platform', 'platform', { email: {} })), /^spec:\n {2}email: \{\}\n$/m);
});

exported('shows a secret as its reference, and one that was a value as a reference to fill in', () => {
  const ldap = (password: object) => ({
    emailDomain: 'example.com',
    provider: 'ldap',
    ldap: { server: 'ldap:389', password },
  });
  assert.match(
    contentOf(made('SsoConfig', 'corp', ldap({ fromFile: 'ldap' }))),
    /\n {4}password: \{fromFile: ldap\}\n/,
  );
  const text = contentOf(made('SsoConfig', 'my-corp', ldap({ value: 'hunter2' })));
  assert.not.match(text, 'hunter2');
  assert.match(
    text,
    /\n {4}# was given as a value.*: set WEIR_SECRET_SSO_CONFIG_MY_CORP_LDAP_PASSWORD .*\n {4}password: \{fromEnv: WEIR_SECRET_SSO_CONFIG_MY_CORP_LDAP_PASSWORD\}\n/,
  );
  assert.equal(problemsIn({ 'sso.yaml': text }), []);
});

exported('quotes what YAML, or an older reader of it, would take for something else', () => {
  for (const label of [
    '1.10',
    'yes',
    'No',
    'on',
    'null',
    '~',
    '0x1f',
    '1:30',
    '2026-01-01',
    '<<',
    '- a',
    '# a',
    'a: b',
    'a #b',
    "it's",
    '"a"',
    '',
    ' a ',
    '&a',
    '*a',
    '!a',
    '%a',
    '@a',
    '`a',
    '{a',
    '[a',
    ', a',
    '? a',
    '| a',
    '> a',
  ])
    assert.equal(
      valueIn(contentOf(made('Stack', 'a', { label, runtime: label || 'x' }))),
      { ...(label === '' ? {} : { label }), runtime: label || 'x' },
      label,
    );
  assert.match(contentOf(made('Stack', 'a', { runtime: '1.10' })), 'runtime: "1.10"\n');
  assert.match(contentOf(made('Stack', 'a', { runtime: 'yes' })), 'runtime: "yes"\n');
});

exported('keeps texts of many lines readable', () => {
  const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\nAAAA\n-----END CERTIFICATE-----\n';
  const text = contentOf(
    made('SsoConfig', 'corp', { emailDomain: 'example.com', provider: 'saml', saml: { certificate } }),
  );
  assert.match(text, 'certificate: |\n      -----BEGIN CERTIFICATE-----\n      MIIB\n');
});

exported('keeps every text to the letter', async () => {
  const letters = fc.constantFrom(
    ...'ab:#-?&*!|>\'"%@`{}[],~<=\\ \t\n\r\u0007\u001b\u0085\u009b\u00a0\u2028\u2029\ufeff\ufffeé名👍',
  );
  const anything = fc
    .oneof(fc.string({ unit: letters, maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 12 }))
    .filter((text) => !text.includes('\0'));
  await fc.assert(
    fc.asyncProperty(anything, anything, async (label, value) => {
      const resource = made('Template', 'a', { description: label, environment: [{ name: 'A', value, locked: true }] });
      const spec = kindOf('Template').spec.parse(valueIn(contentOf(resource)));
      assert.equal(spec, resource.spec);
    }),
    { numRuns: 1000 },
  );
});

exported.run();

const tree = suite('an exported tree');

const files = {
  'weir.yaml':
    'kind: Platform\nmetadata: {name: platform}\nspec:\n  licence: enterprise\n  email: {from: "Weir <weir@example.com>"}\n  exclude: [drafts/**]\n',
  'all.yaml': declaredKindNames
    .filter((kind) => kind !== 'Platform' && kind !== 'InstanceType' && kind !== 'Stack')
    .map((kind) => kindOf(kind).example ?? '')
    .join('---\n'),
  'more.yaml':
    'kind: Stack\nmetadata: {name: nr-4-1}\nspec: {runtime: "4.1"}\n---\nkind: Stack\nmetadata: {name: nr-5-0}\nspec: {runtime: "5.0", replaces: nr-4-1}\n---\nkind: InstanceType\nmetadata: {name: small}\nspec: {stacks: [nr-5-0, nr-4-1], defaultStack: nr-4-1}\n',
};

tree('is valid, and plans to nothing', async () => {
  const world = newWorld();
  await apply(world, files);
  await write(world, () => [created(made('Stack', 'by-hand', { label: 'yes', runtime: '1.10' }))]);
  const out = Object.fromEntries(exportDocuments(world.store.read()).map(({ path, content }) => [path, content]));
  assert.equal(Object.keys(out).sort(), [
    'admin-settings.yaml',
    'instance-types/small.yaml',
    'sso/example-com.yaml',
    'stacks/by-hand.yaml',
    'stacks/nr-4-1.yaml',
    'stacks/nr-5-0.yaml',
    'team-types/starter.yaml',
    'templates/standard.yaml',
    'weir.yaml',
  ]);
  assert.equal(problemsIn(out), []);
  const { document } = await planOf(world, out);
  assert.equal(document.changes, []);
  assert.is(document.summary.adopt, 1);
  assert.is(load(out).desired.desired.size, 9);
});

tree('has a weir.yaml even where no document was ever applied', () => {
  const out = Object.fromEntries(exportDocuments(stateOf()).map(({ path, content }) => [path, content]));
  assert.equal(Object.keys(out), ['weir.yaml']);
  assert.equal(problemsIn(out), []);
});

tree('can be of one kind, or one object', () => {
  const view = stateOf(
    made('Stack', 'a', { runtime: 'a' }),
    made('Stack', 'b', { runtime: 'b' }),
    made('Platform', 'platform'),
  );
  assert.equal(
    exportDocuments(view, { kind: 'Stack' }).map(({ path }) => path),
    ['stacks/a.yaml', 'stacks/b.yaml'],
  );
  assert.equal(
    exportDocuments(view, { kind: 'Stack', name: 'b' }).map(({ path }) => path),
    ['stacks/b.yaml'],
  );
  assert.equal(exportDocuments(view, { kind: 'Stack', name: 'c' }), []);
});

tree.run();

/** The spec of a document, by the reader that everybody uses. */
function valueIn(text: string): Record<string, unknown> {
  const { documents, findings } = parse('a.yaml', text);
  assert.equal(findings, [], text);
  const [document] = documents;
  const value = (document?.value ?? {}) as { spec?: Record<string, unknown> };
  return value.spec ?? {};
}
