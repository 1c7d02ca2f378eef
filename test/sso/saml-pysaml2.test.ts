// timeout: 1200
// SAML against a second real identity provider, pysaml2 with xmlsec1, whose XML is written and signed by other hands.
import { resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { debian, suiteWith } from '../support/debian.ts';
import { runCommand } from '../support/run-command.ts';
import { rsaPair } from '../support/self-signed.ts';
import { webVisitor } from '../support/web-visitor.ts';
import { startWeirServer, type WeirServer } from '../support/weir-server.ts';

const python = '/usr/bin/python3';
// Of the package nothing but a tool for schemas is a command.
const commands = debian(['python3-pysaml2', 'xmlsec1'], [python, 'xmlsec1', '/usr/bin/parse_xsd2']);
const saml = suiteWith(commands, 'SAML with pysaml2');

const key = rsaPair();
const issuer = 'https://idp.example/metadata';
const signOnUrl = 'https://idp.example/sso?tenant=corp';
const more = 'http://www.w3.org/2001/04/xmldsig-more#';
const xmlenc = 'http://www.w3.org/2001/04/xmlenc#';
const right = {
  sign_response: true,
  sign_assertion: true,
  sign_alg: `${more}rsa-sha256`,
  digest_alg: `${xmlenc}sha256`,
};

let server: WeirServer;
let metadata: string;

saml.before(async () => {
  server = await startWeirServer({
    'config/weir.yaml':
      'kind: Platform\nmetadata: {name: platform}\nspec:\n  licence: enterprise\n  api: {rateLimit: {signInPerMinute: 0}}\n',
    'config/sso.yaml': `kind: SsoConfig
metadata: {name: corp}
spec:
  emailDomain: corp.example
  provider: saml
  active: true
  provisionNewUsers: true
  saml:
    signOnUrl: ${signOnUrl}
    issuer: ${issuer}
    certificate: {fromFile: provider.pem}
`,
    'config/provider.pem': key.certificate,
  });
  metadata = await (await fetch(`${server.url}/sso/saml/corp/metadata`)).text();
});

saml.after(() => server?.stop());

saml('signs in with both signed by SHA-256, and by SHA-512', async () => {
  assert.equal(await signIn('ann', right), [303, '']);
  const longer = { ...right, sign_alg: `${more}rsa-sha512`, digest_alg: `${xmlenc}sha512` };
  assert.equal(await signIn('bea', longer), [303, '']);
});

saml('refuses SHA-1, which it signs by unless told otherwise, and what is signed once', async () => {
  const { sign_alg: _, digest_alg: __, ...untold } = right;
  assert.match((await signIn('ann', untold)).join(), /^403,.*invalid document signature/);
  assert.match((await signIn('ann', { ...right, sign_response: false })).join(), /^403,.*invalid document signature/);
  assert.match((await signIn('ann', { ...right, sign_assertion: false })).join(), /^403,.*invalid document signature/);
});

saml.run();

/** What we answer, and the line in the log where we refuse. */
async function signIn(name: string, options: object): Promise<[status: number, line: string]> {
  const browser = webVisitor();
  const { headers } = await browser.visit(`${server.url}/sso/saml/corp/login`, 'stop');
  const to = new URL(headers.get('location') ?? '');
  assert.is(to.searchParams.get('tenant'), 'corp');
  const input = JSON.stringify({
    issuer,
    signOnUrl,
    metadata,
    request: to.searchParams.get('SAMLRequest'),
    key: key.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    certificate: key.certificate,
    xmlsec: commands?.xmlsec1,
    email: `${name}@corp.example`,
    attributes: { uid: [name], displayName: [`${name} O'Möller & <Söhne>`] },
    options,
  });
  const script = resolve(import.meta.dirname, '../support/pysaml2.py');
  const { code, stdout, stderr } = await runCommand(python, [script], { input });
  assert.is(code, 0, stderr);
  const form = { action: `${server.url}/sso/saml/corp/acs`, fields: { SAMLResponse: stdout.trim() } };
  const page = await browser.send(form, 'stop');
  if (page.status === 303) {
    const { body } = await browser.json('GET', `${server.url}/api/v1/user`);
    assert.equal([body.username, body.email, body.name], [name, `${name}@corp.example`, `${name} O'Möller & <Söhne>`]);
  }
  const id = `(request ${page.headers.get('x-request-id')})`;
  return [
    page.status,
    server
      .log()
      .split('\n')
      .find((line) => line.includes(id)) ?? '',
  ];
}
