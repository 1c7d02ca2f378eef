// A plan field by field: what is shown, where a file sets it, and what is never shown.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlannedChange } from '../../../src/core/plan/plan-document.ts';
import { apply, type Files, made, newWorld, planOf, put, type World } from '../../control/world.ts';

/** `path: before → after @file:line`, one a field. */
async function fieldsOf(world: World, files: Files, address: string): Promise<string[]> {
  const change = await changeOf(world, files, address);
  return (change?.fields ?? []).map(({ path, before, after, sensitive, source }) => {
    const place = source ? ` @${source.file}:${source.line}:${source.column}` : '';
    return `${path}: ${JSON.stringify(before)} → ${JSON.stringify(after)}${sensitive ? ' (sensitive)' : ''}${place}`;
  });
}

async function changeOf(world: World, files: Files, address: string): Promise<PlannedChange | undefined> {
  const { document } = await planOf(world, files, { adopt: new Set([address]) });
  return document.changes.find((change) => change.address === address);
}

const lines = (...text: string[]) => `${text.join('\n')}\n`;

const fields = suite('the fields of a plan');

fields('of something new are those that say something', async () => {
  const text = lines(
    'kind: Stack',
    'metadata:',
    '  name: a',
    '  labels: {tier: free}',
    'lifecycle: {protect: true, onRemove: delete}',
    'spec:',
    '  runtime: "4"',
    '  active: true',
    '  resources:',
    '    memoryMb: 512',
  );
  assert.equal(await fieldsOf(newWorld(), { 'a.yaml': text }, 'Stack/a'), [
    '/metadata/labels/tier: null → "free" @a.yaml:4:18',
    '/lifecycle/protect: null → true @a.yaml:5:22',
    '/spec/runtime: null → "4" @a.yaml:7:12',
    '/spec/resources/memoryMb: null → 512 @a.yaml:10:15',
  ]);
  const change = await changeOf(newWorld(), { 'a.yaml': text }, 'Stack/a');
  assert.equal([change?.source?.file, change?.source?.line], ['a.yaml', 1]);
});

fields('show that a section is there, though all that it holds is as by itself', async () => {
  const platform = (spec: string) => ({ 'weir.yaml': `kind: Platform\nmetadata: {name: platform}\nspec: ${spec}\n` });
  assert.equal(await fieldsOf(newWorld(), platform('{email: {}}'), 'Platform/platform'), [
    '/spec/email/from: null → "Weir <weir@localhost>"',
    '/spec/email/smtp/host: null → "localhost"',
    '/spec/email/smtp/secure: null → false',
  ]);
  assert.equal(await fieldsOf(newWorld(), platform('{email: {from: a@b.example}}'), 'Platform/platform'), [
    '/spec/email/from: null → "a@b.example" @weir.yaml:3:22',
  ]);
  assert.equal(await fieldsOf(newWorld(), platform('{tables: {}}'), 'Platform/platform'), [
    '/spec/tables: null → {} @weir.yaml:3:8',
  ]);
});

fields('of what changes name items of a list by their name, and their places by where they stand', async () => {
  const type = (...items: string[]) =>
    lines(
      'kind: TeamType',
      'metadata: {name: t}',
      'spec:',
      '  instanceTypes:',
      ...items.map((item) => `    - ${item}`),
    );
  const sizes = {
    's.yaml': ['a', 'b', 'c'].map((name) => `kind: InstanceType\nmetadata: {name: ${name}}\n`).join('---\n'),
  };
  const world = newWorld();
  await apply(world, { ...sizes, 't.yaml': type('{name: a, limit: 1}', '{name: b}') });
  assert.equal(await fieldsOf(world, { ...sizes, 't.yaml': type('name: c', '{name: a, limit: 2}') }, 'TeamType/t'), [
    '/spec/instanceTypes/c/name: null → "c" @t.yaml:5:13',
    '/spec/instanceTypes/a/limit: 1 → 2 @t.yaml:6:24',
    '/spec/instanceTypes/b/name: "b" → null',
  ]);
});

fields('of a set show the set, placed at its key', async () => {
  const stacks = {
    's.yaml': ['a', 'b'].map((name) => `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "4"}\n`).join('---\n'),
  };
  const type = (names: string) => ({
    ...stacks,
    't.yaml': `kind: InstanceType\nmetadata: {name: t}\nspec:\n  stacks: ${names}\n  defaultStack: a\n`,
  });
  const world = newWorld();
  await apply(world, type('[a]'));
  assert.equal(await fieldsOf(world, type('[b, a]'), 'InstanceType/t'), [
    '/spec/stacks: ["a"] → ["b","a"] @t.yaml:4:3',
  ]);
  await apply(world, type('[b, a]'));
  const none = { ...stacks, 't.yaml': 'kind: InstanceType\nmetadata: {name: t}\nspec:\n  stacks: []\n' };
  assert.equal(await fieldsOf(world, none, 'InstanceType/t'), [
    '/spec/stacks: ["b","a"] → [] @t.yaml:4:3',
    '/spec/defaultStack: "a" → null',
  ]);
});

fields('of what goes back to its default have no place, unless the file writes it', async () => {
  const stack = (spec: string) => ({ 'a.yaml': `kind: Stack\nmetadata: {name: a}\nspec: {runtime: "4"${spec}}\n` });
  const world = newWorld();
  await apply(world, stack(', active: false'));
  assert.equal(await fieldsOf(world, stack(''), 'Stack/a'), ['/spec/active: false → true']);
  assert.equal(await fieldsOf(world, stack(', active: true'), 'Stack/a'), ['/spec/active: false → true @a.yaml:3:30']);
});

fields('around the spec are shown like those in it', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': 'kind: Template\nmetadata: {name: a, labels: {x: "1", y: "2"}}\n' });
  const text = lines(
    'kind: Template',
    'metadata:',
    '  name: a',
    '  labels:',
    '    y: "3"',
    '    constructor: z',
    'lifecycle:',
    '  onRemove: orphan',
    '  ignore:',
    '    - /spec/description',
  );
  assert.equal(await fieldsOf(world, { 'a.yaml': text }, 'Template/a'), [
    '/metadata/labels/x: "1" → null',
    '/metadata/labels/y: "2" → "3" @a.yaml:5:8',
    '/metadata/labels/constructor: null → "z" @a.yaml:6:18',
    '/lifecycle/onRemove: "delete" → "orphan" @a.yaml:8:13',
    '/lifecycle/ignore: [] → ["/spec/description"] @a.yaml:9:3',
  ]);
});

fields('of what is deleted show what is lost', async () => {
  const world = newWorld();
  await apply(world, {
    'a.yaml': 'kind: Stack\nmetadata: {name: a, labels: {x: "1"}}\nspec: {runtime: "4", label: L}\n',
  });
  assert.equal(await fieldsOf(world, {}, 'Stack/a'), [
    '/metadata/labels/x: "1" → null',
    '/spec/label: "L" → null',
    '/spec/runtime: "4" → null',
  ]);
});

fields.run();

const secrets = suite('secrets in a plan');

secrets('show their reference only', async () => {
  const sso = (password: string) => ({
    'a.yaml': `kind: SsoConfig\nmetadata: {name: a}\nspec: {emailDomain: a.example, provider: ldap, ldap: {password: ${password}}}\n`,
  });
  const world = newWorld();
  await apply(world, sso('{fromEnv: WEIR_SECRET_A}'));
  assert.equal(await fieldsOf(world, sso('{fromFile: ldap}'), 'SsoConfig/a'), [
    '/spec/ldap/password: {"fromEnv":"WEIR_SECRET_A"} → {"fromFile":"ldap"} (sensitive) @a.yaml:3:55',
  ]);
});

secrets('that came over the API show a fingerprint, and their value nowhere', async () => {
  const world = newWorld();
  const ldap = { password: { value: 'hunter2' } };
  await put(world, made('SsoConfig', 'a', { emailDomain: 'a.example', provider: 'ldap', ldap }));
  const files = {
    'a.yaml':
      'kind: SsoConfig\nmetadata: {name: a}\nspec: {emailDomain: a.example, provider: ldap, ldap: {password: {fromFile: ldap}}}\n',
  };
  assert.equal(await fieldsOf(world, files, 'SsoConfig/a'), [
    '/status/managedBy: "api" → "config"',
    '/spec/ldap/password: {"set":true,"fingerprint":"print-7"} → {"fromFile":"ldap"} (sensitive) @a.yaml:3:55',
  ]);
  const refused = await planOf(world, files);
  assert.not.match(JSON.stringify(refused.document), 'hunter2');
});

secrets.run();
