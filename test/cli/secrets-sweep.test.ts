// timeout: 900
// No secret is ever printed: canaries stand wherever a secret can be, and every verb in every format, the log and the API are searched for them.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verbs } from '../../src/cli/index.ts';
import { formatNames } from '../../src/cli/output/index.ts';
import { kindNames } from '../../src/core/kinds/index.ts';
import { fieldsOf } from '../../src/core/schemas/fields.ts';
import { createCanaries } from '../support/canaries.ts';
import { type Serving, serve } from '../support/serving.ts';
import { writeFiles } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { type SeedResource, seed } from '../support/weir.ts';
import { size, stack, type Workspace, workspace } from './world.ts';

const canaries = createCanaries();
const { plant, plantHash } = canaries;

/** Fields that are secrets, by how they come into the tree below: from a variable, or from a file of `--secret-dir`. */
const referenced: Readonly<Record<string, string>> = {
  'Platform.email.smtp.password': '{fromEnv: WEIR_SECRET_SMTP}',
  'Platform.ai.assistantService.token': '{fromFile: assistant}',
  'Platform.vendorCatalogue.token': '{fromFile: vendor}',
  'Platform.notifications[].secret': '{fromEnv: WEIR_SECRET_HOOK}',
  'Platform.auditTo[].secret': '{fromEnv: WEIR_SECRET_AUDIT}',
  'Template.options.npmrc.value': '{fromFile: npmrc}',
  'Template.options.httpAuth.value.password': '{fromEnv: WEIR_SECRET_HTTP}',
  'SsoConfig.ldap.password': '{fromFile: ldap}',
};

const variables = ['SMTP', 'HOOK', 'AUDIT', 'HTTP', 'UNUSED'];
const secretFiles = ['assistant', 'vendor', 'npmrc', 'ldap', 'unused', 'server-token'];

/** A valid tree with every secret that a document can have, each written by `secret`. */
function treeWith(folder: string, secret: (field: string) => string): Readonly<Record<string, string>> {
  const root = `kind: Platform
metadata: {name: platform}
spec:
  licence: enterprise
  reconcile: {settleMs: 50, pollSeconds: 1}
  email:
    from: weir@example.net
    smtp:
      host: 127.0.0.1
      port: 1
      username: weir
      password: ${secret('Platform.email.smtp.password')}
  ai: {enabled: true, assistantService: {url: "http://127.0.0.1:1", token: ${secret('Platform.ai.assistantService.token')}}}
  vendorCatalogue:
    token: ${secret('Platform.vendorCatalogue.token')}
  notifications:
    - {name: ci, url: "http://127.0.0.1:1/", secret: ${secret('Platform.notifications[].secret')}}
  auditTo:
    - {name: siem, url: "http://127.0.0.1:1/", secret: ${secret('Platform.auditTo[].secret')}}
---
kind: AdminSettings
metadata: {name: default}
spec: {passwordReset: true}
`;
  const template = `kind: Template
metadata: {name: standard}
spec:
  options:
    npmrc: {value: ${secret('Template.options.npmrc.value')}}
    httpAuth:
      value: {username: x, password: ${secret('Template.options.httpAuth.value.password')}}
`;
  const sso = `kind: SsoConfig
metadata: {name: corp}
spec:
  emailDomain: corp.example
  provider: ldap
  active: true
  ldap:
    server: 127.0.0.1:1
    username: cn=weir
    baseDn: dc=corp
    password: ${secret('SsoConfig.ldap.password')}
`;
  const files = {
    'weir.yaml': root,
    'template.yaml': template,
    'sso.yaml': sso,
    'stacks.yaml': stack,
    'sizes.yaml': size,
  };
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}

const good = treeWith('config', (field) => referenced[field] ?? '');

/** One mistake a file, in each of the ways in which somebody writes a secret out. */
const mistakes: Readonly<Record<string, string>> = {
  misspelt: `kind: SsoConfig\nmetadata: {name: m}\nspec:\n  emailDomain: m.example\n  provider: ldap\n  ldap:\n    pasword: ${plant('a misspelt key')}\n`,
  'other-key': `kind: SsoConfig\nmetadata: {name: o}\nspec:\n  emailDomain: o.example\n  provider: ldap\n  ldap:\n    bindPassword: ${plant('a key that there is not')}\n`,
  block: `kind: SsoConfig\nmetadata: {name: b}\nspec:\n  emailDomain: b.example\n  provider: ldap\n  ldap:\n    password: |\n      ${plant('a block')}\n`,
  folded: `kind: SsoConfig\nmetadata: {name: f}\nspec:\n  emailDomain: f.example\n  provider: ldap\n  ldap:\n    password: >-\n      ${plant('a folded block')}\n`,
  value: `kind: SsoConfig\nmetadata: {name: v}\nspec:\n  emailDomain: v.example\n  provider: ldap\n  ldap:\n    password: {value: ${plant('a value')}}\n`,
  set: `kind: SsoConfig\nmetadata: {name: s}\nspec:\n  emailDomain: s.example\n  provider: ldap\n  ldap:\n    password: {set: true, value: ${plant('a value that is set')}}\n`,
  list: `kind: SsoConfig\nmetadata: {name: l}\nspec:\n  emailDomain: l.example\n  provider: ldap\n  ldap:\n    password: [${plant('a list')}]\n`,
  flow: `kind: Template\nmetadata: {name: f}\nspec: {options: {httpAuth: {value: {username: x, password: ${plant('a flow')}}}}}\n`,
  npmrc: `kind: Template\nmetadata: {name: n}\nspec:\n  options:\n    npmrc: {value: "//registry.example/:_authToken=${plant('npmrc, as text')}"}\n`,
  'npmrc-lines': `kind: Template\nmetadata: {name: nl}\nspec:\n  options:\n    npmrc:\n      value: |\n        //registry.example/:_authToken=${plant('npmrc, as a block')}\n        registry=x\n`,
  'from-env': `kind: SsoConfig\nmetadata: {name: e}\nspec:\n  emailDomain: e.example\n  provider: ldap\n  ldap:\n    password: {fromEnv: ${plant('the secret itself as a name of a variable')}}\n`,
  open: `kind: SsoConfig\nmetadata: {name: q}\nspec:\n  emailDomain: q.example\n  provider: ldap\n  ldap:\n    password: "${plant('quotes that are not closed')}\n`,
  indented: `kind: SsoConfig\nmetadata: {name: i}\nspec:\n  emailDomain: i.example\n  provider: ldap\n  ldap:\n    server: x\n     password: ${plant('a wrong indent')}\n`,
  twice: `kind: SsoConfig\nmetadata: {name: t}\nspec:\n  emailDomain: t.example\n  provider: ldap\n  ldap:\n    password: ${plant('a key, first')}\n    password: ${plant('a key, again')}\n`,
  anchor: `kind: SsoConfig\nmetadata: {name: a}\nspec:\n  emailDomain: a.example\n  provider: ldap\n  ldap:\n    password: &p ${plant('an anchor')}\n    username: *q\n`,
  tag: `kind: SsoConfig\nmetadata: {name: g}\nspec:\n  emailDomain: g.example\n  provider: ldap\n  ldap:\n    password: !vault ${plant('a tag')}\n`,
  url: `kind: SsoConfig\nmetadata: {name: u}\nspec:\n  emailDomain: u.example\n  provider: ldap\n  active: true\n  ldap:\n    baseDn: dc=x\n    username: x\n    password: {fromEnv: WEIR_SECRET_HOOK}\n    server: "ldap://cn=weir:${plant('an address')}@ldap.example"\n`,
  hook: `kind: Platform\nmetadata: {name: hook}\nspec:\n  notifications:\n    - {name: a, url: "https://me:${plant('the address of a receiver')}@example.com/", secret: {fromEnv: WEIR_SECRET_HOOK}}\n`,
  audit: `kind: Platform\nmetadata: {name: audit}\nspec:\n  auditTo:\n    - {name: a, url: "https://me:${plant('the address of who gets the audit log')}@example.com/", secret: {fromEnv: WEIR_SECRET_AUDIT}}\n`,
  key: `kind: SsoConfig\nmetadata: {name: k}\nspec:\n  emailDomain: k.example\n  provider: saml\n  saml: {certificate: {fromFile: key.pem}}\n`,
  'key-in-place': `kind: SsoConfig\nmetadata: {name: kp}\nspec:\n  emailDomain: kp.example\n  provider: ldap\n  ldap:\n    tls:\n      ca: |\n        -----BEGIN RSA PRIVATE KEY-----\n        ${plant('a private key in its place')}\n        -----END RSA PRIVATE KEY-----\n`,
  typed: `kind: User\nmetadata: {name: t}\npassword: ${plant('a kind that there is not')}\n`,
};

const key = `-----BEGIN PRIVATE KEY-----\n${Buffer.from(plant('a private key').repeat(20)).toString('base64')}\n-----END PRIVATE KEY-----\n`;

/** What the API alone has, or has been given as a value. */
const seeds: readonly SeedResource[] = [
  { kind: 'SsoConfig', name: 'typed', spec: ldapOf('typed', 'SsoConfig, by the API') },
  { kind: 'SsoConfig', name: 'gone', managedBy: 'config', spec: ldapOf('gone', 'SsoConfig, to be deleted') },
  {
    kind: 'Template',
    name: 'typed',
    spec: {
      options: {
        npmrc: { value: { value: `//registry.example/:_authToken=${plant('Template, by the API')}` } },
        httpAuth: { value: { username: 'x', password: { value: plant('httpAuth, by the API') } } },
      },
    },
  },
  { kind: 'TeamType', name: 'starter', spec: {} },
  { kind: 'Team', name: 'one', spec: { displayName: 'One', type: 'starter' } },
  {
    kind: 'Instance',
    name: 'line',
    spec: {
      ...{ team: 'one', instanceType: 'small', template: 'typed', stack: 'nr-4' },
      credentialSecret: plant('Instance.credentialSecret'),
      options: {
        npmrc: { value: plant('Instance.options.npmrc') },
        httpAuth: { username: 'y', password: { value: plant('Instance.options.httpAuth.password') } },
      },
    },
  },
  {
    kind: 'Device',
    name: 'gateway',
    spec: { team: 'one', hash: plantHash('Device.hash'), credentialSecret: plant('Device.credentialSecret') },
  },
  {
    kind: 'User',
    name: 'ann',
    spec: {
      ...{ email: 'ann@example.net', emailVerified: true, displayName: 'Ann', admin: true, suspended: false },
      ...{ lastSignInAt: null, failedSignIns: 0, lockedUntil: null, passwordHash: plant('User.passwordHash') },
    },
  },
  {
    kind: 'Token',
    name: 'laptop',
    spec: { user: 'ann', hash: plantHash('Token.hash'), scope: 'full', expiresAt: null, lastUsedAt: null },
  },
  {
    kind: 'ProvisioningToken',
    name: 'hall',
    spec: { team: 'one', hash: plantHash('ProvisioningToken.hash'), expiresAt: '2039-01-01T00:00:00.000Z' },
  },
  {
    kind: 'HttpToken',
    name: 'http-token',
    spec: { team: 'one', instance: 'pump', hash: plantHash('HttpToken.hash'), expiresAt: '2039-01-01T00:00:00.000Z' },
  },
];

function ldapOf(name: string, where: string) {
  const ldap = { server: '127.0.0.1:1', username: 'cn=x', baseDn: 'dc=x', password: { value: plant(where) } };
  return { emailDomain: `${name}.example`, provider: 'ldap', ldap };
}

/** A tree that takes over, changes and deletes what has secrets in the store. */
const changed = {
  ...treeWith('changed', (field) =>
    (referenced[field] ?? '')
      .replace(/: (WEIR_SECRET_)?\w+/, ': $1UNUSED')
      .replace('fromFile: UNUSED', 'fromFile: unused'),
  ),
  'changed/typed.yaml': `kind: SsoConfig
metadata: {name: typed}
spec:
  emailDomain: typed.example
  provider: ldap
  ldap: {server: "127.0.0.1:1", username: cn=x, baseDn: dc=x, password: {fromEnv: WEIR_SECRET_UNUSED}}
`,
};

const consents = '--adopt SsoConfig/typed --allow-deletes 1';
const onServer = '--server SERVER --token-file token';

/** Every verb, with lines that make it print. `serve` is further below. */
const lines: Readonly<Record<string, readonly string[]>> = {
  init: ['init made-by-init', 'init config'],
  validate: ['validate', 'validate mistakes', 'validate literal', 'validate outside', 'validate nowhere'],
  fmt: ['fmt --check', 'fmt mistakes --check', 'fmt literal --check', 'fmt outside --check'],
  plan: [
    ...[
      'plan',
      'plan changed',
      `plan changed ${consents} --out plan.json`,
      'plan literal',
      'plan mistakes',
      'plan outside',
    ],
    ...[`plan ${onServer}`, `plan changed ${consents} ${onServer}`, `plan literal ${onServer}`],
    ...[
      'plan --server SERVER --token-file secrets/server-token',
      'plan --server http://me:PASSWORD@127.0.0.1:1 --token-file token',
      'plan --server ftp://me:PASSWORD@127.0.0.1:1 --token-file token',
    ],
  ],
  apply: [
    ...[
      'apply --store COPY',
      'apply changed --store COPY',
      `apply changed ${consents} --store COPY`,
      'apply literal --store COPY',
    ],
    ...[
      `apply plan.json ${consents} --store COPY`,
      `apply ${onServer}`,
      'apply secrets/vendor',
      'apply outside --store COPY',
    ],
  ],
  serve: [],
  suspend: ['suspend --store COPY --reason because'],
  resume: ['resume --store COPY', `resume ${onServer}`],
  completion: ['completion bash'],
  doctor: ['doctor', 'doctor config'],
  version: ['version'],
  status: ['status', `status ${onServer}`],
  export: [
    ...['export', 'export Template', 'export SsoConfig/typed', 'export --out exported'],
    'export Template/standard config --with change.json',
  ],
  explain: ['explain SsoConfig', 'explain SsoConfig.spec.ldap.password', 'explain Template.spec.options.npmrc'],
  schemas: ['schemas --out made-by-schemas'],
  bootstrap: ['bootstrap --password-file secrets/ldap', 'bootstrap --store COPY'],
  backup: ['backup --out backup.tar.gz', 'backup --with-key --out with-key.tar.gz'],
  restore: ['restore backup.tar.gz --store restored', 'restore secrets/ldap --store restored-from-nothing'],
  'store check': ['store check', 'store check COPY'],
  'store rekey': ['store rekey --store COPY', 'store rekey --store COPY --secret-key-file secrets/ldap'],
  'stacks install': ['stacks install latest'],
  'sso explain': [
    'sso explain --config corp --user ann@corp.example --groups a',
    'sso explain --config typed --user b@typed.example',
  ],
  'sso test': ['sso test corp', 'sso test typed'],
  'admin reset-password': ['admin reset-password ann --store COPY', 'admin reset-password nobody'],
};

interface Context {
  here: Workspace;
  server: Serving;
  env: Readonly<Record<string, string>>;
}

const sweep = suite<Context>('a secret is printed by nothing:');

sweep.before(async (context) => {
  const secrets = Object.fromEntries(
    secretFiles.map((name) => [`secrets/${name}`, `${plant(`the secret file ${name}`)}\n`]),
  );
  const literal = treeWith('literal', (field) => plant(`${field}, written out`));
  const typed = { spec: { options: { npmrc: { value: { value: plant('a change') } } } } };
  const wrong = Object.entries(mistakes).map(([name, text]) => [`mistakes/${name}.yaml`, text]);
  context.here = await workspace({
    ...{ ...good, ...changed, ...literal, ...secrets },
    ...Object.fromEntries(wrong),
    'mistakes/weir.yaml': 'kind: Platform\nmetadata: {name: platform}\n',
    'mistakes/key.pem': key,
    'change.json': JSON.stringify(typed),
    'outside/weir.yaml': 'kind: Platform\nmetadata: {name: platform}\n',
    'elsewhere.yaml': `# ${plant('a file outside of the tree')}\nkind: ${plant('a kind outside of the tree')}\n`,
    'elsewhere.pem': `-----BEGIN CERTIFICATE-----\n${plant('a public file outside of the tree')}\n`,
    'outside/sso.yaml': `kind: SsoConfig\nmetadata: {name: x}\nspec: {emailDomain: x.example, provider: saml, saml: {certificate: {fromFile: ../elsewhere.pem}}}\n`,
  });
  const { here } = context;
  symlinkSync('../elsewhere.yaml', join(here.path, 'outside/link.yaml'));
  symlinkSync('../elsewhere.pem', join(here.path, 'outside/link.pem'));
  context.env = {
    ...Object.fromEntries(variables.map((name) => [`WEIR_SECRET_${name}`, plant(`the variable WEIR_SECRET_${name}`)])),
    WEIR_SECRET_DIR: 'secrets',
    npm_config__authToken: plant('a token of npm'),
  };
  here.write('.weir/secret.key', `${plant('the key of the store')}${'A'.repeat(21)}=\n`);
  const { token } = JSON.parse((await here.weir('bootstrap')).stdout);
  here.write('token', token);
  assert.is((await here.weir('apply', context)).code, 0);
  await seed(join(here.path, '.weir'), seeds);
  mkdirSync(join(here.path, 'served'));
  for (const folder of ['.weir', 'config'])
    cpSync(join(here.path, folder), join(here.path, 'served', folder), { recursive: true });
  context.server = await serve({ path: join(here.path, 'served') }, [], {
    ...context.env,
    WEIR_SECRET_DIR: join(here.path, 'secrets'),
  });
});
sweep.after(async ({ here, server }) => {
  server?.child.kill('SIGTERM');
  await server?.ended;
  await here?.remove();
});

function clean(text: string, what: string): void {
  assert.equal(canaries.foundIn(text), [], what);
}

let copies = 0;

for (const [verb, all] of Object.entries(lines))
  sweep(`weir ${verb}`, async ({ here, server, env }) => {
    const printsReport = (await verbs[verb]?.load())?.options.includes('output');
    const password = plant('the password in an address');
    for (const line of all)
      for (const format of printsReport ? formatNames : ['']) {
        const copy = `copy-${copies++}`;
        if (line.includes('COPY')) cpSync(join(here.path, '.weir'), join(here.path, copy), { recursive: true });
        const words = line.replace('SERVER', server.url).replace('COPY', copy).replace('PASSWORD', password);
        const { code, stdout, stderr } = await here.weir(`${words}${format === '' ? '' : ` --output ${format}`}`, {
          env,
        });
        assert.is.not(code, 70, stderr);
        clean(stdout, `${line} as ${format || 'text'}, on stdout:\n${stdout}`);
        clean(stderr, `${line} as ${format || 'text'}, on stderr:\n${stderr}`);
        rmSync(join(here.path, copy), { recursive: true, force: true });
      }
  });

sweep('files that commands make to be shown', ({ here }) => {
  for (const path of ['plan.json', 'exported', 'made-by-init', 'made-by-schemas'])
    for (const [file, text] of textsBelow(here.path, path)) clean(text, file);
});

sweep('a summary of a job, and annotations', async ({ here, env }) => {
  const surroundings = { ...env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(here.path, 'summary.md') };
  for (const line of ['plan changed', 'validate mistakes', 'validate literal', 'validate outside']) {
    const { stdout, stderr } = await here.weir(`${line} --output github`, { env: surroundings });
    clean(stdout + stderr, line);
  }
  clean(here.read('summary.md'), 'the summary');
});

sweep('the API, by whatever can be asked of it', async ({ server, here }) => {
  const admin = { authorization: `Bearer ${here.read('token')}` };
  const get = async (path: string, more: RequestInit = {}) => {
    const answer = await fetch(`${server.url}${path}`, { headers: admin, redirect: 'manual', ...more });
    const text = await answer.text();
    clean(`${JSON.stringify([...answer.headers])}${text}`, `${more.method ?? 'GET'} ${path}: ${text}`);
    return text;
  };
  const paths = Object.entries<Readonly<Record<string, unknown>>>(JSON.parse(await get('/api/')).paths);
  const plain = paths.filter(([path, methods]) => 'get' in methods && !path.includes('{'));
  assert.ok(plain.length > 20);
  for (const [path] of plain) if (!path.includes('sign')) await get(path);
  const named = [
    'sso-configs/typed',
    'sso-configs/corp',
    'templates/typed',
    'templates/standard',
    'devices/seed-device-gateway',
  ];
  const more = [
    'instances/seed-instance-line',
    'teams/seed-team-one/devices',
    'users/seed-user-ann',
    'admin/audit-log?limit=1000',
  ];
  for (const path of [...named, ...more]) await get(`/api/v1/${path}`);
  const send = (method: string, path: string, body: unknown) =>
    get(path, { method, body: JSON.stringify(body), headers: { ...admin, 'content-type': 'application/json' } });
  const secret = plant('a body that was sent');
  const ldap = { server: 'x:1', username: 'cn=x', baseDn: 'dc=x', password: secret };
  const spec = { emailDomain: 'sent.example', provider: 'ldap', ldap };
  await send('POST', '/api/v1/sso-configs?dryRun=true', { name: 'sent', spec });
  await send('POST', '/api/v1/sso-configs', { name: 'sent', spec });
  await send('PUT', '/api/v1/sso-configs/sent?dryRun=true', {
    spec: { ...spec, ldap: { ...ldap, password: `${secret}2` } },
  });
  await send('PUT', '/api/v1/sso-configs/corp', { spec });
  await send('POST', '/api/v1/sso-configs', {
    name: 'sent',
    spec: { ...spec, ldap: { ...ldap, password: { valeu: secret } } },
  });
  await send('POST', '/api/v1/sso-configs', { name: 'Sent', spec, passwort: secret });
  await send('POST', '/account/forgot-password', { email: 'ann@example.net' });
  await send('POST', '/account/login', { username: 'ann', password: secret });
  await send('POST', '/account/login', { username: 'b@corp.example', password: secret });
  const documents = Object.entries({ ...mistakes, weir: 'kind: Platform\nmetadata: {name: platform}\n' });
  for (const chosen of [
    documents,
    Object.entries(changed).map(([path, text]) => [path.replace(/changed\/|\.yaml/g, ''), text] as const),
  ])
    await send('POST', '/api/v1/admin/config/plan', {
      documents: chosen.map(([path, content]) => ({ path: `${path}.yaml`, content })),
    });
  await get('/api/v1/admin/audit-log?limit=1000');
  await get('/api/v1/admin/config/history');
});

sweep('the log of a server, whatever stands in its tree', async ({ here, server }) => {
  const served = (files: Readonly<Record<string, string>>) => writeFiles(join(here.path, 'served'), files);
  const refused = (file: string, from: number) =>
    until(file, () => server.output().stderr.slice(from).includes(`--> ${file}`), { program: server });
  const secrets = Object.keys(referenced).length;
  const literal = Object.entries(treeWith('config', (field) => plant(`${field}, written out`)));
  const wrong = Object.entries(mistakes).map(([name, text]) => [`config/${name}.yaml`, text] as const);
  await served({ 'config/key.pem': key });
  for (const [path, text] of [...literal.filter(([file, content]) => content !== good[file]), ...wrong]) {
    const before = server.output().stderr.length;
    await served({ [path]: text });
    await refused(path.replace('config/', ''), before);
    rmSync(join(here.path, 'served', path));
    await served(good);
  }
  symlinkSync(join(here.path, 'elsewhere.yaml'), join(here.path, 'served/config/link.yaml'));
  await refused('link.yaml', 0);
  const { stdout, stderr } = server.output();
  assert.ok(stderr.split('cannot be written out').length > secrets, 'it tells of them');
  clean(stdout + stderr, `the log:\n${stdout}${stderr}`);
});

sweep('covers every verb, and every field that is marked as a secret', async ({ here }) => {
  assert.equal(Object.keys(lines).sort(), Object.keys(verbs).sort());
  const secrets = kindNames.flatMap((kind) =>
    fieldsOf(kind).flatMap(({ path, secret }) => (secret ? [`${kind}.${path.slice('spec.'.length)}`] : [])),
  );
  const places = canaries.planted();
  // Made by Weir itself, and kept as hashes only: there is nothing that somebody could plant.
  const minted = ['Session.hash', 'ActionToken.hash', 'Invitation.hash', 'StatisticsToken.hash'];
  const missing = secrets.filter(
    (field) => !minted.includes(field) && !places.some((place) => place.startsWith(field)),
  );
  assert.equal(missing, []);
  assert.equal(canaries.foundIn(here.read('elsewhere.yaml')).length, 2, 'what is planted is found');
  assert.ok(canaries.foundIn(here.read('mistakes/key.pem')).includes('a private key'), 'in base64, too');
});

sweep.run();

function textsBelow(root: string, path: string): readonly (readonly [string, string])[] {
  const at = join(root, path);
  try {
    return readdirSync(at).flatMap((name) => textsBelow(root, join(path, name)));
  } catch {
    return [[path, readFileSync(at, 'utf8')]];
  }
}
