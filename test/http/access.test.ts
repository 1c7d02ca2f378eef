// Who gets what: a matrix written by hand, compared with the running server for every route of its own description.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import {
  admins,
  adminsAndScrapers,
  adminsAndTheirPlanTokens,
  anyUser,
  anyUserAndPlanTokens,
  devicesOnly,
  editors,
  everybody,
  everyRole,
  insiders,
  machinesOnly,
  owners,
  type Row,
  sessionsOnly,
} from './access-rows.ts';
import { credentials, start, startWorld, tree } from './world.ts';

const matrix: Readonly<Record<string, Row>> = {
  'GET /api/': anyUserAndPlanTokens,
  'GET /api/v1/version': everybody,
  'GET /api/v1/admin/config': adminsAndTheirPlanTokens,
  'POST /api/v1/admin/config/plan': adminsAndTheirPlanTokens,
  'GET /api/v1/admin/config/plan': admins,
  'POST /api/v1/admin/config/reconcile': admins,
  'POST /api/v1/admin/config/resume': admins,
  'POST /api/v1/admin/config/suspend': admins,
  'GET /api/v1/admin/config/history': admins,
  'GET /api/v1/admin/config/history/{revision}': admins,
  'GET /api/v1/admin/config/export': admins,
  'GET /api/v1/stacks': anyUser,
  'POST /api/v1/stacks': admins,
  'GET /api/v1/stacks/{name}': anyUser,
  'PUT /api/v1/stacks/{name}': admins,
  'DELETE /api/v1/stacks/{name}': admins,
  'GET /api/v1/instance-types': anyUser,
  'POST /api/v1/instance-types': admins,
  'GET /api/v1/instance-types/{name}': anyUser,
  'PUT /api/v1/instance-types/{name}': admins,
  'DELETE /api/v1/instance-types/{name}': admins,
  'GET /api/v1/team-types': anyUser,
  'POST /api/v1/team-types': admins,
  'GET /api/v1/team-types/{name}': anyUser,
  'PUT /api/v1/team-types/{name}': admins,
  'DELETE /api/v1/team-types/{name}': admins,
  'GET /api/v1/templates': anyUser,
  'POST /api/v1/templates': admins,
  'GET /api/v1/templates/{name}': anyUser,
  'PUT /api/v1/templates/{name}': admins,
  'DELETE /api/v1/templates/{name}': admins,
  'GET /api/v1/sso-configs': admins,
  'POST /api/v1/sso-configs': admins,
  'GET /api/v1/sso-configs/{name}': admins,
  'PUT /api/v1/sso-configs/{name}': admins,
  'DELETE /api/v1/sso-configs/{name}': admins,
  'POST /api/v1/sso-configs/{name}/explain': admins,
  'GET /api/v1/admin-settings': admins,
  'PUT /api/v1/admin-settings': admins,
  'GET /api/v1/platform': admins,
  'GET /api/v1/admin/audit-log': admins,
  'GET /api/v1/teams/{id}/audit-log': owners,
  'GET /api/v1/teams/{id}/instances': insiders,
  'POST /api/v1/teams/{id}/instances': editors,
  'GET /api/v1/instances/{id}': insiders,
  'GET /api/v1/instances/{id}/logs': insiders,
  'GET /api/v1/instances/{id}/resources': insiders,
  'GET /api/v1/instances/{id}/files': insiders,
  'PUT /api/v1/instances/{id}/files/{path}': editors,
  'DELETE /api/v1/instances/{id}/files/{path}': editors,
  'GET /api/v1/teams/{id}/bill-of-materials': insiders,
  'PUT /api/v1/instances/{id}': editors,
  'PATCH /api/v1/instances/{id}': editors,
  'DELETE /api/v1/instances/{id}': owners,
  'GET /api/v1/instances/{id}/snapshots': insiders,
  'POST /api/v1/instances/{id}/snapshots': editors,
  'POST /api/v1/instances/{id}/snapshots/{snapshotId}/restore': editors,
  'GET /api/v1/instances/{id}/timeline': insiders,
  'GET /api/v1/snapshots/{id}': insiders,
  'GET /api/v1/snapshots/{id}/compare': insiders,
  'DELETE /api/v1/snapshots/{id}': editors,
  'POST /api/v1/instances/{id}/actions/start': editors,
  'POST /api/v1/instances/{id}/actions/stop': editors,
  'POST /api/v1/instances/{id}/actions/restart': editors,
  'POST /api/v1/instances/{id}/actions/suspend': editors,
  'POST /api/v1/instances/{id}/actions/upgrade-stack': editors,
  'GET /api/v1/teams/{id}/devices': insiders,
  'POST /api/v1/teams/{id}/devices': editors,
  'GET /api/v1/devices/{id}': insiders,
  'PUT /api/v1/devices/{id}': editors,
  'PATCH /api/v1/devices/{id}': editors,
  'DELETE /api/v1/devices/{id}': owners,
  'POST /api/v1/devices/{id}/token': editors,
  'GET /api/v1/teams/{id}/device-groups': insiders,
  'POST /api/v1/teams/{id}/device-groups': editors,
  'GET /api/v1/device-groups/{id}': insiders,
  'PUT /api/v1/device-groups/{id}': editors,
  'PATCH /api/v1/device-groups/{id}': editors,
  'DELETE /api/v1/device-groups/{id}': editors,
  'GET /api/v1/instances/{id}/http-tokens': editors,
  'POST /api/v1/instances/{id}/http-tokens': editors,
  'DELETE /api/v1/instances/{id}/http-tokens/{tokenId}': editors,
  'GET /api/v1/teams/{id}/provisioning-tokens': editors,
  'POST /api/v1/teams/{id}/provisioning-tokens': editors,
  'DELETE /api/v1/teams/{id}/provisioning-tokens/{tokenId}': editors,
  'POST /api/v1/device/register': machinesOnly,
  'GET /api/v1/devices/{id}/snapshots': insiders,
  'POST /api/v1/devices/{id}/snapshots': editors,
  'GET /api/v1/device': devicesOnly,
  'GET /api/v1/device/snapshot': { ...devicesOnly, device: 404 },
  'POST /api/v1/device/snapshots': devicesOnly,
  'GET /api/v1/device/settings': devicesOnly,
  'POST /api/v1/device/check-in': devicesOnly,
  'POST /account/login': everybody,
  'POST /account/logout': everybody,
  'GET /account/sso': everybody,
  'GET /account/registration': everybody,
  'POST /account/register': everybody,
  'POST /account/verify-email': everybody,
  'POST /account/forgot-password': everybody,
  'POST /account/reset-password': everybody,
  'POST /account/restore-email': everybody,
  'GET /account/restore-email': everybody,
  'GET /account/login': everybody,
  'GET /account/register': everybody,
  'GET /account/reset-link': everybody,
  'GET /account/reset-password': everybody,
  'GET /account/invitations/{token}': everybody,
  'GET /account/settings': everybody,
  'GET /api/v1/user': anyUserAndPlanTokens,
  'PUT /api/v1/user': anyUser,
  'PATCH /api/v1/user': anyUser,
  'PUT /api/v1/user/password': sessionsOnly,
  'POST /api/v1/user/actions/delete': sessionsOnly,
  'GET /api/v1/user/tokens': anyUser,
  'POST /api/v1/user/tokens': sessionsOnly,
  'DELETE /api/v1/user/tokens/{id}': anyUser,
  'GET /api/v1/user/sessions': anyUser,
  'DELETE /api/v1/user/sessions/{id}': anyUser,
  'GET /api/v1/users': admins,
  'POST /api/v1/users': admins,
  'GET /api/v1/users/{id}': admins,
  'PUT /api/v1/users/{id}': admins,
  'PATCH /api/v1/users/{id}': admins,
  'DELETE /api/v1/users/{id}': admins,
  'GET /api/v1/admin/tokens': admins,
  'DELETE /api/v1/admin/tokens/{id}': admins,
  'GET /api/v1/admin/stats': adminsAndScrapers,
  'POST /api/v1/admin/stats-token': admins,
  'DELETE /api/v1/admin/stats-token': admins,
  'POST /api/v1/teams': admins,
  'GET /api/v1/teams': admins,
  'GET /api/v1/teams/slug/{slug}': everyRole,
  'GET /api/v1/teams/{id}': everyRole,
  'PUT /api/v1/teams/{id}': owners,
  'PATCH /api/v1/teams/{id}': owners,
  'DELETE /api/v1/teams/{id}': owners,
  'GET /api/v1/teams/{id}/members': insiders,
  'PUT /api/v1/teams/{id}/members/{userId}': owners,
  'DELETE /api/v1/teams/{id}/members/{userId}': owners,
  'GET /api/v1/teams/{id}/invitations': owners,
  'POST /api/v1/teams/{id}/invitations': owners,
  'POST /api/v1/teams/{id}/invitations/{invitationId}/resend': owners,
  'DELETE /api/v1/teams/{id}/invitations/{invitationId}': owners,
  'GET /api/v1/admin/invitations': admins,
  'GET /api/v1/user/teams': anyUser,
  'GET /api/v1/user/invitations': anyUser,
  'POST /api/v1/user/invitations/{id}/accept': anyUser,
  'DELETE /api/v1/user/invitations/{id}': anyUser,
  'GET /account/invitation': everybody,
  'POST /account/accept-invitation': anyUser,
};

/** An address of the route: of the team `core`, its instance, snapshot, device or group where it is about those, and of nothing that there is else. */
function addressOf(path: string): string {
  return path
    .replace('/teams/{id}', '/teams/core')
    .replace('/teams/slug/{slug}', '/teams/slug/core')
    .replace('/instances/{id}', '/instances/line')
    .replace('/devices/{id}', '/devices/gateway')
    .replace('/device-groups/{id}', '/device-groups/gateways')
    .replace('/snapshots/{id}', '/snapshots/picture')
    .replaceAll(/\{\w+\}/g, 'no-such-thing');
}

const access = suite('access');
// Whoever tries every route in every way asks more often than an address may.
const world = await startWorld({
  ...tree,
  'weir.yaml': `${tree['weir.yaml']}  api: {rateLimit: {signInPerMinute: 0}}\n`,
});
access.after(world.close);
await putInstance();
await world.putDevices();

/** The instance `line` of the team `core`, and its snapshot `picture`. */
async function putInstance(): Promise<void> {
  const times = { generation: 1, createdAt: start, updatedAt: start };
  const made = { team: 'core', instanceType: 'small', template: 'standard', stack: 'nr-4' };
  const spec = kinds.Instance.spec.parse({ ...made, state: 'stopped', desired: 'stopped' });
  const change = created({ kind: 'Instance', id: 'line', name: 'Line 1', spec, ...times });
  const held = { kind: 'manual', createdBy: { kind: 'user' }, modules: {}, content: '0'.repeat(64) } as const;
  const snapshot = kinds.Snapshot.spec.parse({ team: 'core', instance: 'line', ...held });
  const taken = created({ kind: 'Snapshot', id: 'picture', name: 'Picture', spec: snapshot, ...times });
  await world.store.commit(() => ({ changes: [change, taken] }), { id: 'line' });
}

const { body: description } = await world.ask('GET', '/api/');
const operations: [method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string][] = Object.entries(
  description.paths,
).flatMap(([path, methods]) =>
  Object.keys(Object(methods)).map((method) => [method.toUpperCase() as 'GET', path] as ['GET', string]),
);

access('has a row for every route that there is, and no other', () => {
  assert.equal(operations.map(([method, path]) => `${method} ${path}`).sort(), Object.keys(matrix).sort());
});

for (const [method, path] of operations)
  access(`${method} ${path} gives each credential what the matrix says, before it looks at the body`, async () => {
    for (const as of credentials) {
      // An expired token is gone once it was shown, and is then refused like a revoked one.
      const url = addressOf(path);
      const { status, body } = await world.ask(method, url, {
        as,
        ...(method === 'GET' ? {} : { body: '{ not JSON' }),
      });
      const expected = matrix[`${method} ${path}`]?.[as];
      const got = status === 401 || status === 403 || (status === 404 && expected === 404) ? status : 'open';
      assert.is(got, expected, `${as}: ${status}`);
      if (status >= 400) assert.is(body.status, status);
      if (got === 'open') assert.ok(status < 500, `${as}: ${status}`);
    }
  });

access('leaves the probes open', async () => {
  for (const as of credentials)
    for (const url of ['/healthz', '/readyz'])
      assert.is((await world.ask('GET', url, { as })).status, 200, `${as} ${url}`);
});

access('shows everybody how weaknesses are reported, where that is declared', async () => {
  const url = '/.well-known/security.txt';
  const missing = await world.ask('GET', url, { as: 'none' });
  assert.equal([missing.status, missing.body.code], [404, 'not_found']);
  const contacts = '[mailto:security@example.com, "https://example.com/report?to=us"]';
  const declaring = await startWorld(
    { 'weir.yaml': `kind: Platform\nmetadata: {name: platform}\nspec: {api: {securityContacts: ${contacts}}}\n` },
    { baseUrl: 'https://weir.example/flows' },
  );
  for (const as of credentials) {
    const { status, headers, text } = await declaring.ask('GET', url, { as });
    assert.equal([status, headers['content-type']], [200, 'text/plain; charset=utf-8'], as);
    assert.is(
      text,
      'Contact: mailto:security@example.com\nContact: https://example.com/report?to=us\nExpires: 2027-02-19T00:00:00.000Z\nCanonical: https://weir.example/flows/.well-known/security.txt\n',
    );
  }
  await declaring.close();
});

access('refuses contacts that are no addresses, or more than one line', () => {
  for (const contact of ['security@example.com', 'http://example.com/', 'mailto:a@b.example\nExpires: never', '']) {
    const { error } = kinds.Platform.spec.safeParse({ api: { securityContacts: [contact] } });
    assert.match(error?.issues[0]?.message ?? '', /^it must be an https: or tel: address/, contact);
  }
});

access('tells a token of scope plan whose it is, and that it may do nothing of it', async () => {
  const { status, body } = await world.ask('GET', '/api/v1/user', { as: 'plan' });
  assert.equal([status, body.username, body.can], [200, 'ann', []]);
  assert.is((await world.ask('PUT', '/api/v1/user', { as: 'plan', body: { name: 'x' } })).status, 403);
});

access('tells everybody the version', async () => {
  const { status, body } = await world.ask('GET', '/api/v1/version', { as: 'none' });
  assert.equal([status, body], [200, { version: '1.2.3', api: 'v1' }]);
});

access('opens the description to everybody where the platform says so', async () => {
  const open = await startWorld({
    'weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {api: {describePublicly: true}}\n',
  });
  assert.is((await open.ask('GET', '/api/', { as: 'none' })).status, 200);
  assert.is((await open.ask('GET', '/api/v1/stacks', { as: 'none' })).status, 401);
  await open.close();
});

access('tells a caller without a credential how to send one', async () => {
  const { headers } = await world.ask('GET', '/api/v1/stacks', { as: 'none' });
  assert.match(String(headers['www-authenticate']), /^Bearer/);
});

access('takes "bearer" in any case, and no other scheme', async () => {
  const { admin } = world.tokens;
  const by = async (authorization: string) =>
    (await world.ask('GET', '/api/v1/stacks', { as: 'none', headers: { authorization } })).status;
  assert.is(await by(`bearer ${admin}`), 200);
  assert.is(await by(`Basic ${admin}`), 401);
  assert.is(await by(`${admin}`), 401);
  assert.is(await by(`Bearer ${admin} x`), 401);
});

access('follows the owner: no longer an admin, no longer open', async () => {
  const other = await startWorld();
  const demote = (admin: boolean) => {
    const ann = other.store.read().get('User', 'ann');
    if (!ann) throw new Error('no ann');
    const after = { ...ann, spec: { ...ann.spec, admin } };
    return other.store.commit(() => ({ changes: [{ kind: 'User', id: 'ann', before: ann, after }] }), {
      id: String(admin),
    });
  };
  await demote(false);
  assert.is((await other.ask('GET', '/api/v1/admin/config')).status, 403);
  assert.is((await other.ask('GET', '/api/v1/admin/config', { as: 'plan' })).status, 403);
  await demote(true);
  assert.is((await other.ask('GET', '/api/v1/admin/config')).status, 200);
  await other.close();
});

access('deletes an expired token when it is shown, at the very second', async () => {
  const other = await startWorld();
  const isThere = () => [...other.store.read().all('Token')].some(({ spec }) => spec.expiresAt !== null);
  other.setNow('2026-11-21T09:59:58.999Z');
  assert.is((await other.ask('GET', '/api/v1/stacks', { as: 'expired' })).status, 200);
  assert.ok(isThere());
  other.setNow('2026-11-21T09:59:59.000Z');
  assert.is((await other.ask('GET', '/api/v1/stacks', { as: 'expired' })).status, 401);
  assert.not(isThere());
  await other.close();
});

access('remembers when a token was last used, and keeps it when the server closes', async () => {
  const other = await startWorld();
  await other.ask('GET', '/api/v1/stacks', { as: 'user' });
  const used = () =>
    [...other.store.read().all('Token')]
      .filter(({ spec }) => spec.lastUsedAt !== null)
      .map(({ spec }) => [spec.user, spec.lastUsedAt]);
  assert.equal(used(), []);
  await other.app.close();
  assert.equal(used(), [['bob', start]]);
  await other.close();
});

access('cannot register a route that names no action', async () => {
  const other = await startWorld();
  await other.close();
  const { guard } = await import('../../src/http/plugins/guard.ts');
  const { fastify } = await import('fastify');
  const app = fastify();
  guard(app, Object(null));
  assert.throws(() => app.get('/open', () => 'secret'), /names no action/);
  assert.throws(() => app.get('/open', { config: { action: Object('toString') } }, () => 'secret'), /names no action/);
  await app.close();
});

access.run();
