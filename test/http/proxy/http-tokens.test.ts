// Tokens for the endpoints of one instance: they open those, and nothing else of Weir.
import type { RequestListener } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProxyWorld, treeOf } from './stand-in.ts';

const runtime: RequestListener = (request, response) => {
  const principal = String(request.headers['x-weir-principal']);
  if (request.url?.endsWith('/edit') && principal === 'none') response.writeHead(404, { 'X-Weir-Nothing': '1' }).end();
  else response.end(`${principal} ${request.headers.authorization ?? 'nothing'}`);
};

const world = await startProxyWorld(treeOf(['teamEndpointSecurity', 'protectedInstances']));
await world.instance('A', runtime);
await world.instance('B', runtime);
const tokens = suite('an HTTP token');
tokens.after(world.close);

const json = { 'content-type': 'application/json' };
const url = '/api/v1/instances/A/http-tokens';
async function make(body: object, as: 'member' | 'viewer' = 'member') {
  const { status, text } = await world.get(url, { method: 'POST', as, headers: json, body: JSON.stringify(body) });
  return { status, body: JSON.parse(text) };
}
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const statusOf = async (path: string, token: string, method = 'GET') =>
  (await world.get(path, { method, ...bearer(token) })).status;

tokens('is made by those who may change the instance, shown once, and listed without its text', async () => {
  assert.is((await make({ name: 'x' }, 'viewer')).status, 403);
  const { status, body } = await make({ name: 'scale 7', expiresAt: '2030-01-01T00:00:00Z' });
  assert.is(status, 201);
  assert.match(body.token, /^weirhttp_[0-9A-Za-z]{46}$/);
  assert.equal([body.name, body.expiresAt], ['scale 7', '2030-01-01T00:00:00.000Z']);
  const { text } = await world.get(url, { as: 'member' });
  assert.equal(
    JSON.parse(text).httpTokens.map(({ id }: { readonly id: string }) => id),
    [body.id],
  );
  assert.not.match(text, body.token);
  assert.is((await make({ name: 'y', expiresAt: '2020-01-01T00:00:00Z' })).status, 400);
  const [kept] = world.store.read().all('HttpToken');
  assert.not.match(JSON.stringify(kept), body.token);
});

tokens('calls the endpoints of its instance, by every method, and the runtime does not see it', async () => {
  const { token } = (await make({ name: 'calls' })).body;
  for (const method of ['GET', 'POST', 'DELETE']) {
    const { status, text } = await world.get('/i/A/hello', { method, ...bearer(token) });
    assert.equal([status, text], [200, 'none nothing'], method);
  }
});

tokens('opens no editor, no other instance, and nothing of the API', async () => {
  const { token } = (await make({ name: 'leaks' })).body;
  // The token is good: there is just nothing for it.
  assert.is(await statusOf('/i/A/edit', token), 404);
  assert.is(await statusOf('/i/B/hello', token), 401);
  for (const path of ['user', 'instances/A', 'instances/A/http-tokens', 'teams', 'device', 'admin/stats'])
    assert.is(await statusOf(`/api/v1/${path}`, token), 401, path);
  for (const path of ['instances/A/http-tokens', 'instances/A/actions/stop', 'device/register', 'user/tokens'])
    assert.is(await statusOf(`/api/v1/${path}`, token, 'POST'), 401, path);
  const last = token.endsWith('x') ? 'y' : 'x';
  assert.is(await statusOf('/i/A/hello', token.slice(0, -1) + last), 401, 'a changed one');
});

tokens('ends when it is revoked, and when its time has come', async () => {
  const { id, token } = (await make({ name: 'revoked' })).body;
  assert.is((await world.get(`/api/v1/instances/B/http-tokens/${id}`, { method: 'DELETE', as: 'member' })).status, 404);
  assert.is((await world.get(`${url}/${id}`, { method: 'DELETE', as: 'member' })).status, 204);
  assert.is(await statusOf('/i/A/hello', token), 401);
  const short = (await make({ name: 'short', expiresAt: '2026-11-21T10:00:05.000Z' })).body.token;
  assert.is(await statusOf('/i/A/hello', short), 200);
  world.setNow('2026-11-21T10:00:05.000Z');
  assert.is(await statusOf('/i/A/hello', short), 401);
  world.setNow('2026-11-21T10:00:00.000Z');
  const { text } = await world.get('/api/v1/teams/core/audit-log', { as: 'owner' });
  const told = JSON.parse(text).auditEntries.map(({ event }: { readonly event: string }) => event);
  assert.equal(
    [told.includes('http-token.created'), told.includes('http-token.deleted')],
    [true, true],
    text.slice(0, 600),
  );
});

tokens.run();
