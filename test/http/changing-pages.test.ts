// timeout: 300
// Every list, read page by page while things are made, deleted, renamed and moved in between: what stood all along comes once, and in one order.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mintSecret } from '../../src/auth/secret.ts';
import type { KindName } from '../../src/core/kinds/index.ts';
import { type Change, created, deleted, updated } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { newId } from '../../src/lib/id.ts';
import { contractOf } from './contract.ts';
import { startPopulated } from './populated.ts';
import { start } from './world.ts';

// biome-ignore lint/suspicious/noExplicitAny: items of every list are looked into.
type Item = any;

/** A list: what it holds, and what of it may be changed, so that an index of the store puts it elsewhere. */
interface List {
  readonly kind: KindName;
  /** The resource that others are made like. */
  readonly like: string;
  /** What makes another one differ, by its id. */
  readonly differs?: (id: string) => object;
  /** What is made with it. */
  readonly besides?: readonly ['User' | 'Team', like: string];
  /** A field that may name something else for a while. */
  readonly moves?: readonly [field: string, elsewhere: string];
  /** The id of an item, where it is that of something else. */
  readonly idOf?: (item: Item) => string | undefined;
  /** It is in the order of names: another name is another place. */
  readonly byName?: true;
}

const hash = () => ({ hash: mintSecret().hash });
const email = (id: string) => ({ email: `${id}@example.net`.toLowerCase() });
const declared = (kind: KindName, like: string, more: Partial<List> = {}): List => ({
  kind,
  like,
  byName: true,
  idOf: ({ name }) => name,
  ...more,
});
const teams: List = { kind: 'Team', like: 'core', moves: ['type', 'large'] };

/** By address. `like` and what a field moves to are ids, or names of what is declared. */
const lists: Readonly<Record<string, List>> = {
  '/api/v1/teams': teams,
  '/api/v1/teams?type=starter': teams,
  '/api/v1/user/teams': {
    kind: 'Membership',
    like: 'core-olga',
    besides: ['Team', 'core'],
    differs: (team) => ({ team, user: 'ann' }),
    idOf: ({ id }) => id,
  },
  '/api/v1/teams/core/members': {
    kind: 'Membership',
    like: 'core-max',
    besides: ['User', 'max'],
    differs: (user) => ({ user }),
    idOf: ({ user }) => user?.id,
  },
  '/api/v1/users': { kind: 'User', like: 'max', differs: email, moves: ['email', 'elsewhere@example.net'] },
  '/api/v1/admin/tokens': { kind: 'Token', like: 'bob-token', differs: hash },
  '/api/v1/user/tokens': { kind: 'Token', like: 'bob-token', differs: () => ({ ...hash(), user: 'ann' }) },
  '/api/v1/user/sessions': { kind: 'Session', like: '', differs: hash },
  '/api/v1/teams/core/devices': { kind: 'Device', like: 'core-device', differs: hash, moves: ['group', 'core-group'] },
  '/api/v1/teams/core/devices?group=gateways': {
    kind: 'Device',
    like: 'core-device',
    differs: () => ({ ...hash(), group: 'gateways' }),
    moves: ['group', 'core-group'],
  },
  '/api/v1/teams/core/device-groups': { kind: 'DeviceGroup', like: 'core-group' },
  '/api/v1/teams/core/provisioning-tokens': { kind: 'ProvisioningToken', like: 'core-machine', differs: hash },
  '/api/v1/instances/core-1/http-tokens': { kind: 'HttpToken', like: 'core-caller', differs: hash },
  '/api/v1/teams/core/instances': { kind: 'Instance', like: 'core-1', byName: true, moves: ['template', 'guarded'] },
  '/api/v1/teams/core/instances?sort=createdAt': { kind: 'Instance', like: 'core-1', moves: ['template', 'guarded'] },
  '/api/v1/instances/core-1/snapshots': { kind: 'Snapshot', like: 'core-s' },
  '/api/v1/devices/core-device/snapshots': { kind: 'Snapshot', like: 'device-s' },
  '/api/v1/teams/core/invitations': { kind: 'Invitation', like: 'core-asks', differs: hash },
  '/api/v1/admin/invitations': { kind: 'Invitation', like: 'core-asks', differs: hash },
  '/api/v1/user/invitations': {
    kind: 'Invitation',
    like: 'core-asks',
    // Some are to the user, some to their address.
    differs: (id) => ({ ...hash(), ...(id < 'V' ? { email: undefined, user: 'ann' } : { email: 'ann@example.net' }) }),
  },
  '/api/v1/stacks': declared('Stack', 'nr-4'),
  '/api/v1/instance-types': declared('InstanceType', 'small'),
  '/api/v1/team-types': declared('TeamType', 'starter'),
  '/api/v1/templates': declared('Template', 'plain'),
  '/api/v1/sso-configs': declared('SsoConfig', 'kept'),
};

/** In an order that nothing changes afterwards. */
const settled: Readonly<Record<string, string>> = {
  '/api/v1/admin/audit-log': 'records, by the ids that they were given in order',
  '/api/v1/teams/{id}/audit-log': 'records, by the ids that they were given in order',
  '/api/v1/admin/config/history': 'records, by the ids that they were given in order',
  '/api/v1/instances/{id}/timeline': 'records, by the ids that they were given in order',
  '/api/v1/instances/{id}/logs': 'lines, by the numbers that they were given in order',
  '/api/v1/instances/{id}/files': 'by path, which is what a file is',
  '/api/v1/teams/{id}/bill-of-materials': 'by what is in it, counted anew for each page',
};

const world = await startPopulated();
const contract = contractOf((await world.ask('GET', '/api/')).body);
await world.signedIn('ann');

const pages = suite('pages of a list that changes');
pages.after(world.close);

pages('are asked for of every list that there is', () => {
  const all = contract.operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'limit'));
  const asked = Object.keys(lists).map((url) =>
    url.replace(/\?.*/, '').replace(/\/(core-device|core-1|core)\//, '/{id}/'),
  );
  assert.equal([...new Set([...asked, ...Object.keys(settled)])].sort(), all.map(({ path }) => path).sort());
});

const step = fc.record({ what: fc.constantFrom('make', 'delete', 'rename', 'move'), at: fc.nat(100), tick: fc.nat(1) });
const between = fc.array(fc.array(step, { maxLength: 4 }), { minLength: 1, maxLength: 8 });
let seconds = 0;

for (const [url, list] of Object.entries(lists))
  pages(`${url} holds once what stood all along`, async () => {
    // Deleted after each run.
    const own = new Map<string, Resource>();
    await fc.assert(
      fc.asyncProperty(between, fc.integer({ min: 1, max: 3 }), async (rounds, limit) => {
        for (let many = 0; many < 7; many += 1) await make(list, own, many % 3);
        await move(list, [...own.values()][3]);
        await move(list, [...own.values()][1]);
        const always = new Set(await idsOf(url, list));
        const order = [...always];
        const seen = await readThrough(url, list, limit, async (round) => {
          for (const one of rounds[round] ?? []) await change(list, own, one, always);
        });
        assert.is(new Set(seen).size, seen.length, `twice: ${seen}`);
        for (const id of always) assert.ok(seen.includes(id), `skipped: ${id}`);
        assert.equal(
          seen.filter((id) => always.has(id)),
          order.filter((id) => always.has(id)),
        );
        await commit([...own.values()].map(deleted));
        own.clear();
      }),
      { numRuns: 12 },
    );
  });

pages.run();

/** What all pages hold; `between` is called after each but the last. */
async function readThrough(
  url: string,
  list: List,
  limit: number,
  between: (round: number) => Promise<void>,
): Promise<string[]> {
  const seen: string[] = [];
  for (let [cursor, round]: [string, number] = ['', 0]; ; round += 1) {
    const page = await ask(`${url}${url.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${cursor}`}`);
    seen.push(...itemsIn(page).map((item) => idIn(item, list)));
    cursor = page.meta.next_cursor ?? '';
    if (cursor === '') return seen;
    await between(round);
  }
}

async function change(
  list: List,
  own: Map<string, Resource>,
  { what, at, tick }: { what: string; at: number; tick: number },
  always: Set<string>,
) {
  const one = [...own.values()][at % Math.max(1, own.size)];
  if (what === 'make' || !one) return make(list, own, tick);
  if (what === 'move') return move(list, one);
  if (what === 'rename' && list.byName) return;
  const key = keyOf(list, one);
  if (what === 'delete') {
    always.delete(key);
    own.delete(one.id);
    return commit([deleted(one)]);
  }
  const renamed = { ...one, name: `renamed-${newId()}`.toLowerCase(), generation: one.generation + 1 };
  own.set(one.id, renamed);
  return commit([updated(one, renamed)]);
}

/** Away, and back again: it stands where it stood. */
async function move({ moves }: List, one: Resource | undefined): Promise<void> {
  if (!moves || !one) return;
  const [field, elsewhere] = moves;
  const view = world.store.read();
  const there = view.named('TeamType', elsewhere)?.id ?? view.named('Template', elsewhere)?.id ?? elsewhere;
  const moved = { ...one, spec: { ...one.spec, [field]: there } } as Resource;
  await commit([updated(one, moved)]);
  await commit([updated(moved, one)]);
}

async function make({ kind, like, differs, besides }: List, own: Map<string, Resource>, tick: number): Promise<void> {
  seconds += tick;
  const now = new Date(Date.parse(start) + seconds * 1000).toISOString();
  world.setNow(now);
  const view = world.store.read();
  const first = [...view.all(kind)][0];
  const source = view.get(kind, like) ?? view.named(kind, like) ?? first;
  if (!source) throw new Error(`there is no ${kind} to make another like`);
  const of = besides && view.get(...besides);
  const id = newId();
  const times = { createdAt: now, updatedAt: now, generation: 1 };
  const besidesId = newId();
  const changes: Change[] = of
    ? [
        created({
          ...of,
          ...times,
          id: besidesId,
          name: besidesId.toLowerCase(),
          spec: { ...of.spec, ...(of.kind === 'User' ? email(besidesId) : {}) },
        } as Resource),
      ]
    : [];
  const spec = { ...source.spec, ...differs?.(of ? besidesId : id) };
  const more = 'managedBy' in source ? { managedBy: 'api', sources: undefined, revision: undefined } : {};
  const made = { ...source, ...more, ...times, id, name: id.toLowerCase(), spec } as Resource;
  own.set(id, made);
  await commit([...changes, created(made)]);
}

async function commit(changes: readonly Change[]): Promise<void> {
  if (changes.length > 0) await world.store.commit(() => ({ changes: [...changes] }), { id: newId() });
}

async function ask(url: string) {
  const { status, body, text } = await world.ask('GET', url);
  assert.is(status, 200, text);
  return body;
}

async function idsOf(url: string, list: List): Promise<string[]> {
  return itemsIn(await ask(`${url}${url.includes('?') ? '&' : '?'}limit=1000`)).map((item) => idIn(item, list));
}

function itemsIn({ meta: _, count: __, ...rest }: Readonly<Record<string, unknown>>): Item[] {
  return Object.values(rest)[0] as Item[];
}

function idIn(item: Item, { idOf }: List): string {
  return (idOf ? idOf(item) : item['id']) ?? '';
}

/** What an item of the list is known by. */
function keyOf({ kind, idOf, besides }: List, one: Resource): string {
  if (kind === 'Membership') return String(Object(one.spec)[besides?.[0] === 'Team' ? 'team' : 'user']);
  return idOf ? one.name : one.id;
}
