// The tokens of all users, for admins.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditEntryOf } from '../../src/control/audit.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { toTheMinute } from '../../src/http/views/values.ts';
import { newId } from '../../src/lib/id.ts';
import { start, startWorld } from './world.ts';

const url = '/api/v1/admin/tokens';
const tokens = suite('the tokens of all users');

tokens('are listed with whose they are, and without what opens anything', async () => {
  const world = await startWorld();
  const { status, body, text } = await world.ask('GET', url);
  assert.is(status, 200);
  assert.is(body.count, world.store.read().count('Token'));
  const [first] = body.tokens;
  assert.equal(first.user, { id: 'ann', username: 'ann' });
  assert.equal(Object.keys(first).sort(), ['createdAt', 'expiresAt', 'id', 'lastUsedAt', 'name', 'scope', 'user']);
  for (const { spec } of world.store.read().all('Token')) assert.not(text.includes(spec.hash));
  for (const token of Object.values(world.tokens)) if (token) assert.not(text.includes(token));
  await world.close();
});

tokens('tell when they were used to the minute, so that who asks twice with one of them is answered once', async () => {
  const world = await startWorld();
  world.setNow(start.replace('00.000Z', '01.500Z'));
  const first = await world.ask('GET', url);
  assert.ok(first.body.tokens.some(({ lastUsedAt }: { lastUsedAt: string | null }) => lastUsedAt === start));
  world.setNow(start.replace('00.000Z', '59.999Z'));
  const known = { 'if-none-match': String(first.headers.etag) };
  assert.is((await world.ask('GET', url, { headers: known })).status, 304);
  world.setNow(start.replace('00:00.000Z', '01:00.000Z'));
  assert.is((await world.ask('GET', url, { headers: known })).status, 200);
  await world.close();
});

tokens('were used after they were made, also within one minute', () => {
  assert.is(toTheMinute('2026-11-21T10:00:30.000Z', '2026-11-21T10:00:10.000Z'), '2026-11-21T10:00:10.000Z');
  assert.is(toTheMinute('2026-11-21T10:01:30.000Z', '2026-11-21T10:00:10.000Z'), '2026-11-21T10:01:00.000Z');
});

tokens('are searched by their names and by usernames, sorted, and paged', async () => {
  const world = await startWorld();
  const ask = async (query: string) => (await world.ask('GET', `${url}?${query}`)).body;
  const names = ({ tokens: found }: { tokens: { name: string }[] }) =>
    found.map(({ name }) => name.replace(/-\d+/, ''));
  assert.equal(names(await ask('q=OTTO')), ['otto']);
  const renamed = await world.ask('PUT', '/api/v1/users/otto', { body: { username: 'Zed' } });
  assert.is(renamed.status, 200);
  assert.equal((await ask('q=zed')).tokens[0].user, { id: 'otto', username: 'Zed' });
  assert.is((await ask('q=nobody')).count, 0);
  assert.equal(names(await ask('sort=-name&limit=2')), ['vera', 'otto']);
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await ask(`limit=4${cursor && `&cursor=${cursor}`}`);
    seen.push(...page.tokens.map(({ id }: { id: string }) => id));
    cursor = page.meta.next_cursor ?? '';
  } while (cursor);
  assert.equal(
    seen,
    [...world.store.read().all('Token')].map(({ id }) => id),
  );
  await world.close();
});

tokens('are revoked by admins, whosever they are', async () => {
  const world = await startWorld();
  const { body } = await world.ask('GET', `${url}?q=vera`);
  const one = `${url}/${body.tokens[0].id}`;
  assert.is((await world.ask('DELETE', one, { as: 'owner' })).status, 403);
  assert.is((await world.ask('DELETE', `${one}?dryRun=true`)).body.summary.delete, 1);
  assert.is((await world.ask('DELETE', one)).status, 204);
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'viewer' })).status, 401);
  assert.is((await world.ask('DELETE', one)).status, 404);
  const entries = (await world.store.records({ stream: 'audit', limit: 100 })).map(auditEntryOf);
  const entry = entries.find(({ event }) => event === 'token.deleted');
  assert.equal([entry?.actor.name, entry?.target.id], ['ann', body.tokens[0].id]);
  assert.equal(entry?.changes.find(({ path }) => path === '/spec/user')?.before, 'vera');
  assert.equal(entry?.changes.find(({ path }) => path === '/spec/hash')?.before, { set: true });
  await world.close();
});

tokens('are not more than a thousand for anybody', async () => {
  const world = await startWorld();
  const many = Array.from({ length: 998 }, (_, index) => token(index));
  await world.store.commit(() => ({ changes: many.map(created) }), { id: newId() });
  const headers = await world.signedIn('bob');
  const make = () => world.ask('POST', '/api/v1/user/tokens', { as: 'none', headers, body: { name: 'one more' } });
  const refused = await make();
  assert.equal([refused.status, refused.body.code], [409, 'conflict']);
  assert.match(refused.body.detail, /you have 1000 already, and nobody may have more than 1000: revoke some/);
  await world.ask('DELETE', `${url}/token-0`);
  assert.is((await make()).status, 201);
  await world.close();
});

tokens.run();

function token(index: number): Resource<'Token'> {
  const hash = index.toString(16).padStart(64, '0');
  const id = `token-${index}`;
  const spec = { user: 'bob', hash, scope: 'full', expiresAt: null, lastUsedAt: null } as const;
  return { kind: 'Token', id, name: id, spec, generation: 1, createdAt: start, updatedAt: start };
}
