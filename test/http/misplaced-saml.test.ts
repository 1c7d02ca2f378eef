// What an identity provider sends to a wrong address: the log has the right one, and the person a number that leads there.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { treeWith } from './people.ts';
import { type ServerWorld, startWorld } from './world.ts';

const config = (name: string, active = true) => `---
kind: SsoConfig
metadata: {name: ${name}}
spec:
  emailDomain: ${name}.example
  provider: saml
  active: ${active}
  saml: {signOnUrl: "https://idp.example/sso", issuer: idp, certificate: CERT}
`;
const tree = treeWith([], { 'sso.yaml': config('good') + config('draft', false) });
const html = { accept: 'text/html,application/xhtml+xml;q=0.9' };
const form = { ...html, 'content-type': 'application/x-www-form-urlencoded', origin: 'https://idp.example' };

const send = (
  world: ServerWorld,
  method: 'GET' | 'POST',
  url: string,
  headers: Readonly<Record<string, string>> = form,
) => world.ask(method, url, { as: 'none', headers, ...(method === 'POST' ? { body: 'SAMLResponse=AAAA' } : {}) });

const right =
  'the ACS URL of SsoConfig/good is http://weir.example/sso/saml/good/acs, and takes POST alone: write it into the identity provider just as it is';
const draft =
  'SsoConfig/draft is not active, so that nobody can sign in by it yet; its ACS URL is http://weir.example/sso/saml/draft/acs';

const misplaced = suite('what an identity provider sends to a wrong address');

misplaced('is logged with the right one, and told with the number of that line', async () => {
  const world = await startWorld(tree);
  for (const [method, url, status, where] of [
    ['POST', '/sso/saml/other/acs', 404, right],
    ['POST', '/sso/saml/draft/acs', 404, draft],
    ['GET', '/sso/saml/good/acs', 405, right],
    ['POST', '/sso/saml/good/metadata', 405, right],
    ['POST', '/sso/saml/good/login', 405, right],
    ['POST', '/sso/saml/good', 404, right],
    ['POST', '/sso/saml/good/acs/', 404, right],
    ['POST', '/', 405, right],
    ['POST', '/saml/acs?secret=1', 404, right],
    ['POST', '/account/login/', 404, right],
  ] as const) {
    world.warned.length = 0;
    const answer = await send(world, method, url, method === 'GET' ? html : form);
    const id = String(answer.headers['x-request-id']);
    const path = url.split('?')[0];
    assert.is(answer.status, status, `${method} ${url} ${answer.text}`);
    assert.equal(
      world.warned,
      [`${method} ${path} (request ${id}) is no address for what an identity provider sends: ${where}`],
      url,
    );
    assert.match(answer.text, `tell them this number: <code>${id}</code>`, url);
    assert.not.match(answer.text, /weir\.example|SsoConfig/);
  }
  await world.close();
});

misplaced('is nothing of what programs ask, nor where there is no SAML', async () => {
  const world = await startWorld(tree);
  await send(world, 'POST', '/api/v1/nothing');
  await send(world, 'POST', '/nothing', { 'content-type': 'application/json' });
  await send(world, 'GET', '/nothing', html);
  assert.equal(world.warned, []);
  const json = await send(world, 'POST', '/nothing', { ...form, accept: 'application/json' });
  assert.match(String(json.headers['content-type']), /problem\+json/);
  await world.close();
  const without = await startWorld(treeWith([]));
  await send(without, 'POST', '/sso/saml/good/acs');
  assert.equal(without.warned, []);
  await without.close();
});

misplaced.run();
