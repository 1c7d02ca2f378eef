// timeout: 300
// No secret stands in clear in the folder of a store, in a backup, a temporary file or the log, by whatever door it came: each is planted, and all bytes are searched.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kindNames } from '../../src/core/kinds/index.ts';
import { sealedPlacesOf } from '../../src/core/model/sealed-places.ts';
import { openStore } from '../../src/store/json-file.ts';
import { createCanaries } from '../support/canaries.ts';
import { type Serving, serve } from '../support/serving.ts';
import { type SmtpPeer, startSmtp } from '../support/smtp.ts';
import { until } from '../support/until.ts';
import { size, stack, type Workspace, workspace } from './world.ts';

interface Context {
  here: Workspace;
  smtp: SmtpPeer;
  env: Readonly<Record<string, string>>;
}

const { plant, foundIn, planted } = createCanaries();
/** Passwords keep to the rules for them, and are looked for as they are. */
const password = (where: string) => plant(`the password ${where}`);
/** What the server made, and told once: where it was told, by what it is. */
const made = new Map<string, string>();

const disk = suite<Context>('a secret on the disk');

disk.before(async (context) => {
  context.smtp = await startSmtp();
  const root = `kind: Platform
metadata: {name: platform}
spec:
  licence: enterprise
  reconcile: {settleMs: 50, pollSeconds: 1}
  email: {from: weir@example.net, smtp: {host: 127.0.0.1, port: ${context.smtp.port}}}
  notifications:
    - {name: ci, url: "http://127.0.0.1:1/", secret: {fromEnv: WEIR_SECRET_HOOK}}
---
kind: AdminSettings
metadata: {name: default}
spec: {registration: true, passwordReset: true, userTeamCreation: true, externalInvitations: true, statisticsTokenAccess: true}
---
kind: TeamType
metadata: {name: starter}
spec:
  instanceTypes: [{name: small}]
  features: {customNpmCatalogs: true}
---
kind: Template
metadata: {name: referring}
spec: {options: {npmrc: {value: {fromFile: npmrc}}}}
`;
  context.here = await workspace({
    'config/weir.yaml': root,
    'config/stacks.yaml': stack,
    'config/sizes.yaml': size,
    'secrets/npmrc': `${plant('the secret file npmrc')}\n`,
  });
  mkdirSync(join(context.here.path, 'tmp'));
  context.env = {
    WEIR_SECRET_HOOK: plant('the variable WEIR_SECRET_HOOK'),
    WEIR_SECRET_DIR: 'secrets',
    WEIR_ADMIN_PASSWORD: password('of the first admin'),
    TMPDIR: join(context.here.path, 'tmp'),
  };
});
disk.after(async ({ here, smtp }) => {
  await smtp.close();
  await here.remove();
});

disk(
  'stands nowhere, whatever door it came by, while a server runs, once it was killed, and after it',
  async ({ here, smtp, env }) => {
    const server = await serve(here, [], env);
    try {
      await throughEveryDoor(server, smtp, env.WEIR_ADMIN_PASSWORD ?? '');
      await nowhere(here, server, 'while it runs');
    } finally {
      server.child.kill('SIGKILL');
      await server.ended;
    }
    await nowhere(here, server, 'once it was killed');
    assert.ok(made.size >= 10, `too few secrets were told: ${[...made.values()]}`);
    const places = await keptInClear(here);
    for (const place of ['SsoConfig', 'Template', 'Instance', 'Device'])
      assert.ok(places.has(place), `no ${place} with a secret was made: ${[...places]}`);
    assert.is((await here.weir('backup --out before.tar.gz')).code, 0);
    // Everything that the store holds is written once more, into a snapshot.
    assert.is((await here.weir('store rekey')).code, 0);
    assert.is((await here.weir('backup --out after.tar.gz')).code, 0);
    const again = await serve(here, [], env);
    again.child.kill('SIGTERM');
    assert.is((await again.ended).code, 0);
    await nowhere(here, again, 'after it');
    console.log(`${planted().length} planted, ${made.size} told, kept in ${[...places].join(', ')}`);
  },
);

disk.run();

/** Every way in which a secret comes to a server or is made by it. */
async function throughEveryDoor({ url }: Serving, smtp: SmtpPeer, adminPassword: string): Promise<void> {
  const ask = async (method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}) => {
    const headers = { origin: url, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...more };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(url + path, { method, headers, redirect: 'manual', ...sent });
    const text = await answer.text();
    for (const cookie of answer.headers.getSetCookie()) note(/=([^;]*)/.exec(cookie)?.[1], `a cookie of ${path}`);
    const json = text.startsWith('{') ? JSON.parse(text) : {};
    for (const key of ['token', 'credential', 'credentials', 'secret', 'password', 'credentialSecret', 'otc'])
      note(json[key], `${key} of ${method} ${path}`);
    return { status: answer.status, cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '', json, text };
  };
  const must = async (wanted: number, ...line: Parameters<typeof ask>) => {
    const answer = await ask(...line);
    assert.is(answer.status, wanted, `${line[0]} ${line[1]}: ${answer.text}`);
    return answer;
  };
  const signIn = (username: string, secret: string) => ask('POST', '/account/login', { username, password: secret });
  await signIn('admin', plant('a password that is wrong'));
  await signIn(plant('a password in the place of a name'), 'x');
  const { cookie } = await signIn('admin', adminPassword);
  const admin = { cookie };
  const { token } = (await must(201, 'POST', '/api/v1/user/tokens', { name: 'full', scope: 'full' }, admin)).json;
  const bearer = { authorization: `Bearer ${token}` };
  const keyed = (key: string) => ({ ...bearer, 'idempotency-key': plant(`the Idempotency-Key ${key}`) });

  const ldap = (where: string) => ({ server: '127.0.0.1:1', username: 'cn=x', baseDn: 'dc=x', password: plant(where) });
  const sso = (where: string) => ({ emailDomain: 'typed.example', provider: 'ldap', active: true, ldap: ldap(where) });
  await must(201, 'POST', '/api/v1/sso-configs', { name: 'typed', spec: sso('ldap.password of a POST') }, keyed('sso'));
  await must(200, 'PUT', '/api/v1/sso-configs/typed', { spec: sso('ldap.password of a PUT') }, bearer);
  await ask(
    'POST',
    '/api/v1/sso-configs?dryRun=true',
    { name: 'tried', spec: sso('ldap.password of a dry run') },
    bearer,
  );
  await ask(
    'POST',
    '/api/v1/sso-configs',
    { name: 'Refused', spec: sso('ldap.password that is refused') },
    keyed('refused'),
  );
  await signIn('somebody@typed.example', plant('a password for a directory'));

  const options = (where: string) => ({
    npmrc: { value: `//registry.example/:_authToken=${plant(`npmrc ${where}`)}` },
    httpAuth: { value: { username: 'x', password: plant(`httpAuth ${where}`) } },
  });
  const written = { name: 'typed', spec: { options: options('of a template') } };
  await must(201, 'POST', '/api/v1/templates', written, keyed('template'));
  const posted = `kind: Template\nmetadata: {name: p}\nspec: {options: {npmrc: {value: ${plant('npmrc in a posted plan')}}}}\n`;
  await ask('POST', '/api/v1/admin/config/plan', { documents: [{ path: 'a.yaml', content: posted }] }, bearer);

  const team = (await must(201, 'POST', '/api/v1/teams', { name: 'One', type: 'starter' }, bearer)).json.id;
  const line = { name: 'Line', instanceType: 'small', template: 'typed' };
  const own = {
    npmrc: `//registry.example/:_authToken=${plant('npmrc of an instance')}`,
    httpAuth: { username: 'y', password: plant('httpAuth of an instance') },
  };
  const instance = await must(
    201,
    'POST',
    `/api/v1/teams/${team}/instances`,
    { ...line, options: own },
    keyed('instance'),
  );
  const at = `/api/v1/instances/${instance.json.id}`;
  await must(200, 'PUT', at, { options: { npmrc: plant('npmrc of a PUT') } }, bearer);
  await must(
    200,
    'PATCH',
    at,
    { options: { httpAuth: { username: 'y', password: plant('httpAuth of a PATCH') } } },
    bearer,
  );
  await must(201, 'POST', `${at}/http-tokens`, { name: 'x' }, bearer);
  await must(201, 'POST', `/api/v1/teams/${team}/devices`, { name: 'Gateway' }, bearer);
  const provisioning = await must(201, 'POST', `/api/v1/teams/${team}/provisioning-tokens`, { name: 'hall' }, bearer);
  await ask(
    'POST',
    '/api/v1/device/register',
    { name: 'By itself' },
    { authorization: `Bearer ${provisioning.json.token}` },
  );
  await ask('POST', '/api/v1/admin/stats-token', undefined, bearer);

  const ann = { username: 'ann', email: 'ann@example.net', password: password('that an admin gave') };
  await must(201, 'POST', '/api/v1/users', ann, keyed('user'));
  const annas = { cookie: (await signIn('ann', ann.password)).cookie };
  const next = password('that was changed to');
  await ask('PUT', '/api/v1/user/password', { current: ann.password, new: next }, annas);
  const bob = { username: 'bob', email: 'bob@example.net', password: password('that was registered') };
  await ask('POST', '/account/register', bob);
  await ask('POST', '/account/forgot-password', { email: 'ann@example.net' });
  await must(201, 'POST', `/api/v1/teams/${team}/invitations`, { user: 'guest@example.net', role: 'viewer' }, bearer);
  const links = () =>
    smtp.mails.flatMap(({ text, header }) =>
      [...text.matchAll(/[=/]([A-Za-z0-9_-]{24,})/g)].map(
        ([, link]) => [link, `a link in "${header('subject')}"`] as const,
      ),
    );
  await until('links were sent to confirm, to reset and to invite', () => links().length >= 3 || undefined);
  for (const [link, where] of links()) note(link, where);
  await fetch(`${url}/api/v1/user`, { headers: { authorization: `Bearer ${plant('a token that is none')}` } });
  await fetch(`${url}/api/v1/user?token=${plant('a token in an address')}`);
}

function note(value: unknown, where: string): void {
  if (typeof value === 'string' && value.length >= 16) made.set(value, where);
}

/** In which kinds the store holds secrets itself; what those are is looked for from now on. */
async function keptInClear({ path }: Workspace): Promise<ReadonlySet<string>> {
  const store = await openStore(join(path, '.weir'), { create: false, readOnly: true, log: () => {} });
  const found = new Set<string>();
  for (const kind of kindNames)
    for (const row of store.read().all(kind))
      for (const steps of sealedPlacesOf(row)) {
        found.add(kind);
        note(valueAt(row, steps), `${kind} ${steps.join('.')}`);
      }
  await store.close();
  return found;
}

function valueAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce((part, step) => (part as Readonly<Record<string, unknown>>)[step], value);
}

/** Searches every file that is there, backups unpacked, and what was printed. The trees and the secret files hold what was written there. */
async function nowhere({ path }: Workspace, server: Serving, when: string): Promise<void> {
  const { stdout, stderr } = server.output();
  const printed = stderr.replaceAll(/with the password \S+/g, '');
  const all: (readonly [string, string])[] = [['what it printed', stdout + printed]];
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    const name = join(entry.parentPath, entry.name).slice(path.length + 1);
    if (!entry.isFile() || /^(config|secrets)\//.test(name) || /secret\.key(\.old)?$/.test(name)) continue;
    const bytes = readFileSync(join(path, name));
    const plain = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    all.push([name, plain.toString('latin1')]);
  }
  assert.ok(all.some(([name]) => name.startsWith('.weir/journal-')));
  for (const [name, text] of all) {
    assert.equal(foundIn(text), [], `${name}, ${when}`);
    const told = [...made].filter(([value]) => text.includes(value)).map(([, where]) => where);
    assert.equal(told, [], `${name}, ${when}`);
  }
  const key = readFileSync(join(path, '.weir/secret.key'), 'utf8').trim();
  for (const [name, text] of all) assert.not.ok(text.includes(key), `the key stands in ${name}, ${when}`);
}
