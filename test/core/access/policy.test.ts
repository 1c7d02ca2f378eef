// The policy: who may do what, for each kind of caller.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { actorOf, anonymous, type Caller } from '../../../src/core/access/actor.ts';
import { type Action, decide, policy } from '../../../src/core/access/policy.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import { createState } from '../../../src/core/model/state.ts';

const times = { generation: 1, createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' } as const;
const user = (admin: boolean): Resource<'User'> => ({
  kind: 'User',
  id: 'u1',
  name: 'ann',
  spec: {
    email: 'ann@example.com',
    emailVerified: true,
    displayName: '',
    admin,
    suspended: false,
    lastSignInAt: null,
    failedSignIns: 0,
    lockedUntil: null,
  },
  ...times,
});
const token = (scope: 'full' | 'plan'): Resource<'Token'> => ({
  kind: 'Token',
  id: 't1',
  name: 'ci',
  spec: { user: 'u1', hash: 'a'.repeat(64), scope, expiresAt: null, lastUsedAt: null },
  ...times,
});
const by = (admin: boolean, scope: 'full' | 'plan'): Caller => ({
  kind: 'user',
  user: user(admin),
  by: 'token',
  token: token(scope),
});
const session = (admin: boolean): Caller => ({
  kind: 'user',
  user: user(admin),
  by: 'session',
  session: {
    kind: 'Session',
    id: 's1',
    name: 's1',
    spec: {
      user: 'u1',
      hash: 'b'.repeat(64),
      expiresAt: '2026-01-08T00:00:00.000Z',
      idleHours: 32,
      lastSeenAt: '2026-01-01T00:00:00.000Z',
      address: '192.0.2.1',
      agent: '',
    },
    ...times,
  },
});

const deciding = suite('the policy');
const actions = Object.keys(policy) as Action[];
const allowed = (caller: Caller) => actions.filter((action) => decide(action, caller, createState()) === 'allowed');

deciding('lets nobody unknown past the probes', () => {
  assert.equal(allowed(anonymous), ['probe']);
  for (const action of actions)
    if (action !== 'probe') assert.is(decide(action, anonymous, createState()), 'unauthorized', action);
});

deciding('lets an admin do everything, by session or token', () => {
  assert.equal(allowed(session(true)), actions);
  assert.equal(allowed(by(true, 'full')), actions);
});

deciding('lets any user read the catalogue and the description', () => {
  assert.equal(allowed(session(false)), ['probe', 'describe-api', 'read-catalogue']);
  assert.equal(allowed(by(false, 'full')), ['probe', 'describe-api', 'read-catalogue']);
});

deciding('lets a plan token see status and plans, and only where its user may', () => {
  assert.equal(allowed(by(true, 'plan')), ['probe', 'read-config-status', 'plan-config']);
  assert.equal(allowed(by(false, 'plan')), ['probe']);
});

deciding('names who acted', () => {
  assert.equal(actorOf(session(true)), { kind: 'user', id: 'u1', name: 'ann' });
  assert.equal(actorOf(by(true, 'full')), { kind: 'token', id: 't1', name: 'ann' });
});

deciding.run();
