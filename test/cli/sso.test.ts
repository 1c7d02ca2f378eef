// weir sso explain and weir sso test, on a real store.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inflateRawSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rsaPair } from '../support/self-signed.ts';
import { platform, type Workspace, workspace } from './world.ts';

interface Context {
  here: Workspace;
}

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(2, 10).replaceAll('-', '');
const good = rsaPair();
const indented = (certificate: string) => certificate.trim().replaceAll('\n', '\n      ');
const saml = (more: string, certificate = good.certificate, url = 'http://127.0.0.1:2/sso') => `kind: SsoConfig
metadata: {name: corp}
spec:
  emailDomain: corp.example
  provider: saml
  saml:
    signOnUrl: ${url}
    issuer: https://idp.corp.example
    certificate: |
      ${indented(certificate)}
${more}`;
const groups = '  provisionNewUsers: true\n  groups: {manageRoles: true, adminGroup: bosses}\n';
const enterprise = `${platform}spec: {licence: enterprise}\n`;
const ldap = `kind: SsoConfig
metadata: {name: dir}
spec:
  emailDomain: dir.example
  provider: ldap
  ldap: {server: "127.0.0.1:1", username: cn=weir, password: {fromEnv: WEIR_SECRET_LDAP}, baseDn: dc=x}
`;

/** A store to which this was applied, with the first admin. */
async function applied(sso: string): Promise<Workspace> {
  const here = await workspace({ 'config/weir.yaml': enterprise, 'config/sso.yaml': sso });
  assert.is((await here.weir('bootstrap --username ann --email ann@corp.example')).code, 0);
  const { code, stderr } = await here.weir('apply');
  assert.is(code, 0, stderr);
  return here;
}

const explain = suite<Context>('weir sso explain');
explain.before(async (context) => {
  context.here = await applied(saml(`${groups}  active: true\n`));
});
explain.after(({ here }) => here.remove());

explain('says who it would be and why, and changes nothing', async ({ here }) => {
  const journal = here.read('.weir/journal-000000000001.jsonl');
  const { code, stdout, stderr } = await here.weir(
    'sso explain --config corp --user NEW@corp.example --groups bosses,svc-x-owner',
  );
  assert.equal([code, stderr], [0, '']);
  const text = stdout.replace(/until [^,]*,/, 'until T,');
  assert.is(
    text,
    `new@corp.example would be signed in through SsoConfig/corp as the new user new.

  + is made as User/new, because no user has the address new@corp.example, and SsoConfig/corp provisions new users
  ~ becomes an admin, because of the group "bosses"
  = the group "svc-x-owner" is ignored, because no team has the slug "x"
  + is signed in until T, or until 32 hours without a request, as SsoConfig/corp and the Platform say

Afterwards: an admin, in no team. Nothing was changed.
`,
  );
  assert.is(here.read('.weir/journal-000000000001.jsonl'), journal);
});

explain('tells no groups at all from none', async ({ here }) => {
  const line = 'sso explain --config corp --user ann@corp.example';
  assert.match((await here.weir(line)).stdout, /= the identity provider sent no attribute "svc-roles"/);
  const { stdout } = await here.weir(`${line} --groups ,`);
  assert.not.match(stdout, /sent no attribute/);
  assert.match(stdout, /= stays an admin although they are not in the group "bosses", because no other active admin/);
});

explain('says why nobody would be signed in', async ({ here }) => {
  const { code, stdout } = await here.weir('sso explain --config corp --user ann@elsewhere.example');
  assert.is(code, 0);
  assert.is(
    stdout,
    'ann@elsewhere.example would not be signed in through SsoConfig/corp.\n\n  because the address ann@elsewhere.example is not of corp.example, the domain of SsoConfig/corp\n',
  );
});

explain('is the answer of the server as JSON, and a report in every other format', async ({ here }) => {
  const line = 'sso explain --config corp --user ann@corp.example --groups bosses --output';
  const { stdout } = await here.weir(`${line} json`);
  const { config, outcome, user, changes } = JSON.parse(stdout);
  assert.equal([config, outcome, user.username, user.admin, changes], ['corp', 'signed-in', 'ann', true, []]);
  assert.match((await here.weir(`${line} markdown`)).stdout, /### Weir: ann@corp.example would be signed in/);
  for (const format of ['junit', 'sarif', 'gitlab', 'github'])
    assert.is((await here.weir(`${line} ${format}`)).code, 0);
});

explain('needs a configuration and an address, and a store', async ({ here }) => {
  assert.is((await here.weir('sso explain --config corp')).code, 64);
  assert.is((await here.weir('sso explain --user ann@corp.example')).code, 64);
  assert.match(
    (await here.weir('sso explain --config corp --user ann')).stderr,
    /--user cannot be "ann", because it must be/,
  );
  const unknown = await here.weir('sso explain --config nope --user ann@corp.example');
  assert.equal(
    [unknown.code, /there is no single sign-on configuration "nope".*corp/.test(unknown.stderr)],
    [64, true],
  );
  assert.is((await here.weir('sso explain --config corp --user ann@corp.example --store nowhere')).code, 5);
});

explain.run();

const draft = suite('a draft');

draft('is explained as if it were active', async () => {
  const here = await applied(saml(groups));
  const { stdout } = await here.weir('sso explain --config corp --user ann@corp.example');
  assert.match(stdout, /^SsoConfig\/corp is not active: this is what would be if it were.\nann@corp.example would be/);
  await here.remove();
});

draft.run();

const test = suite('weir sso test');
const rows = (stdout: string) =>
  Object.fromEntries(
    [...stdout.matchAll(/^ {2}(ok|error) +(\S+(?: \S+)*?) {2,}(.*)$/gm)].map(([, ok, name = '', detail]) => [
      name,
      [ok, detail],
    ]),
  );

test('has the address of the server in its normal form, however it was typed', async () => {
  const here = await applied(saml('', good.certificate, 'http://127.0.0.1:1/sso'));
  for (const [typed, expected] of [
    ['HTTPS://Weir.Example:443/', 'https://weir.example'],
    ['http://weir.example:80/Flows//', 'http://weir.example/Flows'],
    ['https://b\u00fccher.example', 'https://xn--bcher-kva.example'],
  ] as const) {
    const { stdout } = await here.weir(`sso test corp --base-url ${typed}`);
    assert.equal(rows(stdout)['ACS URL'], ['ok', `give ${expected}/sso/saml/corp/acs to the identity provider`]);
  }
  const env = { WEIR_BASE_URL: 'https://weir.example/a\tb' };
  const refused = await here.weir('sso test corp', { env });
  assert.is(refused.code, 64, refused.stderr);
  assert.match(refused.stderr, /WEIR_BASE_URL cannot be .* because it is not an http:\/\/ or https:\/\/ address/);
  await here.remove();
});

test('tells what an identity provider has to be given, and looks at what it gave', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(302, { location: '/login?state=secret' }).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sso`;
  const here = await applied(saml('', good.certificate, url));
  const { code, stdout } = await here.weir('sso test corp --base-url https://weir.example/');
  assert.is(code, 0, stdout);
  assert.is(asked.length, 1, 'it follows nothing');
  const request = new URL(asked[0] ?? '', url).searchParams.get('SAMLRequest') ?? '';
  assert.match(inflateRawSync(Buffer.from(request, 'base64')).toString(), 'https://weir.example/sso/saml/corp/acs');
  const { certificate, issuer, 'sign-on URL': address, 'ACS URL': acs, 'entity ID': entity } = rows(stdout);
  assert.equal(certificate, ['ok', 'of CN=idp, RSA of 2048 bits; until 2049-12-31']);
  assert.equal(issuer, ['ok', 'responses have to come from https://idp.corp.example']);
  assert.equal(address, [
    'ok',
    `${url} answers a sign-in request (302, to ${new URL(url).origin}/login); over plain http others can read along and change what they read`,
  ]);
  assert.equal(acs, ['ok', 'give https://weir.example/sso/saml/corp/acs to the identity provider']);
  assert.equal(entity, ['ok', 'give https://weir.example/sso/saml/corp/metadata to the identity provider']);
  assert.match(stdout, /\nSsoConfig\/corp works, as far as can be seen from here.\n$/);
  await here.remove();
  await new Promise((done) => server.close(done));
});

test('says what is wrong, and exits 1', async () => {
  const server = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sso`;
  const here = await applied(saml('', rsaPair({ from: '200101', until: day(-2) }).certificate, url));
  const { code, stdout } = await here.weir('sso test corp --base-url http://weir.example');
  assert.is(code, 1);
  const { certificate, 'sign-on URL': address, 'base URL': base } = rows(stdout);
  assert.match(certificate?.join(' ') ?? '', /^error .* ended on 20\d\d-\d\d-\d\d: get the next one from the provider/);
  assert.match(address?.join(' ') ?? '', /^error http.* answers 404: look whether it is the address/);
  assert.match(base?.join(' ') ?? '', /^error http:\/\/weir.example is not https/);
  assert.match(stdout, /\nSsoConfig\/corp does not work: 3 errors.\n$/);
  const json = JSON.parse((await here.weir('sso test corp --output json')).stdout);
  assert.equal(
    [json.config, json.ok, json.checks[0]],
    ['corp', false, { name: 'state', ok: true, detail: 'it is a draft: nobody signs in through it yet' }],
  );
  await here.remove();
  await new Promise((done) => server.close(done));
});

test('tells of a provider that does not take a sign-in request', async () => {
  const server = createServer((request, response) => {
    response.writeHead(request.url?.includes('SAMLRequest=') ? 403 : 400).end('who are you?');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sso`;
  const here = await applied(saml('', good.certificate, url));
  const known = await here.weir('sso test corp --base-url https://weir.example');
  assert.is(known.code, 1);
  assert.match(
    known.stdout,
    /answers 403 to a sign-in request: look whether the provider knows the entity ID and the ACS/,
  );
  const unknown = await here.weir('sso test corp');
  assert.match(unknown.stdout, /ok +sign-on URL .* answers \(400\)/);
  await here.remove();
  await new Promise((done) => server.close(done));
});

test('takes one good certificate of two, and tells of an end that is near', async () => {
  const old = rsaPair({ from: '200101', until: day(-2) }).certificate;
  const here = await applied(saml('', `${old}\n${good.certificate}`));
  const both = await here.weir('sso test corp');
  assert.is(both.code, 0, both.stdout);
  assert.match(rows(both.stdout)['certificate 1']?.[1] ?? '', /ended on .*: it can be taken out$/);
  here.write('config/sso.yaml', saml('', rsaPair({ from: '200101', until: day(10) }).certificate));
  await here.weir('apply');
  const near = await here.weir('sso test corp');
  assert.equal([near.code, /ends in \d+ days, on /.test(near.stdout)], [0, true]);
  await here.remove();
});

test('is not the only one that tells of an end that is near', async () => {
  const near = saml('  active: true\n', rsaPair({ from: '200101', until: day(10) }).certificate);
  const here = await workspace({ 'config/weir.yaml': enterprise, 'config/sso.yaml': near });
  const { code, stdout } = await here.weir('validate');
  assert.is(code, 0);
  assert.match(
    stdout,
    /^warning\[sso-certificate-ends\] SsoConfig\/corp: .* the certificate ends in \d+ days: get the next/,
  );
  assert.match(stdout, /--> sso.yaml:9:/);
  here.write('config/sso.yaml', saml('  active: true\n'));
  assert.not.match((await here.weir('validate')).stdout, /warning\[/);
  await here.remove();
});

test('takes an address that only this machine cannot reach for no error', async () => {
  const here = await applied(saml(''));
  const { code, stdout } = await here.weir('sso test corp');
  assert.is(code, 0);
  assert.match(
    stdout,
    /cannot be reached from here, because nothing listens there; people's browsers have to reach it/,
  );
  assert.match(stdout, /give \/sso\/saml\/corp\/acs to the identity provider, behind the address of the server/);
  await here.remove();
});

test('asks a directory, and says what is wrong with it', async () => {
  const here = await applied(ldap);
  const missing = await here.weir('sso test dir');
  assert.is(missing.code, 1);
  assert.match(missing.stdout, /WEIR_SECRET_LDAP/);
  const down = await here.weir('sso test dir', { env: { WEIR_SECRET_LDAP: 'x' } });
  assert.is(down.code, 1, down.stdout);
  assert.match(down.stdout, /127\.0\.0\.1:1/);
  assert.match((await here.weir('sso test dir --output junit')).stdout, /<failure type="sso-test"/);
  assert.is((await here.weir('sso test nope')).code, 64);
  assert.is((await here.weir('sso test')).code, 64);
  await here.remove();
});

test.run();
