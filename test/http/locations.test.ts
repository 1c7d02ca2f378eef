// timeout: 400
// Where what was made is found (201 and 202 with Location), and the version that a write answers: by every operation of the description.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contractOf, type Operation } from './contract.ts';
import { creations } from './creations.ts';
import { inPlaceOf, startPopulated } from './populated.ts';
import type { Asked, ServerWorld } from './world.ts';

interface Context {
  world: ServerWorld;
}

/** What has no address of its own, or none that whoever made it can read. */
const withoutLocation: Readonly<Record<string, string>> = {
  createOwnToken: 'tokens are listed, and none is read alone',
  createHttpToken: 'tokens are listed, and none is read alone',
  createProvisioningToken: 'tokens are listed, and none is read alone',
  createStatisticsToken: 'there is one, which is shown once and never read',
  invite: 'invitations are listed, and none is read alone',
  register: 'whoever registers is not signed in yet',
  sendSnapshot: 'a device reads its target, and no other snapshot',
};

/** What does not come this far here; only its description is looked at. */
const elsewhere: Readonly<Record<string, string>> = {
  restoreSnapshot: '202 only where it takes too long: `snapshots.test.ts` makes it',
  startInstance: 'nothing runs here; all actions are one implementation, and others are asked',
  restartInstance: 'nothing runs here; all actions are one implementation, and others are asked',
  upgradeInstance: 'nothing runs here; all actions are one implementation, and others are asked',
};

/** Bodies of what is neither in the creations nor done with the example of the description. */
const bodies: Readonly<Record<string, unknown>> = {
  registerDevice: { name: 'Gateway 9' },
  register: { username: 'nina', email: 'nina@example.net', password: 'copper kettle drum' },
  invite: { user: 'new@example.net', role: 'viewer' },
  requestDeviceSnapshot: { name: 'x' },
  sendSnapshot: { flows: [], modules: {} },
  updateInstance: { name: 'line 9' },
  patchInstance: { name: 'line 9' },
  // A document declares them: what it says may be said again.
  replaceAdminSettings: {
    spec: {
      registration: true,
      passwordReset: true,
      userTeamCreation: true,
      externalInvitations: true,
      statisticsTokenAccess: true,
    },
  },
  changePassword: { current: 'copper kettle drum', new: 'seven grey herons' },
};

/** What a path names where the first of its kind does not do. */
const paths: Readonly<Record<string, string>> = {
  requestDeviceSnapshot: '/api/v1/devices/gateway/snapshots',
};

const replaced: Readonly<Record<string, string>> = Object.fromEntries(
  ['Stack', 'InstanceType', 'TeamType', 'Template', 'SsoConfig'].map((kind) => [`replace${kind}`, `create${kind}`]),
);

const world = await startPopulated();
const contract = contractOf((await world.ask('GET', '/api/')).body);
await world.close();

const making = suite<Context>('what a write makes');
making.before.each(async (context) => {
  context.world = await startPopulated();
});
making.after.each((context) => context.world.close());

const made = contract.operations.filter(({ responses }) => '201' in responses || '202' in responses);

making('tells in its description where to find it', () => {
  for (const { id, responses } of made.filter((one) => one.id in elsewhere))
    assert.ok('Location' in (responses['201'] ?? responses['202']).headers, id);
});

for (const operation of made.filter(({ id }) => !(id in elsewhere)))
  making(`${operation.method} ${operation.path}: tells where to find it`, async ({ world: here }) => {
    const { status, headers, body, text } = await done(here, operation);
    assert.ok(status === 201 || status === 202, text);
    const { location } = headers;
    assertDescribed(operation, status, headers);
    if (operation.id in withoutLocation) return assert.is(location, undefined, 'it is an exception no more');
    assert.match(String(location), /^\/api\/v1\/[^?#]+$/, `${status} without a Location`);
    const isDevice = operation.id === 'registerDevice';
    const asker = isDevice
      ? ({ as: 'none', headers: { authorization: `Bearer ${body.token}` } } as const)
      : await askerOf(here, operation);
    const found = await here.ask('GET', String(location), asker);
    assert.is(found.status, 200, found.text);
    // A device reads of itself what it should be, which is not what the answer shows.
    if (!isDevice) assert.is(headers.etag, found.headers.etag, `${text}\n${found.text}`);
  });

const changing = contract.operations.filter(({ method }) => method === 'PUT' || method === 'PATCH');

for (const operation of changing)
  making(`${operation.method} ${operation.path}: answers the ETag that a GET does`, async ({ world: here }) => {
    if (operation.id === 'changePassword')
      await here.ask('PUT', '/api/v1/users/ann', {
        as: 'none',
        headers: await here.signedIn('ann'),
        body: { password: 'copper kettle drum' },
      });
    // Of the declared kinds one that no document declares.
    if (operation.id in replaced)
      await here.ask('POST', operation.path.replace('/{name}', ''), {
        body: creations[replaced[operation.id] ?? '']?.[0],
      });
    const tried = await done(here, operation, '?dryRun=true');
    assert.equal([tried.status, tried.headers.etag], [200, undefined], tried.text);
    const answer = await done(here, operation);
    assert.is(answer.status, 200, answer.text);
    assertDescribed(operation, 200, answer.headers);
    const path = operation.path.replace('/user/password', '/user');
    const isRead = contract.operations.some((other) => other.method === 'GET' && other.path === path);
    const read = isRead
      ? await here.ask('GET', addressOf(operation).replace('/user/password', '/user'), await askerOf(here, operation))
      : undefined;
    if (read) assert.is(answer.headers.etag, read.headers.etag, `${answer.text}\n${read.text}`);
  });

making.run();

/** A header is described where it is sent, and sent where it is described. */
function assertDescribed(operation: Operation, status: number, headers: Asked['headers']): void {
  const described = Object.keys(operation.responses[status].headers ?? {}).map((name) => name.toLowerCase());
  for (const name of ['location', 'etag'])
    assert.is(described.includes(name), name in headers, `${operation.id}: ${name} of ${status}`);
}

async function done(here: ServerWorld, operation: Operation, query = ''): Promise<Asked> {
  const { id, raw } = operation;
  const example = raw.requestBody?.content['application/json'].example;
  const replacing = replaced[id];
  const body =
    id in bodies
      ? bodies[id]
      : id in creations
        ? creations[id]?.[0]
        : replacing
          ? { spec: Object(creations[replacing]?.[0]).spec }
          : example;
  const asker = await askerOf(here, operation);
  return here.ask(operation.method, addressOf(operation) + query, {
    ...asker,
    ...(body === undefined ? {} : { body }),
  });
}

/** The admin, signed in; or the machine whose channel it is. */
async function askerOf(here: ServerWorld, { path, id }: Operation) {
  if (id === 'registerDevice') return { as: 'provisioning' } as const;
  if (/^\/api\/v1\/device($|\/)/.test(path)) return { as: 'device' } as const;
  return { as: 'none', headers: await here.signedIn('ann') } as const;
}

function addressOf({ id, path }: Operation): string {
  if (id in replaced) return path.replace('{name}', 'x');
  return paths[id] ?? path.replaceAll(/\{(\w+)\}/g, (_, name) => inPlaceOf(path, name)[0] ?? '');
}
