// timeout: 400
// The same forbidden edit by a document and by the API: commands, the running reconciler and a request refuse it by one rule, in one text.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Served, serveIn } from './http/served.ts';
import { temporaryFolder, writeFiles } from './support/temporary-folder.ts';
import { until } from './support/until.ts';
import { seed, weir } from './support/weir.ts';

const stack = (name: string, runtime: string) =>
  `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "${runtime}"}\n`;
const sso = (name: string, domain: string, provider: string) =>
  `kind: SsoConfig\nmetadata: {name: ${name}}\nspec: {emailDomain: ${domain}, provider: ${provider}}\n`;
const settings = (name: string) => `kind: AdminSettings\nmetadata: {name: default}\nspec: {${name}: true}\n`;

/** What is declared, and then left to the API. */
const files: Readonly<Record<string, string>> = {
  'nr-3.yaml': stack('nr-3', '3'),
  'nr-4.yaml': stack('nr-4', '4'),
  'small.yaml': 'kind: InstanceType\nmetadata: {name: small}\nspec: {stacks: [nr-4]}\n',
  'starter.yaml': 'kind: TeamType\nmetadata: {name: starter}\nspec: {instanceTypes: [{name: small}]}\n',
  'strict.yaml':
    'kind: Template\nmetadata: {name: strict}\nspec: {options: {theme: {value: dark, locked: true}}, environment: [{name: SITE, value: a, locked: true}]}\n',
  // Another one, so that the end of the first is not that of the kind.
  'spare.yaml': 'kind: TeamType\nmetadata: {name: spare}\nspec: {}\n',
  'corp.yaml': sso('corp', 'corp.example', 'ldap'),
  'folk.yaml': sso('folk', 'folk.example', 'ldap'),
};

interface Edit {
  readonly what: string;
  readonly rule: string;
  readonly message: string;
  /** The file that is written, or (without a text) removed. */
  readonly file: string;
  readonly text?: string;
  /** The same by a request. */
  readonly method: 'PUT' | 'DELETE';
  readonly url: string;
  readonly body?: object;
}

const needsEmail = (name: string): Edit => ({
  what: `the setting ${name} without email`,
  rule: 'settings-need-email',
  message: `AdminSettings/default: ${name} cannot be on, because Platform/platform has no email: declare spec.email first`,
  file: 'settings.yaml',
  text: settings(name),
  method: 'PUT',
  url: '/api/v1/admin-settings',
  body: { spec: { [name]: true } },
});

const edits: readonly Edit[] = [
  {
    what: 'another runtime of a stack in use',
    rule: 'stack-in-use',
    message:
      'Stack/nr-4: runtime cannot change, because 1 instance uses it: declare a new Stack with "replaces: nr-4" instead',
    file: 'nr-4.yaml',
    text: stack('nr-4', '5'),
    method: 'PUT',
    url: '/api/v1/stacks/nr-4',
    body: { spec: { runtime: '5' } },
  },
  {
    what: 'the end of a stack in use',
    rule: 'stack-in-use',
    message: 'Stack/nr-3: cannot be deleted, because 2 instances use it: move them to another stack first',
    file: 'nr-3.yaml',
    method: 'DELETE',
    url: '/api/v1/stacks/nr-3',
  },
  {
    what: 'the end of a team type with teams',
    rule: 'in-use',
    message: 'TeamType/starter: cannot be deleted, because 1 team is of this type: set "active: false" to end its use',
    file: 'starter.yaml',
    method: 'DELETE',
    url: '/api/v1/team-types/starter',
  },
  {
    what: 'another kind of provider',
    rule: 'immutable',
    message:
      'SsoConfig/corp: provider cannot change from ldap to saml, because it is fixed when the object is created: declare a new object with another name instead',
    file: 'corp.yaml',
    text: sso('corp', 'corp.example', 'saml'),
    method: 'PUT',
    url: '/api/v1/sso-configs/corp',
    body: { spec: { emailDomain: 'corp.example', provider: 'saml' } },
  },
  {
    what: 'a domain that another configuration has',
    rule: 'sso-domain-unique',
    message: 'SsoConfig/folk: emailDomain cannot be corp.example, because SsoConfig/corp has it already',
    file: 'folk.yaml',
    text: sso('folk', 'Corp.Example', 'ldap'),
    method: 'PUT',
    url: '/api/v1/sso-configs/folk',
    body: { spec: { emailDomain: 'CORP.example', provider: 'ldap' } },
  },
  ...['registration', 'passwordReset', 'externalInvitations'].map(needsEmail),
];

interface Told {
  readonly rule: string;
  readonly message: string;
}

const folder = temporaryFolder();
const at = (path: string) => join(folder.path, 'config', path);
let server: Served;
let token = '';

const doors = suite('a forbidden edit');

doors.before(async () => {
  await write({ 'weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {licence: enterprise}\n', ...files });
  token = JSON.parse((await weir(folder.path, ['bootstrap'])).stdout).token;
  const applied = await weir(folder.path, ['apply']);
  assert.is(applied.code, 0, applied.stderr);
  const instance = (name: string, on: string) =>
    ({ kind: 'Instance', name, spec: { team: 'core', instanceType: 'small', template: 'strict', stack: on } }) as const;
  await seed(join(folder.path, '.weir'), [
    { kind: 'Team', name: 'core', spec: { displayName: 'Core', type: 'starter' } },
    instance('one', 'nr-4'),
    instance('two', 'nr-3'),
    instance('three', 'nr-3'),
  ]);
});

for (const edit of edits)
  doors(`${edit.what}: is refused by plan and apply`, async () => {
    await edited(edit, async () => {
      for (const verb of ['plan', 'apply']) {
        const { code, stdout } = await weir(folder.path, [verb, '--output', 'json']);
        assert.ok(code === 1 || code === 3, `exit ${code}: ${stdout}`);
        says(edit, JSON.parse(stdout).findings);
      }
      const { stdout, stderr } = await weir(folder.path, ['apply']);
      assert.ok(`${stdout}${stderr}`.includes(`error[${edit.rule}] ${edit.message}\n`), stdout);
    });
  });

doors('is refused by the running reconciler, which keeps the last good state', async () => {
  server = await serveIn(folder.path);
  const { revision } = (await ask('GET', '/api/v1/admin/config')).body;
  for (const edit of edits) {
    await edited(edit, async () => {
      const status = await reads('/api/v1/admin/config', ({ findings }) => hasError(findings));
      says(edit, status.findings);
      assert.is(status.revision.applied, revision.applied);
      const { body } = await ask('POST', '/api/v1/admin/config/reconcile', {});
      assert.is(body.code, 'rule_violated');
      says(edit, body.violations);
    });
    await reads('/api/v1/admin/config', ({ findings }) => !hasError(findings));
  }
});

doors('is refused by the API, of the same objects once no document declares them', async () => {
  const orphaned = Object.entries(files).map(([path, text]) => [
    path,
    text.replace('\nspec', '\nlifecycle: {onRemove: orphan}\nspec'),
  ]);
  await write(Object.fromEntries(orphaned));
  await reads('/api/v1/stacks/nr-3', ({ lifecycle }) => lifecycle.onRemove === 'orphan');
  for (const path of Object.keys(files)) await rm(at(path));
  // They are all gone at once, which is refused without consent to so many deletions: there is none.
  const { status: consented } = await ask('POST', '/api/v1/admin/config/reconcile', { allowDeletes: 0 });
  assert.is(consented, 200);
  await reads('/api/v1/stacks/nr-3', ({ status }) => status.managedBy === 'api');
  for (const edit of edits) {
    const { status, body } = await ask(edit.method, edit.url, edit.body);
    assert.equal([status, body.code], [409, 'rule_violated'], edit.what);
    assert.equal([body.violations[0].rule, body.violations[0].message], [edit.rule, edit.message]);
    assert.is(body.violations.length, 1);
    assert.is(body.detail, `${edit.message}.`);
    const tried = await ask(edit.method, `${edit.url}?dryRun=true`, edit.body);
    assert.is(tried.status, 200);
    says(edit, tried.body.findings);
  }
});

doors('an option or variable that the template locks: one text, however it is tried', async () => {
  const theme =
    'Instance/one: options.theme cannot be overridden, because Template/strict locks it: leave it out, or choose another template';
  const site =
    'Instance/one: the variable SITE cannot be overridden, because Template/strict locks it: leave it out, or choose another template';
  const body = { options: { theme: 'light' }, environment: [{ name: 'SITE', value: 'b' }] };
  const url = '/api/v1/instances/seed-instance-one';
  const refused = await ask('PUT', url, body);
  assert.equal([refused.status, refused.body.code], [409, 'rule_violated']);
  const expected = [theme, site].map((message) => ({ rule: 'template-locked', message }));
  assert.equal(refused.body.violations.map(ruleAndMessage), expected);
  assert.equal((await ask('PUT', `${url}?dryRun=true`, body)).body.findings.map(ruleAndMessage), expected);
  const made = await ask('POST', '/api/v1/teams/seed-team-core/instances', {
    name: 'one',
    instanceType: 'small',
    template: 'strict',
    ...body,
  });
  assert.equal(made.body.violations.map(ruleAndMessage), expected);
});

doors('the last admin: one text for each way to lose them', async () => {
  const { id } = (await ask('GET', '/api/v1/user')).body;
  const told = (what: string) => ({
    rule: 'last-admin',
    message: `User/admin: cannot be ${what}, because no other active admin would be left: make somebody else an admin first`,
  });
  const ways = [
    ['PUT', { admin: false }, 'without the admin flag'],
    ['PUT', { suspended: true }, 'suspended'],
    ['DELETE', undefined, 'deleted'],
  ] as const;
  for (const [method, body, what] of ways) {
    const { status, body: refused } = await ask(method, `/api/v1/users/${id}`, body);
    assert.is(status, 409);
    assert.equal(refused.violations.map(ruleAndMessage), [told(what)]);
    const tried = await ask(method, `/api/v1/users/${id}?dryRun=true`, body);
    assert.equal(tried.body.findings.map(ruleAndMessage), [told(what)]);
  }
});

doors.after(async () => {
  server.child.kill('SIGTERM');
  await server.ended;
  await folder.remove();
});

doors.run();

function write(texts: Readonly<Record<string, string>>): Promise<void> {
  return writeFiles(join(folder.path, 'config'), texts);
}

/** Makes an edit in the tree, looks what it comes to, and takes it back. */
async function edited({ file, text }: Edit, look: () => Promise<void>): Promise<void> {
  if (text === undefined) await rm(at(file));
  else await write({ [file]: text });
  try {
    await look();
  } finally {
    const before = files[file];
    if (before === undefined) await rm(at(file));
    else await write({ [file]: before });
  }
}

function says({ rule, message }: Edit, findings: readonly (Told & { readonly severity: string })[]): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  // A tree on its own cannot know which of two documents was first: it names both.
  const others = errors.filter((one) => one.message !== message);
  assert.ok(errors.length === others.length + 1 && errors.every((one) => one.rule === rule), JSON.stringify(errors));
  assert.ok(
    others.every((one) => one.rule === 'sso-domain-unique'),
    JSON.stringify(others),
  );
}

function hasError(findings: readonly { readonly severity: string }[]): boolean {
  return findings.some(({ severity }) => severity === 'error');
}

function ruleAndMessage({ rule, message }: Told): Told {
  return { rule, message };
}

async function ask(method: string, url: string, body?: object) {
  const response = await fetch(server.url + url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as any };
}

/** Reads until what is read is so. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
async function reads(url: string, isSo: (body: any) => boolean): Promise<any> {
  let body: unknown;
  const look = async () => {
    body = (await ask('GET', url)).body;
    return isSo(body);
  };
  await until(`${url} is so: ${isSo}`, look, { now: () => body });
  return body;
}
