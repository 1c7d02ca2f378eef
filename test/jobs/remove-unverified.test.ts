// The job that removes registrations which nobody verified: after seven days, with their team, and nothing that anybody uses.
import * as assert from 'uvu/assert';
import { auditEntryOf } from '../../src/control/audit.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { removeUnverifiedJob } from '../../src/jobs/remove-unverified.ts';
import { newId } from '../../src/lib/id.ts';
import { login, password, put, tokenIn, treeWith } from '../http/people.ts';
import { suiteInWorld } from '../http/suite-in-world.ts';
import { type ServerWorld, start, startWorld } from '../http/world.ts';

const job = suiteInWorld('the job remove-unverified', () =>
  startWorld(treeWith(['registration', 'personalTeamOnRegistration'])),
);

const weekMs = 7 * 86_400_000;
const later = (ms: number) => new Date(Date.parse(start) + ms).toISOString();
const facts = { drivers: new Map(), certificateProblem: () => undefined };

function runAt({ store, setNow }: ServerWorld, now: string, stop = new AbortController().signal): Promise<void> {
  setNow(now);
  return removeUnverifiedJob.run({ door: { store, facts: () => facts }, clock: () => now, newId }, stop);
}

const register = async ({ ask }: ServerWorld, username: string, email = `${username}@people.example`) => {
  const { status } = await ask('POST', '/account/register', { as: 'none', body: { username, email, password } });
  assert.is(status, 201);
};

const names = ({ store }: ServerWorld) => {
  const view = store.read();
  return [...view.all('User'), ...view.all('Team')].map(({ name }) => name);
};

/** The users and teams of the world that are there for other tests. */
const added = (world: ServerWorld, before: readonly string[]) => names(world).filter((name) => !before.includes(name));

job('removes one after seven days, with the team that was made for it, and not a tick before', async ({ world }) => {
  const before = names(world);
  await register(world, 'noa');
  assert.equal(added(world, before), ['noa', 'team-noa']);
  await runAt(world, later(weekMs - 1));
  assert.equal(added(world, before), ['noa', 'team-noa']);
  await runAt(world, later(weekMs));
  assert.equal(names(world), before);
  for (const kind of ['Membership', 'ActionToken'] as const)
    assert.not.ok([...world.store.read().all(kind)].some(({ createdAt }) => createdAt > start));
  await register(world, 'noa');
});

job('is told in the audit log, with the reason', async ({ world }) => {
  await register(world, 'noa');
  await runAt(world, later(weekMs));
  const entries = (await world.store.records({ stream: 'audit', limit: 100 })).map(auditEntryOf);
  const told = entries.filter(({ actor, event }) => actor.kind === 'job' && /^(?:user|team)\./.test(event));
  assert.equal(
    told.map(({ event, actor, target, reason }) => [event, actor.name, target.name, reason]).sort(),
    [
      ['team.deleted', 'remove-unverified', 'team-noa', 'it is empty, and its only member User/noa is deleted'],
      [
        'user.deleted',
        'remove-unverified',
        'noa',
        'somebody registered it, and did not verify its address within 7 days',
      ],
    ],
    JSON.stringify(told),
  );
});

job(
  'leaves one whose address is verified one tick before, also when the job had found it already',
  async ({ world }) => {
    await register(world, 'noa');
    await register(world, 'ivo');
    const verify = async (username: string) => {
      const token = tokenIn(world, `${username}@people.example`);
      return (await world.ask('POST', '/account/verify-email', { as: 'none', body: { token, password } })).status;
    };
    // The links of the registration ended after a day; a new one comes with a sign-in.
    world.setNow(later(weekMs - 60_000));
    await login(world, 'noa');
    await login(world, 'ivo');
    world.setNow(later(weekMs - 1));
    assert.is(await verify('noa'), 200);
    // Whoever verifies while the job is on its way is first in the store: the proposal looks again.
    const { commit } = world.store;
    let raced = false;
    const store = {
      ...world.store,
      commit: (async (...asked: Parameters<typeof commit>) => {
        if (!raced) {
          raced = true;
          assert.is(await verify('ivo'), 200);
        }
        return commit(...asked);
      }) as typeof commit,
    };
    await runAt({ ...world, store }, later(weekMs));
    assert.ok(raced, 'the job had found ivo');
    for (const name of ['noa', 'ivo']) assert.is((await login(world, name)).status, 200, name);
  },
);

job('takes accounts along whose address was that of somebody else', async ({ world }) => {
  await put(world.store, 'bea');
  const before = names(world);
  await register(world, 'noa', 'bea@people.example');
  assert.equal(added(world, before), ['noa', 'team-noa']);
  await runAt(world, later(weekMs));
  assert.equal(names(world), before);
});

job('leaves whoever an admin made, and whoever was in, verified or not', async ({ world }) => {
  const { status } = await world.ask('POST', '/api/v1/users', {
    body: { username: 'noa', email: 'noa@people.example', password },
  });
  assert.is(status, 201);
  await put(world.store, 'ivo', { emailVerified: false });
  await put(world.store, 'ida', { emailVerified: false, registered: true, lastSignInAt: start });
  const before = names(world);
  await runAt(world, later(100 * weekMs));
  assert.equal(names(world), before);
});

job('leaves what an admin made something of: a member, an admin, somebody who is shut out', async ({ world }) => {
  const change = (username: string, body: object) => world.ask('PUT', `/api/v1/users/${idOf(username)}`, { body });
  const idOf = (username: string) => world.store.read().named('User', username)?.id ?? '';
  for (const username of ['noa', 'ivo', 'ida', 'una']) await register(world, username);
  const headers = await world.signedIn('ann');
  const madeAdmin = await world.ask('PUT', `/api/v1/users/${idOf('noa')}`, {
    as: 'none',
    headers,
    body: { admin: true },
  });
  assert.is(madeAdmin.status, 200);
  assert.is((await change('ivo', { suspended: true })).status, 200);
  const inTeam = await world.ask('PUT', `/api/v1/teams/core/members/${idOf('ida')}`, { body: { role: 'viewer' } });
  assert.ok(inTeam.status < 300, inTeam.text);
  await runAt(world, later(weekMs));
  const left = [...world.store.read().all('User')].map(({ name }) => name);
  assert.equal(
    ['noa', 'ivo', 'ida', 'una'].filter((name) => left.includes(name)),
    ['noa', 'ivo', 'ida'],
  );
});

job('leaves the owner of an instance, of a device, and of a team that somebody else is in', async ({ world }) => {
  for (const username of ['noa', 'ivo', 'ida']) await register(world, username);
  const { store } = world;
  const view = store.read();
  const [noas, ivos, idas] = ['team-noa', 'team-ivo', 'team-ida'].map((name) => view.named('Team', name)?.id ?? '');
  await store.commit(() => ({ changes: [thing('Instance', noas), thing('Device', idas)].map(created) }), {
    id: newId(),
  });
  const member = await world.ask('PUT', `/api/v1/teams/${ivos}/members/bob`, { body: { role: 'member' } });
  assert.ok(member.status < 300, member.text);
  const before = names(world);
  await runAt(world, later(weekMs));
  assert.equal(names(world), before);
});

/** Something of a team, past every rule. */
function thing(kind: 'Instance' | 'Device', team: string | undefined): Resource {
  const spec = { team, hash: 'a'.repeat(64) } as never;
  return { kind, id: kind, name: kind, spec, generation: 1, createdAt: start, updatedAt: start };
}

job('takes a few at a time, and ends when it is to stop', async ({ world }) => {
  const { store } = world;
  const before = names(world);
  await put(store, 'noa', { emailVerified: false, registered: true });
  const noa = store.read().named('User', 'noa');
  assert.ok(noa);
  const many = Array.from({ length: 120 }, (_, n) => ({
    ...noa,
    id: `u${n}`,
    name: `u${n}`,
    spec: { ...noa.spec, email: `u${n}@people.example` },
  }));
  await store.commit(() => ({ changes: many.map(created) }), { id: newId() });
  const stop = new AbortController();
  const end = store.subscribe((entry) => {
    if (entry !== 'reset') assert.is(entry.changes.length, 50);
    stop.abort();
  });
  await runAt(world, later(weekMs), stop.signal);
  end();
  assert.is(added(world, before).length, 71);
  await runAt(world, later(weekMs));
  assert.equal(names(world), before);
});

job('writes nothing where nothing is left to remove', async ({ world }) => {
  const { position } = world.store.read();
  await runAt(world, later(100 * weekMs));
  assert.is(world.store.read().position, position);
});

job.run();
