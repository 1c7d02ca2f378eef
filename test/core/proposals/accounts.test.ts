// Proposals about users and tokens: pure, and no more than what they say.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Context, Proposal } from '../../../src/core/model/proposal.ts';
import { createState, type State } from '../../../src/core/model/state.ts';
import { createToken } from '../../../src/core/proposals/create-token.ts';
import { createUser, username } from '../../../src/core/proposals/create-user.ts';
import { deleteToken } from '../../../src/core/proposals/delete-token.ts';
import { noteUse } from '../../../src/core/proposals/note-use.ts';

const now = '2026-11-21T10:00:00.000Z';
let ids = 0;
const context: Context = { now, newId: () => `id-${ids++}`, actor: { kind: 'job' }, origin: 'api' };
const apply = (state: State, proposal: Proposal) => {
  const changes = proposal(state, context);
  state.apply(changes);
  return changes;
};

const users = suite('a new user');

users('has defaults, and an address in lower case', () => {
  const [change] = apply(createState(), createUser({ username: 'Ann', spec: { email: 'Ann@Example.COM' } }));
  assert.is(change?.after?.name, 'Ann');
  assert.equal(change?.after?.spec, {
    email: 'ann@example.com',
    emailVerified: false,
    displayName: '',
    admin: false,
    suspended: false,
    lastSignInAt: null,
    failedSignIns: 0,
    lockedUntil: null,
  });
});

users('cannot have a name that is no name, or could be an address', () => {
  for (const bad of ['', 'a@b', '-ann', 'ann-', 'a b', 'ä', 'x'.repeat(64), 'a/b', '..'])
    assert.not(username().safeParse(bad).success, bad);
  for (const good of ['a', 'ann', 'Ann.B_c-d', '0', 'x'.repeat(63)])
    assert.ok(username().safeParse(good).success, good);
  assert.throws(() => apply(createState(), createUser({ username: 'a@b', spec: { email: 'a@b.c' } })));
  assert.throws(() => apply(createState(), createUser({ username: 'ann', spec: { email: 'nonsense' } })));
});

users.run();

const tokens = suite('tokens');
const held = () => {
  const state = createState();
  apply(state, createUser({ username: 'ann', spec: { email: 'ann@example.com' } }));
  const [change] = apply(state, createToken({ name: 'ci', spec: { user: 'id', hash: 'b'.repeat(64) } }));
  return { state, id: change?.id ?? '' };
};

tokens('are found by their hash, and gone when deleted', () => {
  const { state, id } = held();
  assert.is(state.countHaving('Token', `hash=${'b'.repeat(64)}`), 1);
  apply(state, deleteToken(id));
  assert.is(state.countHaving('Token', `hash=${'b'.repeat(64)}`), 0);
  assert.equal(apply(state, deleteToken(id)), []);
});

tokens('are touched forwards only, and keep their generation', () => {
  const { state, id } = held();
  const touch = (at: string) =>
    apply(
      state,
      noteUse([
        { kind: 'Token', id, at },
        { kind: 'Token', id: 'gone', at },
      ]),
    ).length;
  assert.is(touch('2026-11-21T10:05:00.000Z'), 1);
  assert.is(touch('2026-11-21T10:04:00.000Z'), 0);
  assert.is(touch('2026-11-21T10:05:00.000Z'), 0);
  assert.equal(
    [state.get('Token', id)?.spec.lastUsedAt, state.get('Token', id)?.generation],
    ['2026-11-21T10:05:00.000Z', 1],
  );
});

tokens.run();
