// timeout: 600
// Who may come in to an instance, by every credential, role and switch; and what is told to those who may not.
import type { RequestListener } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Credential } from '../world.ts';
import { type ProxyWorld, startProxyWorld, treeOf } from './stand-in.ts';

/** As a runtime: `/edit` is the editor's, for whoever has it; `/hello` is a flow. */
const runtime: RequestListener = (request, response) => {
  const principal = String(request.headers['x-weir-principal']);
  const editor = principal === 'none' ? undefined : principal;
  const path = request.url?.replace(/^\/i\/[^/]+/, '');
  const mayUse = editor !== undefined && (request.method === 'GET' || editor.startsWith('write'));
  if (path === '/edit' && mayUse) response.end(`editor ${editor}`);
  else if (path === '/hello')
    response.end(`hello ${request.headers.authorization ?? 'nobody'} ${request.headers.cookie ?? ''}`);
  else response.writeHead(404, { 'X-Weir-Nothing': '1' }).end();
};

const plain = await startProxyWorld();
const switched = await startProxyWorld(treeOf(['teamEndpointSecurity', 'protectedInstances']));
for (const world of [plain, switched]) {
  await world.instance('A', runtime);
  await world.instance('Open', runtime, { endpointAccess: 'open' });
  await world.instance('Shut', runtime, { protected: true });
  await world.instance('Down');
}

const access = suite('the way in');
access.after(() => Promise.all([plain.close(), switched.close()]).then(() => {}));

/** What each gets: GET and POST of the editor, and an endpoint. */
type Row = readonly [look: number, deploy: number, endpoint: number];
const writes: Row = [200, 200, 200];
const looks: Row = [200, 404, 200];
const passes: Row = [404, 404, 200];
const unknown: Row = [401, 401, 200];

const open: Readonly<Record<Credential, Row>> = {
  none: unknown,
  garbage: unknown,
  revoked: unknown,
  expired: unknown,
  suspended: unknown,
  planOfUser: passes,
  plan: passes,
  statistics: passes,
  user: passes,
  owner: writes,
  member: writes,
  viewer: looks,
  device: unknown,
  provisioning: unknown,
  dashboard: passes,
  otherOwner: passes,
  admin: writes,
};

/** With teamEndpointSecurity: whoever is not in the team has no endpoint, either. */
const closed = Object.fromEntries(
  (Object.entries(open) as [Credential, Row][]).map(([who, [look, deploy, endpoint]]) => {
    const isInside = ['owner', 'member', 'viewer', 'dashboard', 'admin'].includes(who);
    return [who, [look, deploy, isInside ? endpoint : look] as Row];
  }),
) as Readonly<Record<Credential, Row>>;

/** Protected: there is no editor for anybody, and those who would have one are told. */
const shut = Object.fromEntries(
  (Object.entries(closed) as [Credential, Row][]).map(([who, [look, deploy, endpoint]]) => {
    const isTold = ['owner', 'member', 'viewer', 'admin'].includes(who);
    return [who, [isTold ? 403 : look, isTold ? 403 : deploy, endpoint] as Row];
  }),
) as Readonly<Record<Credential, Row>>;

const cases: readonly (readonly [string, ProxyWorld, string, Readonly<Record<Credential, Row>>])[] = [
  ['without the features', plain, 'A', open],
  ['without the features, whatever the instance says', plain, 'Shut', open],
  ['with teamEndpointSecurity', switched, 'A', closed],
  ['with teamEndpointSecurity, on an instance that is open', switched, 'Open', open],
  ['protected', switched, 'Shut', shut],
];

for (const [what, world, id, rows] of cases)
  access(`${what}: every credential gets what is its own`, async () => {
    for (const [who, row] of Object.entries(rows) as [Credential, Row][]) {
      const as = who === 'none' ? {} : { as: who };
      const got = [
        (await world.get(`/i/${id}/edit`, as)).status,
        (await world.get(`/i/${id}/edit`, { ...as, method: 'POST', body: '[]' })).status,
        (await world.get(`/i/${id}/hello`, as)).status,
      ];
      assert.equal(got, row, who);
    }
  });

access('an instance that there is not is like one that nobody may see', async () => {
  for (const as of ['otherOwner', 'admin'] as const)
    assert.is((await switched.get('/i/Nowhere/hello', { as })).status, 404);
  const [there, not] = [await switched.get('/i/A/hello'), await switched.get('/i/Nowhere/hello')];
  assert.equal([there.status, there.text], [not.status, not.text]);
  assert.equal(JSON.parse(there.text).code, 'unauthorized');
});

access('a token of Weir, and its cookies, end at the door; what is for the flow goes through', async () => {
  assert.is((await plain.get('/i/A/hello', { as: 'member' })).text, 'hello nobody ');
  const cookie = `a=1; ${(await plain.browser('max')).cookie}; weir_sso_0=x; b=2`;
  const headers = { cookie, authorization: 'Basic YTpi' };
  assert.is((await plain.get('/i/A/hello', { headers })).text, 'hello Basic YTpi a=1; b=2');
  assert.is((await plain.get('/i/A/hello', { headers: { authorization: 'Bearer own' } })).text, 'hello Bearer own ');
});

access('the editor knows who uses it, and nobody can say that for themselves', async () => {
  assert.is((await plain.get('/i/A/edit', { as: 'viewer' })).text, 'editor read.vera');
  const headers = { 'x-weir-principal': 'write.max' };
  assert.is((await plain.get('/i/A/edit', { as: 'viewer', headers })).text, 'editor read.vera');
  assert.is((await plain.get('/i/A/edit', { headers })).status, 401);
});

access('leads a browser to sign in, and back', async () => {
  const accept = 'text/html,*/*;q=0.8';
  const { status, headers } = await switched.get('/i/A/hello?x=1', { headers: { accept } });
  assert.is(status, 302);
  assert.is(headers.location, 'http://weir.example/account/login?next=%2Fi%2FA%2Fhello%3Fx%3D1');
  assert.is(headers['cache-control'], 'no-store');
  const signedIn = await switched.get('/i/A/hello', { headers: { accept, ...(await switched.browser('dora')) } });
  assert.is(signedIn.status, 200);
});

access('takes a cookie for nothing that a page elsewhere asks', async () => {
  const own = await plain.browser('max');
  const post = (headers: Record<string, string>) =>
    plain.get('/i/A/edit', { method: 'POST', body: '[]', headers: { ...own, ...headers } });
  assert.is((await post({})).status, 200);
  assert.is((await post({ origin: 'https://evil.example' })).status, 401);
  const get = (headers: Record<string, string>) => switched.get('/i/A/hello', { headers: { ...headers } });
  const seen = await switched.browser('max');
  assert.is((await get({ ...seen, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' })).status, 403);
  assert.is((await get({ ...seen, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status, 200);
  assert.is((await get({ ...seen, referer: 'http://weir.example/i/Open/x' })).status, 403);
  assert.is((await get({ ...seen, referer: 'http://weir.example/i/A/x' })).status, 200);
  // What is no session takes nothing from one that is; of two that are nobody can tell which is meant.
  for (const cookie of [`${seen['cookie']}; weir_session=other`, `weir_session=other; ${seen['cookie']}`])
    assert.is((await get({ ...seen, cookie })).status, 200);
  const { cookie: another } = await switched.browser('vera');
  assert.is((await get({ ...seen, cookie: `${seen['cookie']}; ${another}` })).status, 401);
  assert.is((await get({ ...seen, cookie: `${another}; __Host-${seen['cookie']}` })).status, 200);
});

access('tells those who may know why an instance does not run, and others that it does not', async () => {
  const told = await plain.get('/i/Down/', { as: 'viewer' });
  assert.is(told.status, 503);
  assert.match(
    JSON.parse(told.text).detail,
    /^The instance Line Down cannot be reached now: it is crashed, because it fell over \(StartFailed\)\.$/,
  );
  const others = await plain.get('/i/Down/');
  assert.is(others.status, 503);
  assert.not.match(others.text, /crashed|fell/);
  const page = await plain.get('/i/Down/', { as: 'viewer', headers: { accept: 'text/html' } });
  assert.match(page.text, /<h1[^>]*>Not available now<\/h1>.*it fell over/s);
  assert.match(page.text, '<p><a href="http://weir.example/">Home</a></p>');
});

access('adds the slash that is missing of an address', async () => {
  assert.is((await plain.get('/i/A?x=1', { as: 'member' })).headers.location, '/i/A/?x=1');
});

access('is no business of Weir’s own routes', async () => {
  assert.is((await plain.get('/healthz')).status, 200);
  assert.is((await plain.get('/i')).status, 404);
  assert.is((await plain.get('/i/')).status, 404);
});

access('who may come in is said by owners, where the team has the feature, and acts at once', async () => {
  await switched.instance('Own', runtime);
  const put = (world: ProxyWorld, body: object, as: Credential = 'owner') =>
    world.ask('PUT', '/api/v1/instances/Own', { as, body });
  for (const body of [{ protected: true }, { endpointAccess: 'open' }]) {
    assert.is((await put(switched, body, 'member')).body.code, 'forbidden');
    assert.is((await put(switched, body, 'otherOwner')).status, 404);
  }
  const opened = await put(switched, { protected: true, endpointAccess: 'open' });
  assert.equal([opened.status, opened.body.protected, opened.body.endpointAccess], [200, true, 'open']);
  assert.is((await switched.get('/i/Own/hello')).status, 200);
  assert.is((await switched.get('/i/Own/edit', { as: 'owner' })).status, 403);
  const closed = await put(switched, { protected: false, endpointAccess: null });
  assert.equal([closed.body.protected, closed.body.endpointAccess], [false, 'team']);
  assert.is((await switched.get('/i/Own/hello')).status, 401);
  assert.is((await switched.get('/i/Own/edit', { as: 'owner' })).status, 200);

  await plain.instance('Own', runtime);
  for (const [body, feature] of [
    [{ protected: true }, 'protectedInstances'],
    [{ endpointAccess: 'team' }, 'teamEndpointSecurity'],
  ] as const) {
    const { status, body: problem } = await put(plain, body);
    assert.equal([status, problem.violations[0].rule], [409, 'feature-required']);
    assert.match(problem.detail, feature);
  }
  assert.is((await put(plain, { protected: false, endpointAccess: null })).status, 200);
});

access.run();
