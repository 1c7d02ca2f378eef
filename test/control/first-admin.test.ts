// The first admin, and a lost password, through the real door of an in-memory store.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { giveNewPassword, makeFirstAdmin, needsFirstAdmin } from '../../src/control/first-admin.ts';
import { Declined } from '../../src/core/proposals/declined.ts';
import { newId } from '../../src/lib/id.ts';
import { openMemoryStore } from '../../src/store/memory.ts';

const doorway = () => ({
  store: openMemoryStore({ rehearse: true }),
  facts: () => ({ drivers: new Map(), certificateProblem: () => undefined }),
  clock: () => '2026-11-21T10:00:00.000Z',
  newId,
});

const first = suite('the first admin');

first('is made with a token where there is no user', async () => {
  const door = doorway();
  assert.ok(needsFirstAdmin(door.store.read()));
  await makeFirstAdmin(door, {
    username: 'admin',
    passwordHash: 'phc',
    token: { name: 'bootstrap', hash: 'a'.repeat(64) },
  });
  const [user] = door.store.read().all('User');
  const [token] = door.store.read().all('Token');
  assert.equal(user?.spec, {
    email: 'admin@localhost',
    emailVerified: true,
    displayName: '',
    admin: true,
    suspended: false,
    passwordHash: 'phc',
    lastSignInAt: null,
    failedSignIns: 0,
    lockedUntil: null,
  });
  assert.equal(token?.spec, { user: user?.id, hash: 'a'.repeat(64), scope: 'full', expiresAt: null, lastUsedAt: null });
  assert.not(needsFirstAdmin(door.store.read()));
});

first('is refused where there is one, and nothing changes', async () => {
  const door = doorway();
  await makeFirstAdmin(door, { username: 'admin', email: 'Ann@Example.com', passwordHash: 'phc' });
  try {
    await makeFirstAdmin(door, { username: 'other', passwordHash: 'phc' });
    assert.unreachable();
  } catch (error) {
    assert.instance(error, Declined);
    assert.match((error as Error).message, /the store has a user already/);
  }
  assert.equal(
    [...door.store.read().all('User')].map(({ name, spec }) => [name, spec.email]),
    [['admin', 'ann@example.com']],
  );
});

first.run();

const lost = suite('a lost password');

lost('is replaced, whatever the case of the name', async () => {
  const door = doorway();
  await makeFirstAdmin(door, { username: 'admin', passwordHash: 'old' });
  await giveNewPassword(door, { username: 'ADMIN', passwordHash: 'new' });
  assert.is(door.store.read().named('User', 'admin')?.spec.passwordHash, 'new');
  assert.is(door.store.read().named('User', 'admin')?.generation, 2);
});

lost('of somebody unknown is refused, with the name that may have been meant', async () => {
  const door = doorway();
  await makeFirstAdmin(door, { username: 'admin', passwordHash: 'old' });
  try {
    await giveNewPassword(door, { username: 'amdin', passwordHash: 'new' });
    assert.unreachable();
  } catch (error) {
    assert.instance(error, Declined);
    assert.match((error as Error).message, /no user of that name \(did you mean "admin"\?\)/);
  }
});

lost.run();
