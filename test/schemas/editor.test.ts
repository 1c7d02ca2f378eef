// What a person sees in an editor, asked of the real yaml-language-server.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Editor, startEditor } from './language-server.ts';

const modeline = (schema: string) => `# yaml-language-server: $schema=../../schemas/${schema}.schema.json`;

let editor: Editor;
let opened = 0;

/** Opens a document under the modeline; `|` is where the person points. Lines count from 1 after the modeline. */
async function open(text: string, schema = 'document') {
  const before = text.split('|')[0] ?? '';
  const line = before.split('\n').length;
  const character = before.length - before.lastIndexOf('\n') - 1;
  opened += 1;
  const uri = new URL(`../../examples/in-an-editor/${opened}.yaml`, import.meta.url).href;
  const diagnostics = await editor.open(uri, `${modeline(schema)}\n${text.replace('|', '')}`);
  return {
    errors: diagnostics.map(({ message, range }) => `${range.start.line}:${range.start.character} ${message}`),
    complete: async () => (await editor.complete(uri, { line, character })).map(({ label }) => label),
    hover: () => editor.hover(uri, { line, character }),
  };
}

function document(kind: string, spec: string, name = 'a'): string {
  return `kind: ${kind}\nmetadata:\n  name: ${name}\nspec:\n${spec}`;
}

const errors = suite('an editor shows one exact error');

errors.before(async () => {
  editor = await startEditor();
});

errors('and none for a right document', async () => {
  const right =
    'apiVersion: weir/v1\nkind: Stack\nmetadata:\n  name: a\nlifecycle: {protect: true}\nspec:\n  runtime: "1.10"\n';
  assert.equal((await open(right)).errors, []);
});

errors('for a number where text is wanted, at the value', async () => {
  assert.equal((await open(document('Stack', '  runtime: 1.10\n'))).errors, [
    '5:11 Incorrect type. Expected "string".',
  ]);
});

errors('for an unknown key, at the key', async () => {
  const text = document('Stack', '  runtime: "1"\n  labl: x\n');
  assert.equal((await open(text)).errors, ['6:2 Property labl is not allowed.']);
  const deep = document('TeamType', '  features:\n    teamLibary: true\n');
  assert.equal((await open(deep)).errors, ['6:4 Property teamLibary is not allowed.']);
  assert.equal((await open(`${document('AdminSettings', '  registration: true\n', 'default')}spek: 1\n`)).errors, [
    '6:0 Property spek is not allowed.',
  ]);
});

errors('for an unknown kind, whatever its spec', async () => {
  const [error = '', ...more] = (await open(document('Stak', '  labl: x\n'))).errors;
  assert.match(error, /^1:6 Value is not accepted. Valid values: "Platform", .*"Stack"/);
  assert.equal(more, []);
});

errors('for what is missing', async () => {
  assert.equal((await open('kind: Stack\nmetadata:\n  name: a\n')).errors, ['1:0 Missing property "spec".']);
  assert.equal((await open('kind: TeamType\nmetadata:\n  name: a\n')).errors, []);
  assert.equal((await open(document('SsoConfig', '  emailDomain: a.com\n'))).errors, [
    '4:0 Missing property "provider".',
  ]);
});

errors('for a name that cannot be', async () => {
  const [error = '', ...more] = (await open(document('TeamType', '  order: 1\n', 'My_Type'))).errors;
  assert.match(error, /^3:8 it must be lower-case letters/);
  assert.equal(more, []);
  assert.equal((await open(document('Platform', '  licence: community\n', 'main'))).errors, [
    '3:8 Value must be "platform".',
  ]);
});

errors('for yes where true is wanted', async () => {
  const text = document('AdminSettings', '  registration: yes\n', 'default');
  assert.equal((await open(text)).errors, ['5:16 Incorrect type. Expected "boolean".']);
});

errors('for a secret that is written out', async () => {
  const ldap = (password: string) =>
    document('SsoConfig', `  emailDomain: a.com\n  provider: ldap\n  ldap:\n    password: ${password}\n`);
  assert.equal((await open(ldap('{value: hunter2}'))).errors, ['8:15 Property value is not allowed.']);
  const [error = '', ...more] = (await open(ldap('hunter2'))).errors;
  assert.match(error, /^8:14 Incorrect type\. Expected "object/);
  assert.equal(more, []);
  assert.equal((await open(ldap('{fromEnv: LDAP}'))).errors, [
    '8:24 it must be a variable whose name begins with WEIR_SECRET_',
  ]);
  assert.is((await open(ldap('{fromEnv: WEIR_SECRET_A, fromFile: a}'))).errors.length, 1);
  assert.equal((await open(ldap('{fromFile: ldap}'))).errors, []);
});

errors('for a certificate that is neither text nor a file', async () => {
  const saml = (certificate: string) =>
    document('SsoConfig', `  emailDomain: a.com\n  provider: saml\n  saml:\n    certificate: ${certificate}\n`);
  assert.equal((await open(saml('{fromFile: idp.pem}'))).errors, []);
  assert.equal((await open(saml('|-\n      -----BEGIN'.replace('|', '>')))).errors, []);
  assert.equal((await open(saml('{fromFle: idp.pem}'))).errors, ['8:18 Property fromFle is not allowed.']);
  assert.equal((await open(saml('5'))).errors, ['8:17 Incorrect type. Expected one of string, object.']);
});

errors('for a number out of its bounds', async () => {
  const text = document('Platform', '  reconcile: {settleMs: 10}\n', 'platform');
  assert.equal((await open(text)).errors, ['5:24 Value is below the minimum of 50.']);
});

errors.run();

const parts = suite('an editor takes parts of documents in an overlay');

const part = (text: string) => open(text, 'overlay');

parts('of which only kind and name have to be there', async () => {
  assert.equal((await part('kind: Stack\nmetadata:\n  name: a\n')).errors, []);
  assert.equal((await part(document('SsoConfig', '  label: x\n'))).errors, []);
  assert.equal((await part(document('TeamType', '  limits:\n    instances: 5\n'))).errors, []);
  assert.equal((await part('kind: Stack\nspec:\n  label: x\n')).errors, ['1:0 Missing property "metadata".']);
  assert.equal((await part('kind: Stack\nmetadata:\n  labels: {tier: null}\n')).errors, [
    '2:0 Missing property "name".',
  ]);
});

parts('and null takes anything else away', async () => {
  const kinds = {
    Stack: '  label: null\n  resources:\n    memoryMb: null\n  replaces: null\n',
    TeamType: '  limits: null\n  instanceTypes: null\n  features:\n    teamLibrary: null\n',
    SsoConfig:
      '  provider: null\n  ldap:\n    password: {fromEnv: null, fromFile: ldap}\n    tls: {mode: null}\n  saml: null\n',
    Template: '  options:\n    httpAuth:\n      value: {password: null}\n    theme: null\n',
  };
  for (const [kind, spec] of Object.entries(kinds)) assert.equal((await part(document(kind, spec))).errors, [], kind);
  const envelope =
    'apiVersion: null\nkind: Stack\nmetadata:\n  name: a\n  labels: {tier: null}\n  previousNames: null\nlifecycle: {protect: null}\nspec: null\n';
  assert.equal((await part(envelope)).errors, []);
  assert.equal((await part('kind: Stack\nmetadata:\n  name: null\n')).errors, [
    '3:8 Incorrect type. Expected "string".',
  ]);
  assert.equal((await open(document('Stack', '  runtime: "1"\n  label: null\n'))).errors, [
    '6:9 Incorrect type. Expected "string".',
  ]);
});

parts('and what is wrong in a part is shown as in a whole one', async () => {
  assert.equal((await part(document('Stack', '  labl: x\n'))).errors, ['5:2 Property labl is not allowed.']);
  assert.equal((await part(document('Stack', '  runtime: 1.10\n'))).errors, [
    '5:11 Incorrect type. Expected one of string, null.',
  ]);
  assert.equal((await part(document('Platform', '  reconcile: {settleMs: 10}\n', 'platform'))).errors, [
    '5:24 Value is below the minimum of 50.',
  ]);
  assert.equal((await part(document('TeamType', '  instanceTypes:\n    - limit: 1\n'))).errors, [
    '6:6 Missing property "name".',
  ]);
  const [error = '', ...more] = (await part(document('Stak', '  labl: x\n'))).errors;
  assert.match(error, /^1:6 Value is not accepted/);
  assert.equal(more, []);
});

parts('and completes and explains them', async () => {
  const labels = await (await part(document('Stack', '  |\n'))).complete();
  for (const field of ['label', 'runtime', 'replaces']) assert.ok(labels.includes(field), field);
  assert.not.ok(labels.includes('emailDomain'));
  const text = await (await part(document('Platform', '  reconcile:\n    sett|leMs: 300\n', 'platform'))).hover();
  assert.match(text, 'in milliseconds (50 to 60000).');
});

parts.run();

const completion = suite('an editor completes');

completion('the kinds', async () => {
  assert.equal(await (await open('kind: |\n')).complete(), [
    'Platform',
    'AdminSettings',
    'Stack',
    'InstanceType',
    'TeamType',
    'Template',
    'SsoConfig',
  ]);
});

completion('the fields of a document', async () => {
  const labels = await (await open('kind: Stack\n|\n')).complete();
  for (const field of ['apiVersion', 'metadata', 'lifecycle', 'spec']) assert.ok(labels.includes(field), field);
});

completion('the fields of the spec of the kind, and of no other', async () => {
  const labels = await (await open(document('Stack', '  |\n'))).complete();
  for (const field of ['label', 'active', 'runtime', 'resources', 'replaces']) assert.ok(labels.includes(field), field);
  assert.not.ok(labels.includes('emailDomain'));
});

completion('features, items of lists, and the ways to write a secret', async () => {
  const features = await (await open(document('TeamType', '  features:\n    |\n'))).complete();
  assert.is(features.filter((label) => /^[a-z][A-Za-z]+$/.test(label)).length, 28);
  const types = await (await open(document('TeamType', '  instanceTypes:\n    - |\n'))).complete();
  assert.ok(types.includes('name') && types.includes('limit'));
  const secret = await (await open(document('SsoConfig', '  ldap:\n    password:\n      |\n'))).complete();
  assert.ok(secret.includes('fromEnv') && secret.includes('fromFile') && !secret.includes('value'));
});

completion('the values of a choice', async () => {
  assert.equal(await (await open(document('SsoConfig', '  provider: |\n'))).complete(), ['saml', 'ldap']);
});

completion.run();

const hover = suite('an editor explains');

hover('a field with its default', async () => {
  const text = await (await open(document('Platform', '  recon|cile:\n    settleMs: 300\n', 'platform'))).hover();
  assert.match(text, 'How the server follows the tree.');
  const deep = await (await open(document('Platform', '  reconcile:\n    sett|leMs: 300\n', 'platform'))).hover();
  assert.match(deep, 'in milliseconds (50 to 60000). Default: `200`.');
});

hover('a feature with what it needs', async () => {
  const text = await (await open(document('TeamType', '  features:\n    highAvail|ability: true\n'))).hover();
  assert.match(text, 'Needs `Platform.spec.driver.kind: orchestrator`');
});

hover('each kind', async () => {
  assert.match(await (await open(document('Sta|ck', '  runtime: "1"\n'))).hover(), 'A version of the runtime');
});

hover.after(() => editor.close());

hover.run();
