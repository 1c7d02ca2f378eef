// timeout: 1200
// The ten usual mistakes of a set-up of single sign-on, each made with a real provider: the log alone names the cause, the place and the mend.
import * as assert from 'uvu/assert';
import { debian, suiteWith } from '../support/debian.ts';
import { rsaPair } from '../support/self-signed.ts';
import { type SimpleSaml, simpleSaml, startSimpleSaml } from '../support/simplesaml.ts';
import { rootDn, rootPassword, type Slapd, slapdCommands, slapdPackages, startSlapd } from '../support/slapd.ts';
import { formOn, type WebPage, webVisitor } from '../support/web-visitor.ts';
import { startWeirServer, type WeirServer } from '../support/weir-server.ts';
import { people, person, unit } from './ldap/sample-directory.ts';

const php = debian(simpleSaml.packages, simpleSaml.commands);
const directory = debian(slapdPackages, slapdCommands);
const commands = php && directory ? { ...php, ...directory } : undefined;
const mistakes = suiteWith(commands, 'a mistake in a set-up');

const tree = {
  'config/weir.yaml':
    'kind: Platform\nmetadata: {name: platform}\nspec:\n  licence: enterprise\n  api: {rateLimit: {signInPerMinute: 0}}\n',
  'config/starter.yaml': 'kind: TeamType\nmetadata: {name: starter}\n',
};
const ann = { mail: ['ann@corp.example'], uid: ['ann'], employee: ['4711'], roles: ['svc-core-owner'] };
const [rightKey, otherKey] = [rsaPair(), rsaPair()];
let server: WeirServer;
let provider: SimpleSaml;
let slapd: Slapd;
let metadata: string;

mistakes.before(async () => {
  if (!commands) return;
  server = await startWeirServer(tree);
  provider = await startSimpleSaml(commands.php, { 'ann:secret': ann }, rightKey);
  slapd = await startSlapd(commands, { ldif: unit('people') + person('ann') + person('nomail', { mail: [] }) });
  for (const [name, spec] of [
    ['corp', saml()],
    ['dir', ldap()],
  ] as const) {
    const { status, body } = await server.admin('POST', '/api/v1/sso-configs', { name, spec });
    assert.is(status, 201, JSON.stringify(body));
    if (name === 'corp') metadata = await (await fetch(body.status.metadataUrl)).text();
  }
});

mistakes.after(async () => {
  await provider?.close();
  await slapd?.stop();
  await server?.stop();
});

mistakes.before.each(async () => {
  await provider.meet(metadata);
  await put('corp', saml());
  await put('dir', ldap());
});

function saml(more: object = {}, groups: object = {}) {
  const { signOnUrl, issuer } = provider;
  const own = { signOnUrl, issuer, certificate: rightKey.certificate, groupAssertionName: 'roles', ...more };
  const common = { emailDomain: 'corp.example', provider: 'saml', active: true, provisionNewUsers: true };
  return { ...common, saml: own, groups: { manageRoles: true, ...groups } };
}

function ldap(more: object = {}) {
  const own = {
    server: `127.0.0.1:${slapd.port}`,
    username: rootDn,
    password: { value: rootPassword },
    baseDn: people,
  };
  return {
    emailDomain: 'example.com',
    provider: 'ldap',
    active: true,
    provisionNewUsers: true,
    ldap: { ...own, ...more },
  };
}

async function put(name: string, spec: object): Promise<void> {
  const { status, body } = await server.admin('PUT', `/api/v1/sso-configs/${name}`, { spec });
  assert.is(status, 200, JSON.stringify(body));
}

/** Goes through the identity provider, and posts what it gives to where it says. */
async function bySaml(): Promise<WebPage> {
  const browser = webVisitor();
  const asked = await browser.visit(`${server.url}/sso/saml/corp/login`);
  return browser.send(formOn(await browser.send(formOn(asked, { username: 'ann', password: 'secret' }))));
}

async function byPassword(username = 'ann@example.com', password = 'pw-ann') {
  const headers = { 'content-type': 'application/json', origin: server.url };
  const body = JSON.stringify({ username, password });
  const response = await fetch(`${server.url}/account/login`, { method: 'POST', headers, body });
  return { status: response.status, id: response.headers.get('x-request-id') ?? 'none', html: await response.text() };
}

/** The line of the log under the number that the person was shown; it says all of it, and the person was told none. */
function isLogged(page: { readonly id: string; readonly html: string }, level: string, words: readonly string[]): void {
  const lines = server
    .log()
    .split('\n')
    .filter((one) => one.includes(`(request ${page.id})`));
  assert.is(lines.length, 1, `${page.id}: ${server.log()}`);
  const [line = ''] = lines;
  if (process.env['WEIR_TEST_PRINT']) console.error(line);
  assert.ok(line.includes(level), line);
  for (const one of words) {
    assert.ok(line.includes(one), `${line}\ndoes not say ${one}`);
    assert.not.ok(page.html.includes(one), one);
  }
}

async function refusedBySaml(words: readonly string[], status = 403): Promise<void> {
  const { html, status: answered } = await bySaml();
  assert.is(answered, status, html);
  isLogged({ id: /<code>([\w.:-]+)<\/code>/.exec(html)?.[1] ?? 'none', html }, 'warn', words);
}

mistakes('none of them: everybody is let in', async () => {
  assert.is((await bySaml()).url, `${server.url}/account/settings`, server.log());
  assert.is((await byPassword()).status, 200, server.log());
});

mistakes('a wrong ACS URL at the provider', async () => {
  await provider.meet(metadata.replaceAll('/sso/saml/corp/acs', '/sso/saml/crop/acs'));
  await refusedBySaml(
    ['POST /sso/saml/crop/acs', `the ACS URL of SsoConfig/corp is ${server.url}/sso/saml/corp/acs`, 'write it into'],
    404,
  );
});

mistakes('a wrong issuer', async () => {
  await put('corp', saml({ issuer: 'https://idp.example/other' }));
  await refusedBySaml(['SsoConfig/corp', '"https://idp.example/other"', provider.issuer, 'write that as saml.issuer']);
});

mistakes('another certificate than the provider signs with', async () => {
  await put('corp', saml({ certificate: otherKey.certificate }));
  await refusedBySaml(['SsoConfig/corp', 'invalid document signature', 'saml.certificate']);
});

mistakes('a clock that is off', async () => {
  await provider.behave({ settings: { 'assertion.lifetime': -300 } });
  await refusedBySaml(['SsoConfig/corp', 'it is valid from', 'and here it is', 'compare the clocks']);
});

mistakes('a NameID that is no address', async () => {
  await provider.behave({ nameIdAttribute: 'employee' });
  await refusedBySaml(['SsoConfig/corp', 'NameID', '4711', 'in the format emailAddress']);
});

mistakes('an error that the provider answers', async () => {
  const code =
    '\\SimpleSAML\\Auth\\State::throwException($state, new \\SimpleSAML\\Module\\saml\\Error("urn:oasis:names:tc:SAML:2.0:status:Responder", "urn:oasis:names:tc:SAML:2.0:status:AuthnFailed", "the account is not assigned to this application"));';
  await provider.behave({ settings: { authproc: { 3: { class: 'core:PHP', code } } } });
  await refusedBySaml([
    'SsoConfig/corp',
    'the identity provider answers with the status "urn:oasis:names:tc:SAML:2.0:status:Responder"',
    'the message "the account is not assigned to this application"',
    'its own log says why',
  ]);
});

mistakes(
  'another name for the attribute of groups: people come in, and the audit log says what is missing',
  async () => {
    await put('corp', saml({ groupAssertionName: 'groups' }));
    assert.is((await bySaml()).status, 200);
    const { body } = await server.admin('GET', '/api/v1/admin/audit-log?event=sign-in.succeeded&limit=1');
    const reason: string = body.auditEntries[0].reason;
    if (process.env['WEIR_TEST_PRINT']) console.error(reason);
    for (const one of ['SsoConfig/corp', '"groups"', '"roles"', 'saml.groupAssertionName'])
      assert.ok(reason.includes(one), `${reason} does not say ${one}`);
  },
);

for (const [name, more, words] of [
  ['a wrong password of the service account', { password: { value: 'wrong' } }, ['ldap.username', 'ldap.password']],
  ['a wrong base DN', { baseDn: 'ou=nobody,dc=example,dc=com' }, ['ldap.baseDn']],
  ['ldaps at a plain port', { tls: { mode: 'ldaps' } }, ['ldap.tls.mode', 'startTls']],
] as const)
  mistakes(name, async () => {
    await put('dir', ldap(more));
    const answer = await byPassword();
    assert.is(answer.status, 503, answer.html);
    isLogged(answer, '', ['SsoConfig/dir', `127.0.0.1:${slapd.port}`, ...words]);
  });

mistakes('an entry without mail', async () => {
  const answer = await byPassword('nomail@example.com', 'pw-nomail');
  assert.is(answer.status, 401, answer.html);
  isLogged(answer, 'warn', ['SsoConfig/dir', 'uid=nomail,ou=people,dc=example,dc=com', 'has no mail', 'give it one']);
});

mistakes.run();
