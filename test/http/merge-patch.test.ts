// PATCH by JSON Merge Patch (RFC 7386), on every operation of the description that has it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contractOf, type Operation } from './contract.ts';
import { inPlaceOf, startPopulated } from './populated.ts';
import { type ServerWorld, startWorld } from './world.ts';

interface Context {
  world: ServerWorld;
}

const described = await startWorld();
const contract = contractOf((await described.ask('GET', '/api/')).body);
await described.close();
const patches = contract.operations.filter(({ method }) => method === 'PATCH');

/** A change of each, of one field that is told back. */
const changes: Readonly<Record<string, object>> = {
  patchTeam: { name: 'Renamed' },
  patchInstance: { name: 'renamed' },
  patchDevice: { mode: 'autonomous' },
  patchDeviceGroup: { description: 'renamed' },
  patchSelf: { name: 'Renamed' },
  patchUser: { name: 'Renamed' },
};

const patch = suite<Context>('a merge patch');
patch.before.each(async (context) => {
  context.world = await startPopulated();
});
patch.after.each((context) => context.world.close());

patch('is there beside every PUT of which no field is needed, and nowhere else', () => {
  const partial = contract.operations.filter(({ method, body, id }) => {
    if (method !== 'PUT' || id.startsWith('replace')) return false;
    const { required = [] } = contract.resolve(body);
    return required.length === 0;
  });
  assert.ok(partial.length > 4, 'hardly a PUT was found');
  assert.equal(patches.map(({ path }) => path).sort(), partial.map(({ path }) => path).sort());
});

for (const operation of patches)
  patch(
    `${operation.path} changes what is given, as either media type, and refuses others`,
    async ({ world: here }) => {
      const change = changes[operation.id];
      assert.ok(change, `a change for ${operation.id} is missing here`);
      const url = addressOf(operation);
      const before = (await here.ask('GET', url, await asAnn(here))).body;
      const tried = await send(here, `${url}?dryRun=true`, change);
      assert.equal([tried.status, tried.body.changes.length], [200, 1], tried.text);
      const done = await send(here, url, change);
      assert.is(done.status, 200, done.text);
      const after = (await here.ask('GET', url, await asAnn(here))).body;
      const { updatedAt: _, ...shown } = after;
      const { updatedAt: __, ...shownBefore } = before;
      assert.equal(shown, { ...shownBefore, ...change });
      assert.is((await send(here, url, change, 'application/json')).status, 200);
      for (const type of ['application/json-patch+json', 'text/plain']) {
        const { status, headers, body } = await send(here, url, change, type);
        assert.equal([status, body.code], [415, 'unsupported_media_type'], type);
        assert.is(headers['accept-patch'], 'application/merge-patch+json, application/json');
      }
      const put = await here.ask('PUT', url, { ...(await asAnn(here, 'application/merge-patch+json')), body: change });
      assert.equal([put.status, put.headers['accept-patch']], [415, undefined]);
      for (const body of ['[]', '"x"', 'null', '7']) assert.is((await send(here, url, body)).status, 400, body);
    },
  );

for (const operation of patches)
  patch(
    `${operation.path} takes away by null what may be absent, and says of the rest that it stays`,
    async ({ world: here }) => {
      const url = addressOf(operation);
      for (const field of Object.keys(contract.resolve(operation.body).properties)) {
        const { status, text, body } = await send(here, url, { [field]: null });
        const isShown = Object.hasOwn((await here.ask('GET', url, await asAnn(here))).body, field);
        if (status === 200) {
          const now = (await here.ask('GET', url, await asAnn(here))).body[field] ?? '';
          // An instance tells of all that it runs with, also of what its template gives.
          const own = Array.isArray(now)
            ? now.filter(({ origin }) => origin === undefined || origin === 'instance')
            : now;
          assert.ok(
            !isShown || own.length === 0 || own === 'team' || own === 'open',
            `${field}: ${JSON.stringify(own)}`,
          );
        } else {
          assert.equal([status, body.code], [400, 'invalid_request'], text);
          assert.equal(
            body.violations.map(({ path }: { path: string }) => path),
            [`/${field}`],
          );
          assert.match(body.detail, /cannot be taken away/);
        }
        const described = contract.resolve(operation.body).properties[field];
        assert.is(described.nullable === true, status === 200, `${field}: null is ${status}`);
      }
    },
  );

for (const url of ['/api/v1/instances/core-1', '/api/v1/devices/core-device'])
  patch(`${url}: a list takes the place of the whole list, which a PUT adds to`, async ({ world: here }) => {
    const own = async () => {
      const { environment } = (await here.ask('GET', url, await asAnn(here))).body;
      return environment
        .filter(({ origin }: { origin?: string }) => origin === undefined || origin === 'instance')
        .map(({ name, value }: { name: string; value: string }) => [name, value]);
    };
    const put = await here.ask('PUT', url, {
      body: {
        environment: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
    });
    assert.is(put.status, 200, put.text);
    await here.ask('PUT', url, { body: { environment: [{ name: 'C', value: '3' }] } });
    assert.equal(await own(), [
      ['A', '1'],
      ['B', '2'],
      ['C', '3'],
    ]);
    assert.is(
      (
        await send(here, url, {
          environment: [
            { name: 'C', value: '4' },
            { name: 'D', value: '5' },
          ],
        })
      ).status,
      200,
    );
    assert.equal(await own(), [
      ['C', '4'],
      ['D', '5'],
    ]);
    assert.is((await send(here, url, { environment: [] })).status, 200);
    assert.equal(await own(), []);
  });

patch.run();

async function send(here: ServerWorld, url: string, body: unknown, type = 'application/merge-patch+json') {
  return here.ask('PATCH', url, { ...(await asAnn(here, type)), body });
}

async function asAnn(here: ServerWorld, type?: string) {
  const headers = await here.signedIn('ann');
  return { as: 'none', headers: { ...headers, ...(type ? { 'content-type': type } : {}) } } as const;
}

function addressOf({ path }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => inPlaceOf(path, name)[0] ?? '');
}
