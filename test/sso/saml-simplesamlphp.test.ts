// timeout: 1200
// SAML against a real identity provider, SimpleSAMLphp, from the login link to a session, by a browser and the real server.
import * as assert from 'uvu/assert';
import { debian, suiteWith } from '../support/debian.ts';
import { rsaPair } from '../support/self-signed.ts';
import { type SimpleSaml, simpleSaml, startSimpleSaml } from '../support/simplesaml.ts';
import { formOn, type WebForm, type WebPage, type WebVisitor, webVisitor } from '../support/web-visitor.ts';
import { startWeirServer, type WeirServer } from '../support/weir-server.ts';

const commands = debian(simpleSaml.packages, simpleSaml.commands);
const saml = suiteWith(commands, 'SAML with SimpleSAMLphp');

const person = (name: string, domain = 'corp.example', groups: readonly string[] = []) => ({
  mail: [`${name}@${domain}`],
  uid: [name.toLowerCase()],
  displayName: [`${name} of ${domain}`],
  employee: [`${name}-4711`],
  ...(groups.length > 0 ? { 'svc-roles': groups } : {}),
});

const people = {
  'ann:secret': person('Ann', 'corp.example', ['svc-core-owner', 'svc-no-such-team-member', 'everybody']),
  'bea:secret': person('bea', 'corp.example', ['svc-core-viewer']),
  'cas:secret': person('cas'),
  'mallory:secret': person('root', 'other.example'),
};

const tree = {
  'config/weir.yaml':
    'kind: Platform\nmetadata: {name: platform}\nspec:\n  licence: enterprise\n  api: {rateLimit: {signInPerMinute: 0}}\n',
  'config/starter.yaml': 'kind: TeamType\nmetadata: {name: starter}\n',
};

const [oldKey, newKey] = [rsaPair(), rsaPair()];
let provider: SimpleSaml;
let server: WeirServer;

saml.before(async () => {
  server = await startWeirServer(tree);
  provider = await startSimpleSaml(commands?.php ?? '', people, oldKey);
  const made = await server.admin('POST', '/api/v1/sso-configs', { name: 'corp', spec: draft });
  assert.is(made.status, 201, JSON.stringify(made.body));
  // As an administrator does it: our metadata goes to the provider while the configuration is a draft.
  const metadata = await fetch(made.body.status.metadataUrl);
  assert.is(metadata.status, 200);
  await provider.meet(await metadata.text());
  await server.admin('POST', '/api/v1/teams', { name: 'Core', slug: 'core', type: 'starter' });
});

saml.after(async () => {
  await provider?.close();
  await server?.stop();
});

saml.before.each(async () => {
  await provider.behave({});
  await configure();
});

saml('signs nobody in while the configuration is a draft', async () => {
  await configure({ active: false });
  const page = await webVisitor().visit(`${server.url}/sso/saml/corp/login`);
  assert.is(page.status, 404);
  assert.match(page.html, /There is nothing here/);
});

saml('brings somebody new from the login link to their settings, with the roles of their groups', async () => {
  const browser = webVisitor();
  const arrived = await browser.send(await formFor(browser, 'ann', { next: '/account/settings?tab=1' }));
  assert.is(arrived.status, 200);
  assert.is(arrived.url, `${server.url}/account/settings`);
  const { body: user } = await browser.json('GET', `${server.url}/api/v1/user`);
  assert.equal(
    [user.username, user.email, user.name, user.ssoManaged],
    ['ann', 'ann@corp.example', 'Ann of corp.example', true],
  );
  const { body: own } = await browser.json('GET', `${server.url}/api/v1/user/teams`);
  assert.equal(
    own.teams.map(({ slug, role }: { slug: string; role: string }) => [slug, role]),
    [['core', 'owner']],
  );
});

saml('brings somebody known to where they wanted to go, and nowhere else', async () => {
  await signIn(webVisitor(), 'bea');
  for (const [next, place] of [
    ['/api/v1/user?x=1', '/api/v1/user?x=1'],
    ['//elsewhere.example/', '/account/settings'],
    ['/..//elsewhere.example/', '//elsewhere.example/'],
    ['https://elsewhere.example/', '/account/settings'],
    ['/\\elsewhere.example/', '/account/settings'],
  ] as const) {
    const browser = webVisitor();
    const answer = await browser.send(await formFor(browser, 'bea', { next }), 'stop');
    assert.equal([answer.status, answer.headers.get('location')], [303, `${server.url}${place}`], next);
  }
});

saml('takes any RelayState, and any Origin', async () => {
  const browser = webVisitor();
  const { action, fields } = await formFor(browser, 'bea');
  const arrived = await browser.send({ action, fields: { ...fields, RelayState: 'https://elsewhere.example/' } });
  assert.is(arrived.url, `${server.url}/account/settings`);
  const other = webVisitor();
  const form = await formFor(other, 'bea');
  const response = await fetch(form.action, {
    method: 'POST',
    body: new URLSearchParams(form.fields),
    headers: { origin: 'https://idp.example', cookie: other.cookiesFor(form.action).join('; ') },
    redirect: 'manual',
  });
  assert.is(response.status, 303);
});

saml('refuses what is not signed twice, or by SHA-1', async () => {
  await refuses(/invalid document signature/, () => provider.behave({ signsResponse: false }));
  await refuses(/invalid document signature/, () => provider.behave({ signsAssertion: false }));
  await refuses(/invalid document signature/, () => provider.behave({ signsAssertion: false, signsResponse: false }));
  await refuses(/sha1/i, () => provider.behave({ algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }));
});

saml('takes the longer hashes', async () => {
  for (const bits of [384, 512]) {
    await provider.behave({ algorithm: `http://www.w3.org/2001/04/xmldsig-more#rsa-sha${bits}` });
    await signIn(webVisitor(), 'bea');
  }
});

saml('refuses another form of name, and people of another domain', async () => {
  for (const format of ['2.0:nameid-format:persistent', '2.0:nameid-format:transient', '1.1:nameid-format:unspecified'])
    await refuses(/NameID/, () => provider.behave({ nameIdFormat: `urn:oasis:names:tc:SAML:${format}` }));
  await refuses(/no email|NameID/, () => provider.behave({ nameIdAttribute: 'employee' }));
  await refuses(/other\.example/, () => provider.behave({}), 'mallory');
});

saml('lets the provider change its key: the old one, both, the new one', async () => {
  const newer = () => provider.behave({ key: newKey });
  await refuses(/invalid document signature/, newer);
  await configure({ certificate: oldKey.certificate + newKey.certificate });
  await signIn(webVisitor(), 'bea');
  await newer();
  await signIn(webVisitor(), 'bea');
  await configure({ certificate: newKey.certificate });
  await signIn(webVisitor(), 'bea');
  await refuses(/invalid document signature/, () => provider.behave({ key: oldKey }));
});

saml('takes a form once, also after a restart, and only from the browser that began', async () => {
  const browser = webVisitor();
  const form = await formFor(browser, 'cas');
  await isRefused(await webVisitor().send(form), /not one that this browser waits for/);
  const [kept, keptLonger] = [browser.twin(), browser.twin()];
  assert.is((await browser.send(form)).url, `${server.url}/account/settings`);
  await isRefused(await browser.send(form), /not one that this browser waits for/);
  await isRefused(await kept.send(form), /replay/);
  await server.restart();
  await isRefused(await keptLonger.send(form), /replay/);
  assert.is((await browser.json('GET', `${server.url}/api/v1/user`)).body.username, 'cas');
});

saml('goes on with a login that was under way when the server restarted', async () => {
  const browser = webVisitor();
  const form = await formFor(browser, 'bea');
  await server.restart();
  assert.is((await browser.send(form)).url, `${server.url}/account/settings`);
});

saml('keeps the logins of several tabs apart', async () => {
  const browser = webVisitor();
  const first = await formFor(browser, 'bea', { next: '/first' });
  const second = await formFor(browser, 'bea', { next: '/second', isKnown: true });
  for (const [form, path] of [
    [first, '/first'],
    [second, '/second'],
  ] as const)
    assert.is((await browser.send(form, 'stop')).headers.get('location'), `${server.url}${path}`);
});

saml('tells of every sign-in in the audit log', async () => {
  const { body } = await server.admin('GET', '/api/v1/admin/audit-log?event=sign-in&limit=1000');
  const entries: { event: string; actor: { kind: string; name: string }; target: { name: string } }[] =
    body.auditEntries;
  const bySso = entries.filter(({ actor }) => actor.kind === 'sso');
  assert.ok(bySso.every(({ actor }) => actor.name === 'corp'));
  const names = (event: string) => [
    ...new Set(bySso.filter((one) => one.event === event).map((one) => one.target.name)),
  ];
  assert.equal(names('sign-in.succeeded').sort(), ['ann', 'bea', 'cas']);
  assert.equal(names('sign-in.failed').sort(), ['cas@corp.example', 'corp']);
});

saml.run();

const draft = { emailDomain: 'corp.example', provider: 'saml', provisionNewUsers: true, groups: { manageRoles: true } };

/** Makes the configuration what it should be, and by default right and active. */
async function configure({ active = true, certificate = oldKey.certificate } = {}): Promise<void> {
  const { signOnUrl, issuer } = provider;
  const spec = { ...draft, active, saml: { signOnUrl, issuer, certificate } };
  const { status, body } = await server.admin('PUT', '/api/v1/sso-configs/corp', { spec });
  assert.is(status, 200, JSON.stringify(body));
}

/** Goes from the login link to the form that the provider would have the browser post to us. */
async function formFor(
  browser: WebVisitor,
  who: string,
  { next, isKnown = false }: { readonly next?: string; readonly isKnown?: boolean } = {},
): Promise<WebForm> {
  const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`;
  const asked = await browser.visit(`${server.url}/sso/saml/corp/login${query}`);
  // Whom the provider knows from a moment ago it asks nothing.
  const answer = isKnown ? asked : await browser.send(formOn(asked, { username: who, password: 'secret' }));
  const form = formOn(answer);
  assert.is(form.action, `${server.url}/sso/saml/corp/acs`, answer.url);
  return form;
}

async function signIn(browser: WebVisitor, who: string): Promise<void> {
  const page = await browser.send(await formFor(browser, who));
  assert.is(page.url, `${server.url}/account/settings`, server.log());
  assert.is((await browser.json('GET', `${server.url}/api/v1/user`)).body.username, who);
}

/** Has somebody try to sign in after `arrange`, who is refused for a reason that stands in the log. */
async function refuses(reason: RegExp, arrange: () => Promise<void>, who = 'bea'): Promise<void> {
  await arrange();
  const browser = webVisitor();
  await isRefused(await browser.send(await formFor(browser, who)), reason);
  assert.is((await browser.json('GET', `${server.url}/api/v1/user`)).status, 401);
}

/** The page says nothing; the log says why, under the number that the page shows. */
async function isRefused({ status, html, headers }: WebPage, reason: RegExp): Promise<void> {
  assert.is(status, 403, `answered ${status}`);
  assert.not.match(html, /signature|NameID|replay|request [^n]/i);
  assert.is(
    headers.getSetCookie().find((line) => line.startsWith('weir_session')),
    undefined,
  );
  const id = /<code>([\w.:-]+)<\/code>/.exec(html)?.[1] ?? 'no id';
  assert.is(headers.get('x-request-id'), id);
  const line =
    server
      .log()
      .split('\n')
      .find((one) => one.includes(`(request ${id})`)) ?? '';
  assert.match(line, reason, `${line} is not ${reason}`);
}
