// Rights that end while a request is under way: what counts is what holds when the change is made.
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { days, later, makeTeam, startTeams, tokenIn } from './team-people.ts';
import type { Credential, ServerWorld } from './world.ts';

interface Context {
  world: ServerWorld;
}

const meanwhile = suite<Context>('what happens while a body is on its way');
meanwhile.before.each(async (context) => {
  context.world = await startTeams();
});
meanwhile.after.each(({ world }) => world.close());

/** Sends a request whose body ends only after something else has happened. */
async function slowly(
  { app }: ServerWorld,
  request: {
    readonly method: 'POST' | 'PUT';
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: object;
  },
  happens: () => Promise<unknown> | undefined,
): Promise<number> {
  const text = JSON.stringify(request.body);
  const pieces = async function* () {
    yield text.slice(0, 5);
    await happens();
    yield text.slice(5);
  };
  const { method, url } = request;
  const headers = { 'content-type': 'application/json', ...request.headers };
  const response = await app.inject({ method, url, headers, payload: Readable.from(pieces()) });
  return response.statusCode;
}

const bearer = ({ tokens }: ServerWorld, who: Credential) => ({ authorization: `Bearer ${tokens[who]}` });

meanwhile('keeps nothing for a token that expires meanwhile', async ({ world }) => {
  const { app, setNow } = world;
  const headers = { ...(await world.signedIn('olga')), 'content-type': 'application/json' };
  const body = { name: 'brief', expiresAt: later(60) };
  const made = await app.inject({ method: 'POST', url: '/api/v1/user/tokens', headers, payload: JSON.stringify(body) });
  const rename = {
    method: 'PUT',
    url: '/api/v1/teams/core',
    headers: { authorization: `Bearer ${made.json().token}` },
    body: { name: 'Renamed' },
  } as const;
  assert.is(await slowly(world, rename, () => void setNow(later(60))), 401);
  assert.is(world.store.read().get('Team', 'core')?.spec.displayName, 'The core team');
});

meanwhile('keeps nothing for a session that ends meanwhile', async ({ world }) => {
  const headers = await world.signedIn('olga');
  const rename = { method: 'PUT', url: '/api/v1/user', headers, body: { name: 'Renamed' } } as const;
  assert.is(await slowly(world, rename, () => void world.setNow(later(7 * days))), 401);
  assert.is(world.store.read().get('User', 'olga')?.spec.displayName, '');
});

meanwhile('takes nobody into a team who is suspended meanwhile, by the token of a mail either', async ({ world }) => {
  await world.ask('POST', '/api/v1/teams/core/invitations', {
    as: 'owner',
    body: { user: 'bob@example.net', role: 'member' },
  });
  const accept = {
    method: 'POST',
    url: '/account/accept-invitation',
    headers: bearer(world, 'user'),
    body: { token: tokenIn(world) },
  } as const;
  const suspend = () => world.ask('PUT', '/api/v1/users/bob', { body: { suspended: true } });
  assert.is(await slowly(world, accept, suspend), 401);
  assert.is((await world.ask('GET', '/api/v1/teams/core/members?q=bob')).body.count, 0);
});

meanwhile('makes nothing in a team that is deleted meanwhile', async ({ world }) => {
  const { body: team } = await makeTeam(world, 'user', { name: 'Brief', type: 'starter' });
  const invite = {
    method: 'POST',
    url: `/api/v1/teams/${team.id}/invitations`,
    headers: bearer(world, 'user'),
    body: { user: 'max', role: 'member' },
  } as const;
  assert.is(await slowly(world, invite, () => world.ask('DELETE', `/api/v1/teams/${team.id}`)), 404);
  assert.is(world.store.read().count('Invitation'), 0);
});

meanwhile('applies no tree for an admin who is none any more, with consents either', async ({ world }) => {
  await world.ask('PUT', '/api/v1/users/olga', {
    as: 'none',
    headers: await world.signedIn('ann'),
    body: { admin: true },
  });
  const reconcile = {
    method: 'POST',
    url: '/api/v1/admin/config/reconcile',
    headers: bearer(world, 'owner'),
    body: { allowDeletes: 1 },
  } as const;
  const demote = () => world.ask('PUT', '/api/v1/users/olga', { body: { admin: false } });
  assert.is(await slowly(world, reconcile, demote), 403);
  const { body } = await world.ask('GET', '/api/v1/admin/config/history');
  assert.equal(
    body.history.map(({ trigger }: { trigger: string }) => trigger),
    ['start'],
  );
});

meanwhile.run();
