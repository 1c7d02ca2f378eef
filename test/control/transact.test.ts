// timeout: 400
// One transaction: what a plan shows, with all that goes with it, is what a commit keeps, through every door.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { applySaved, keep } from '../../src/control/reconcile.ts';
import { transact } from '../../src/control/transact.ts';
import { created, deleted } from '../../src/core/model/change.ts';
import type { PlanDocument } from '../../src/core/plan/plan-document.ts';
import { fieldsOf } from '../../src/core/plan/plan-fields.ts';
import type { Entry } from '../../src/store/store.ts';
import { facts, living, newWorld, planOf, put, record, type World, write } from './world.ts';

const hash = (letter: string) => letter.repeat(64);

interface Wanted {
  /** Whether the statistics are open to tokens. */
  readonly open: boolean;
  /** The domain that signs in elsewhere; nothing for none. */
  readonly domain: 'corp.example' | 'folk.example' | undefined;
  readonly stacks: readonly string[];
}

function filesOf({ open, domain, stacks }: Wanted) {
  const ldap = 'ldap: {server: "ldap:389", username: x, password: {fromEnv: WEIR_SECRET_X}, baseDn: dc=x}';
  return {
    'weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {licence: enterprise}\n',
    'settings.yaml': `kind: AdminSettings\nmetadata: {name: default}\nspec: {statisticsTokenAccess: ${open}}\n`,
    ...(domain && {
      'sso.yaml': `kind: SsoConfig\nmetadata: {name: sso}\nspec: {emailDomain: ${domain}, provider: ldap, active: true, ${ldap}}\n`,
    }),
    ...Object.fromEntries(
      stacks.map((name) => [`${name}.yaml`, `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "4"}\n`]),
    ),
  };
}

const wanted: fc.Arbitrary<Wanted> = fc.record({
  open: fc.boolean(),
  domain: fc.constantFrom(undefined, 'corp.example', 'folk.example'),
  stacks: fc.subarray(['a', 'b', 'c']),
});

/** Users of two domains with sessions, and a token for the statistics. */
async function people(world: World): Promise<void> {
  const users = ['ann@corp.example', 'bob@corp.example', 'eve@folk.example'].map((email) =>
    living('User', email.slice(0, 3), { email, emailVerified: true, displayName: '' }),
  );
  await put(
    world,
    ...users,
    ...users.map(({ id, name }) => sessionOf(id, name)),
    living('StatisticsToken', 'statistics', { hash: hash('e') }),
  );
}

function sessionOf(user: string, name: string) {
  const at = '2026-01-01T00:00:00.000Z';
  const spec = { user, hash: hash('a'), expiresAt: '2027-01-01T00:00:00.000Z', idleHours: 1, lastSeenAt: at };
  return living('Session', `${name}-session`, { ...spec, address: '', agent: '' });
}

/** What a plan shows, by address, but nothing of what it leaves as it is. */
function shownIn({ changes, consequences, adopted = [] }: PlanDocument): string[] {
  return [...changes, ...consequences, ...adopted].map(({ address }) => address).sort();
}

/** What the entries of a store changed, but for bookkeeping. */
function keptIn(entries: readonly Entry[]): string[] {
  const changes = entries.flatMap((entry) => entry.changes);
  const seen = changes.filter(({ before, after }) => !before || !after || fieldsOf(before, after).length > 0);
  return seen.map(({ kind, before, after }) => `${kind}/${(after ?? before)?.name}`).sort();
}

async function entriesOf(world: World, work: () => Promise<unknown>): Promise<Entry[]> {
  const entries: Entry[] = [];
  const unsubscribe = world.store.subscribe((entry) => {
    if (entry !== 'reset') entries.push(entry);
  });
  await work();
  unsubscribe();
  return entries;
}

/** A world to which a tree was applied before people came. */
async function worldWith(first: Wanted): Promise<World> {
  const world = newWorld();
  const prepared = await planOf(world, filesOf({ ...first, domain: undefined, open: true }), { adopt: new Set() });
  await keep(world.store, prepared, record(world));
  await people(world);
  return world;
}

const everyDelete = (document: PlanDocument) => ({ adopt: new Set<string>(), allowDeletes: document.summary.delete });

/** The plan of a tree, with consent to what it deletes. */
async function consented(world: World, files: ReturnType<typeof filesOf>) {
  const looked = await planOf(world, files, { adopt: new Set(), allowDeletes: -1 });
  const deletions = looked.plan.planned.filter(({ change }) => !change.after).length;
  const consents =
    deletions === 0 ? { adopt: new Set<string>() } : { adopt: new Set<string>(), allowDeletes: deletions };
  return planOf(world, files, consents);
}

const doors = suite('one transaction');

doors('shows the keys that the reconciler then keeps, also where others write meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(wanted, wanted, fc.boolean(), async (first, second, meanwhile) => {
      const world = await worldWith(first);
      const prepared = await consented(world, filesOf(second));
      if (meanwhile) {
        const late = living('User', 'max', { email: 'max@corp.example', emailVerified: true, displayName: '' });
        await put(world, late, sessionOf(late.id, 'max'));
      }
      assert.not.ok(prepared.blocked, prepared.document.findings.map(({ message }) => message).join('\n'));
      let done: PlanDocument | undefined;
      const entries = await entriesOf(world, async () => {
        done = await keep(world.store, prepared, record(world));
      });
      assert.ok(done);
      assert.equal(keptIn(entries), shownIn(done));
      if (!meanwhile) assert.equal(shownIn(done), shownIn(prepared.document));
      const { tokens, sessions } = Object.fromEntries(
        (['tokens', 'sessions'] as const).map((noun) => [
          noun,
          (done?.changes ?? []).reduce((sum, { affects }) => sum + (affects[noun] ?? 0), 0),
        ]),
      );
      const ended = (kind: string) =>
        entries.flatMap(({ changes }) => changes).filter((change) => change.kind === kind).length;
      assert.equal([tokens, sessions], [ended('StatisticsToken'), ended('Session')]);
    }),
    { numRuns: 60 },
  );
});

doors('shows the keys that a saved plan then keeps', async () => {
  await fc.assert(
    fc.asyncProperty(wanted, wanted, async (first, second) => {
      const world = await worldWith(first);
      const { document } = await consented(world, filesOf(second));
      const saved = JSON.parse(JSON.stringify(document)) as PlanDocument;
      const options = { context: world.context('config'), facts, record: () => record(world) };
      let done: PlanDocument | undefined;
      const entries = await entriesOf(world, async () => {
        const consents = saved.summary.delete > 0 ? { consents: everyDelete(saved) } : {};
        done = (await applySaved(world.store, saved, { ...options, ...consents })).plan;
      });
      assert.ok(done);
      assert.equal(keptIn(entries), shownIn(document));
      assert.equal(shownIn(done), shownIn(document));
    }),
    { numRuns: 40 },
  );
});

doors('plans the end of the statistics token with its switch', async () => {
  const world = await worldWith({ open: true, domain: undefined, stacks: [] });
  const { document } = await planOf(world, filesOf({ open: false, domain: undefined, stacks: [] }));
  assert.equal(document.consequences, [
    { address: 'StatisticsToken/statistics', action: 'delete', reason: 'statisticsTokenAccess is off' },
  ]);
  assert.equal(
    document.changes.map(({ address, affects }) => [address, affects]),
    [['AdminSettings/default', { tokens: 1 }]],
  );
});

doors('plans the end of the sessions of a domain that signs in elsewhere', async () => {
  const world = await worldWith({ open: true, domain: undefined, stacks: [] });
  const { document } = await planOf(world, filesOf({ open: true, domain: 'corp.example', stacks: [] }));
  assert.equal(
    document.changes.map(({ address, affects }) => [address, affects]),
    [['SsoConfig/sso', { sessions: 2 }]],
  );
  assert.equal(
    document.consequences.map(({ address, reason }) => `${address}: ${reason}`),
    ['ann', 'bob'].map((name) => `Session/${name}-session: corp.example signs in through SsoConfig/sso now`),
  );
});

doors('asks every rule of what follows, too', async () => {
  const world = newWorld();
  const team = living('Team', 'core', { displayName: 'Core', type: 'starter' });
  const owner = living('User', 'ann', { email: 'ann@corp.example', emailVerified: true, displayName: '', admin: true });
  const other = living('User', 'eve', { email: 'eve@corp.example', emailVerified: true, displayName: '', admin: true });
  const membership = living('Membership', 'core-ann', { team: team.id, user: owner.id, role: 'owner' });
  await put(world, team, owner, other, membership);
  const tried = transact(world.store.read(), () => [deleted(owner)], world.context('api'), { facts });
  assert.equal(
    tried.violations.map(({ rule }) => rule),
    ['last-owner'],
  );
  assert.equal(await write(world, () => [deleted(owner)]), [
    'last-owner Team/core: cannot be without an owner, because User/ann is its only owner: make another member an owner first',
  ]);
});

doors('knows each resource once, whatever follows from it', () => {
  const world = newWorld();
  const user = living('User', 'ann', { email: 'ann@corp.example', emailVerified: true, displayName: '', admin: false });
  const session = sessionOf(user.id, 'ann');
  const state = world.store.read();
  const tried = transact(state, () => [created(user), created(session)], world.context('api'), { facts });
  assert.equal(tried.consequences, []);
  assert.is(tried.changes, tried.proposed);
});

doors.run();
