// timeout: 400
// The header Idempotency-Key: a request that made something is sent again, at once, later, by others and to a server that was restarted.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { mostRemembered } from '../../src/http/idempotency.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { weir } from '../support/weir.ts';
import { contractOf } from './contract.ts';
import { creations as bodies } from './creations.ts';
import { inPlaceOf, startPopulated } from './populated.ts';
import { serveIn } from './served.ts';
import { type ServerWorld, start } from './world.ts';

interface Context {
  world: ServerWorld;
}

/** These show a secret once, so there is nothing to answer a second time. */
const shownOnce = new Set([
  'createOwnToken',
  'createStatisticsToken',
  'createDevice',
  'createProvisioningToken',
  'createHttpToken',
]);

const world = await startPopulated();
const contract = contractOf((await world.ask('GET', '/api/')).body);
await world.close();
const keyed = contract.operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'Idempotency-Key'));

const keys = suite<Context>('a request that makes something');
keys.before.each(async (context) => {
  context.world = await startPopulated();
});
keys.after.each((context) => context.world.close());

for (const { id, path } of keyed)
  keys(
    `${path}: makes it once for a key, and leaves the key free when it is only tried or refused`,
    async ({ world: here }) => {
      assert.ok(id in bodies, `a body for ${id} is missing here`);
      const [body, other] = bodies[id] ?? [];
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => inPlaceOf(path, name)[1] ?? '');
      const headers = { ...(await here.signedIn('ann')), 'idempotency-key': 'k' };
      const ask = (sent = body, query = '') =>
        here.ask('POST', url + query, { as: 'none', headers, ...(sent === undefined ? {} : { body: sent }) });
      if (other) assert.is((await ask(other, '?dryRun=true')).status, 200);
      if (body) assert.is((await ask({ ...body, nonsense: 1 })).status, 400);

      const answers = await Promise.all(Array.from({ length: 6 }, () => ask()));
      const made = answers.filter(({ status }) => status === 201);
      const told = answers.filter(({ body: { code } }) => code === 'idempotency_conflict');
      assert.equal([made.length, told.length], shownOnce.has(id) ? [1, 5] : [6, 0], answers[1]?.text);
      assert.is(new Set(made.map(({ text }) => text)).size, 1);
      const requests = new Set(answers.map(({ headers: { 'x-request-id': sent } }) => String(sent)));
      const audited = (await here.store.records({ stream: 'audit', limit: 500 })).map(
        ({ body: entry }) => entry['requestId'],
      );
      assert.is(new Set(audited.filter((one) => requests.has(String(one)))).size, 1, 'one of them changed something');

      const before = here.store.read().position;
      const refused = other ? await ask(other) : undefined;
      if (refused) assert.equal([refused.status, refused.body.code], [409, 'idempotency_conflict']);
      assert.is(here.store.read().position, before);
    },
  );

keys('belongs to whoever sends its key: the same key of another user is another', async ({ world: here }) => {
  const headers = { 'idempotency-key': 'shared' };
  const asked = [];
  for (const as of ['owner', 'admin', 'member'] as const)
    asked.push(
      await here.ask('POST', '/api/v1/user/tokens', { as, headers, body: { name: as } }),
      await here.ask('POST', '/api/v1/teams', { as, headers, body: { name: `Of ${as}`, type: 'starter' } }),
    );
  const teams = asked.filter(({ status }) => status === 201);
  assert.equal(
    teams.map(({ body: { name } }) => name),
    ['Of owner', 'Of admin', 'Of member'],
  );
});

keys('is for one address: the same body sent elsewhere is another request', async ({ world: here }) => {
  const headers = { 'idempotency-key': 'k' };
  const ask = (url: string, body: object) => here.ask('POST', url, { headers, body });
  const group = await ask('/api/v1/teams/core/device-groups', { name: 'Hall' });
  assert.is(group.status, 201, group.text);
  const elsewhere = await ask('/api/v1/teams/hidden/device-groups', { name: 'Hall' });
  assert.equal([elsewhere.status, elsewhere.body.code], [409, 'idempotency_conflict'], elsewhere.text);
  const again = await ask('/api/v1/teams/core/device-groups', { name: 'Hall' });
  assert.equal([again.status, again.body.id], [201, group.body.id]);
});

keys('is told where what it made is gone, and forgotten after a day', async ({ world: here }) => {
  const ask = () =>
    here.ask('POST', '/api/v1/stacks', {
      headers: { 'idempotency-key': 'k' },
      body: { name: 'x', spec: { runtime: '1' } },
    });
  assert.is((await ask()).status, 201);
  await here.ask('DELETE', '/api/v1/stacks/x');
  const gone = await ask();
  assert.equal([gone.status, gone.body.code], [409, 'idempotency_conflict']);
  assert.match(gone.body.detail, /has been deleted since/);
  here.setNow(new Date(Date.parse(start) + 24 * 3_600_000 + 1000).toISOString());
  assert.is((await ask()).status, 201);
});

keys(
  'is refused where very many keys are remembered of a caller, until the oldest has ended',
  async ({ world: here }) => {
    const caller = 'ann';
    const at = (seconds: number) => new Date(Date.parse(start) + seconds * 1000).toISOString();
    const notes = Array.from({ length: mostRemembered }, (_, index): Resource<'IdempotentRequest'> => {
      const spec = { caller, request: 'r', made: 'm', expiresAt: at(100 + index) };
      const times = { generation: 1, createdAt: start, updatedAt: start };
      return { kind: 'IdempotentRequest', id: `note-${index}`, name: `note-${index}`, spec, ...times };
    });
    await here.store.commit(() => ({ changes: notes.map(created) }), { id: 'notes' });
    const count = () => here.store.read().count('IdempotentRequest');
    const ask = (name: string, key: string | undefined, as: 'admin' | 'owner' = 'admin') =>
      here.ask('POST', as === 'admin' ? '/api/v1/stacks' : '/api/v1/teams', {
        as,
        headers: key === undefined ? {} : { 'idempotency-key': key },
        body: as === 'admin' ? { name, spec: { runtime: '1' } } : { name, type: 'starter' },
      });
    const refused = await ask('x', 'k');
    assert.equal([refused.status, refused.body.code, refused.headers['retry-after']], [429, 'rate_limited', '100']);
    assert.match(refused.body.detail, /^No more than 10000 Idempotency-Keys are remembered .*: nothing was made\./);
    assert.is((await here.ask('GET', '/api/v1/stacks/x')).status, 404);
    assert.is((await ask('without', undefined)).status, 201);
    assert.is((await ask('Of another', 'k', 'owner')).status, 201);
    assert.is(count(), mostRemembered + 1);

    here.setNow(at(100));
    assert.is((await ask('x', 'k')).status, 201, 'one has ended');
    assert.is((await ask('x', 'k')).status, 201, 'and the same again needs no more room');
    assert.is((await ask('y', 'l')).status, 429);
    assert.is(count(), mostRemembered + 1);
  },
);

keys('is refused with a key that is none', async ({ world: here }) => {
  for (const key of ['', ' ', 'two words', 'x'.repeat(256), 'é']) {
    const headers = { 'idempotency-key': key };
    const { status, body } = await here.ask('POST', '/api/v1/stacks', {
      headers,
      body: { name: 'x', spec: { runtime: '1' } },
    });
    assert.equal([status, body.code], [400, 'invalid_request'], key);
    assert.match(body.detail, /Idempotency-Key/);
  }
});

keys.run();

const restarted = suite('a server that was restarted');

restarted('knows the keys from before, also when it was killed', async () => {
  const folder = temporaryFolder();
  await writeFiles(folder.path, { 'config/weir.yaml': 'kind: Platform\nmetadata: {name: platform}\n' });
  const { token } = JSON.parse((await weir(folder.path, ['bootstrap'])).stdout);
  const ask = async (url: string, name: string) => {
    const response = await fetch(`${url}/api/v1/stacks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: JSON.stringify({ name, spec: { runtime: '1' } }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
    const body: any = await response.json();
    return [response.status, body.code ?? body.name];
  };
  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
    const server = await serveIn(folder.path);
    assert.equal(await ask(server.url, 'x'), [201, 'x']);
    assert.equal(await ask(server.url, 'y'), [409, 'idempotency_conflict']);
    server.child.kill(signal);
    await server.ended;
  }
  const { stdout } = await weir(folder.path, ['export', 'Stack']);
  assert.is(stdout.match(/kind: Stack/g)?.length, 1, stdout);
  await folder.remove();
});

restarted.run();
