// timeout: 300
// Rights that end while a request is under way, for every operation and by every way: what holds when a change is made, or an answer leaves, counts.
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kindNames } from '../../src/core/kinds/index.ts';
import { type Change, created, deleted, updated } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import type { View } from '../../src/core/model/view.ts';
import { newId } from '../../src/lib/id.ts';
import { contractOf, type Operation } from './contract.ts';
import { inPlaceOf, startPopulated } from './populated.ts';

/** How rights end. Each answers the changes that take them from a user, or a credential of theirs. */
const ways = {
  'the flag is taken': (view) => [changed(view.get('User', 'ann'), { admin: false })],
  'the role is lowered': (view) => [changed(view.get('Membership', 'core-olga'), { role: 'dashboard' })],
  'the membership ends': (view) => [gone(view.get('Membership', 'core-olga'))],
  'the user is suspended': (view, who) => [changed(view.get('User', who), { suspended: true })],
  'the token is revoked': (view, who) => [...view.all('Token')].filter(({ spec }) => spec.user === who).map(deleted),
  'the session ends': (view, who) => [...view.all('Session')].filter(({ spec }) => spec.user === who).map(deleted),
  'the device gets another token': (view) => [changed(view.get('Device', 'gateway'), { hash: '0'.repeat(64) })],
  'the provisioning token is revoked': (view) => [gone(view.get('ProvisioningToken', 'hall'))],
} as const satisfies Record<string, (view: View, who: string) => Change[]>;
type Way = keyof typeof ways;

/** Who asks, by what, and by which ways that ends; the first that an operation lets in is taken. */
const callers: Readonly<Record<string, readonly Way[]>> = {
  'ann by token': ['the flag is taken', 'the user is suspended', 'the token is revoked'],
  'ann by session': ['the flag is taken', 'the user is suspended', 'the session ends'],
  'ann by plan token': ['the flag is taken', 'the user is suspended', 'the token is revoked'],
  'olga by token': ['the role is lowered', 'the membership ends', 'the user is suspended', 'the token is revoked'],
  'olga by session': ['the role is lowered', 'the membership ends', 'the user is suspended', 'the session ends'],
  'the device': ['the device gets another token'],
  'a machine': ['the provisioning token is revoked'],
};

/** Operations that a user may ask for whatever they are in a team, and whether or not they are an admin. */
const ofEverybody: ReadonlySet<Way> = new Set(['the flag is taken', 'the role is lowered', 'the membership ends']);

let gate: Promise<void> = Promise.resolve();
let onReach = () => {};
const begins = () => {
  onReach();
  return gate;
};
const world = await startPopulated({}, begins);
// The reconciler that is there, a while later.
for (const name of ['plan', 'reconcile'] as const) {
  const real = world.loop[name] as (...given: unknown[]) => Promise<unknown>;
  Object.assign(world.loop, { [name]: (...given: unknown[]) => begins().then(() => real(...given)) });
}
const contract = contractOf((await world.ask('GET', '/api/')).body);
const isOpen = ({ security }: Operation) =>
  security.length === 0 || security.some((one) => Object.keys(one).length === 0);
const guarded = contract.operations.filter((operation) => !isOpen(operation));

const bodies = suite('rights that end while the body is on its way');

for (const operation of guarded.filter(({ body }) => body !== undefined))
  bodies(`${operation.method} ${operation.path}`, async () => {
    let tried = 0;
    for (const [who, ends] of Object.entries(callers)) {
      if (!(await isLetIn(operation, who))) continue;
      for (const way of ends) {
        const before = kept();
        let taken: readonly Change[] = [];
        const status = await dribble(operation, who, exampleOf(operation), async () => {
          taken = await take(way, who);
        });
        const now = kept();
        await giveBack(taken);
        if (ofEverybody.has(way) && ![401, 403, 404].includes(status)) {
          assert.ok(!(await needsRole(operation, way)), `${who}: ${way}, and the answer is ${status}`);
          await undo(before);
          continue;
        }
        assert.ok([401, 403, 404].includes(status), `${who}: ${way}, and the answer is ${status}`);
        assert.equal(now, withChanges(before, taken), `${who}: ${way}, and something was changed`);
        tried += 1;
      }
    }
    assert.ok(tried > 0, 'nobody was let in');
  });

bodies.run();

const waiting = suite('rights that end while a request waits');

/** What takes long, and where it waits here. */
const long: readonly (readonly [method: 'GET' | 'POST', path: string])[] = [
  ['GET', '/api/v1/admin/config/plan'],
  ['POST', '/api/v1/admin/config/reconcile'],
  ['POST', '/api/v1/admin/config/reconcile?dryRun=true'],
  ['GET', '/api/v1/instances/core-1/logs'],
  ['GET', '/api/v1/instances/core-1/files'],
  ['GET', '/api/v1/instances/core-1/resources'],
  ['GET', '/api/v1/teams/core/bill-of-materials'],
  ['GET', '/api/v1/snapshots/core-s/compare'],
  ['POST', '/api/v1/instances/core-1/snapshots'],
  ['POST', '/api/v1/instances/core-1/snapshots?dryRun=true'],
];

for (const [method, path] of long)
  waiting(`${method} ${path}`, async () => {
    const member = path.includes('/admin/') ? 'ann by session' : 'olga by session';
    for (const who of ['ann by token', member])
      for (const way of callers[who] ?? []) await takeWhileItWaits(method, path, who, way);
  });

async function takeWhileItWaits(method: 'GET' | 'POST', url: string, who: string, way: Way): Promise<void> {
  const before = kept();
  const [reached, open] = hold();
  const isSnapshot = method === 'POST' && url.includes('/snapshots');
  const sent = isSnapshot ? { payload: '{"name":"x"}' } : {};
  const headers = { ...(await headersOf(who)), ...(isSnapshot ? { 'content-type': 'application/json' } : {}) };
  const answer = world.app.inject({ method, url, headers, ...sent });
  await reached;
  const taken = await take(way, who);
  open();
  const { statusCode } = await answer;
  const now = kept();
  await giveBack(taken);
  assert.ok([401, 403, 404].includes(statusCode), `${who}: ${way}, and the answer is ${statusCode}`);
  assert.equal(now, withChanges(before, taken), `${who}: ${way}, and something was changed`);
}

waiting('GET /api/v1/device, for a device whose token is replaced', async () => {
  const headers = await headersOf('the device');
  const { headers: known } = await world.app.inject({ url: '/api/v1/device', headers });
  const asking = { ...headers, 'if-none-match': String(known.etag) };
  const answer = world.app.inject({ url: '/api/v1/device?wait=30', headers: asking });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const taken = await take('the device gets another token', 'the device');
  assert.is((await answer).statusCode, 401);
  await giveBack(taken);
});

waiting('a key that made something tells nothing to whom the right was taken', async () => {
  const headers = { ...(await headersOf('olga by token')), 'content-type': 'application/json', 'idempotency-key': 'k' };
  const again = () =>
    world.app.inject({
      method: 'POST',
      url: '/api/v1/teams/core/device-groups',
      headers,
      payload: '{"name":"Hall K"}',
    });
  assert.is((await again()).statusCode, 201);
  const operation = guarded.find(({ id }) => id === 'createDeviceGroup');
  assert.ok(operation);
  let taken: readonly Change[] = [];
  const status = await dribble(
    operation,
    'olga by token',
    { name: 'Hall K' },
    async () => {
      taken = await take('the role is lowered', 'olga by token');
    },
    { 'idempotency-key': 'k' },
  );
  await giveBack(taken);
  assert.is(status, 403);
});

waiting.after(() => world.close());
waiting.run();

/** Whether a right that ends by this way is one that the operation asks for: with it gone from the beginning nothing is answered either. */
async function needsRole(operation: Operation, way: Way): Promise<boolean> {
  const who = way === 'the flag is taken' ? 'ann by session' : 'olga by session';
  const taken = await take(way, who);
  const isIn = await isLetIn(operation, who);
  await giveBack(taken);
  return !isIn;
}

/** Whether what fits nothing comes as far as being looked at. */
async function isLetIn(operation: Operation, who: string): Promise<boolean> {
  const status = await dribble(operation, who, { colour: 'red' }, async () => {});
  return ![401, 403, 404].includes(status);
}

function exampleOf({ raw }: Operation): unknown {
  return raw.requestBody.content['application/json'].example ?? {};
}

async function dribble(
  { method, path }: Operation,
  who: string,
  body: unknown,
  happens: () => Promise<void>,
  more: Readonly<Record<string, string>> = {},
): Promise<number> {
  const text = JSON.stringify(body);
  const pieces = async function* () {
    yield text.slice(0, 1);
    await happens();
    yield text.slice(1);
  };
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => inPlaceOf(path, name)[0] ?? '');
  const headers = { 'content-type': 'application/json', ...(await headersOf(who)), ...more };
  return (await world.app.inject({ method, url, headers, payload: Readable.from(pieces()) })).statusCode;
}

async function headersOf(who: string): Promise<Readonly<Record<string, string>>> {
  if (who.endsWith('by session')) return world.signedIn(who.split(' ')[0] ?? '');
  const tokens: Readonly<Record<string, string | undefined>> = {
    'ann by token': world.tokens.admin,
    'ann by plan token': world.tokens.plan,
    'olga by token': world.tokens.owner,
    'the device': world.tokens.device,
    'a machine': world.tokens.provisioning,
  };
  return { authorization: `Bearer ${tokens[who]}` };
}

/** Lets what is asked of drivers and the reconciler wait: until something does, and until it is let go. */
function hold(): readonly [reached: Promise<void>, open: () => void] {
  const [reached, waits] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  onReach = reached.resolve;
  gate = waits.promise;
  return [reached.promise, waits.resolve];
}

/** As the reconciler, a sign-in or another admin would: nothing but the change itself. */
async function take(way: Way, who: string): Promise<readonly Change[]> {
  const taking = ways[way];
  const changes = taking(world.store.read(), who.split(' ')[0] ?? '');
  assert.ok(changes.length > 0, `nothing to take by: ${way}`);
  await world.store.commit(() => ({ changes }), { id: newId() });
  return changes;
}

async function giveBack(changes: readonly Change[]): Promise<void> {
  const back = changes.map(({ kind, id, before, after }) => ({ kind, id, before: after, after: before }) as Change);
  await world.store.commit(() => ({ changes: back }), { id: newId() });
}

type Kept = ReadonlyMap<string, Resource>;

function kept(): Kept {
  const view = world.store.read();
  const all = kindNames.flatMap((kind) => [...view.all(kind)] as Resource[]);
  // Signing in is how a test asks.
  return new Map(all.filter(({ kind }) => kind !== 'Session').map((one) => [`${one.kind}/${one.id}`, one]));
}

function withChanges(state: Kept, changes: readonly Change[]): Kept {
  const all = new Map(state);
  for (const { kind, id, after } of changes) {
    if (kind === 'Session') continue;
    if (after) all.set(`${kind}/${id}`, after);
    else all.delete(`${kind}/${id}`);
  }
  return all;
}

/** What an operation that was allowed has done. */
async function undo(before: Kept): Promise<void> {
  const now = kept();
  const changes: Change[] = [];
  for (const [key, one] of now) {
    const old = before.get(key);
    if (!old) changes.push(deleted(one));
    else if (old !== one) changes.push(updated(one, old));
  }
  for (const [key, one] of before) if (!now.has(key)) changes.push(created(one));
  if (changes.length > 0) await world.store.commit(() => ({ changes }), { id: newId() });
}

function changed(resource: Resource | undefined, spec: object): Change {
  assert.ok(resource);
  return updated(resource, { ...resource, spec: { ...resource.spec, ...spec } } as Resource);
}

function gone(resource: Resource | undefined): Change {
  assert.ok(resource);
  return deleted(resource);
}
