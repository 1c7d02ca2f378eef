// What users change of themselves, and admins of users: pure, no more than was given, and nothing that others could abuse.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Change } from '../../../src/core/model/change.ts';
import type { Proposal } from '../../../src/core/model/proposal.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import { changePassword } from '../../../src/core/proposals/change-password.ts';
import { createToken, mostTokens } from '../../../src/core/proposals/create-token.ts';
import { countWrongPassword } from '../../../src/core/proposals/current-password.ts';
import { Declined } from '../../../src/core/proposals/declined.ts';
import { deleteUser } from '../../../src/core/proposals/delete-user.ts';
import { revokeCredential } from '../../../src/core/proposals/revoke-credential.ts';
import { pendingEmail, updateSelf } from '../../../src/core/proposals/update-self.ts';
import { updateUser } from '../../../src/core/proposals/update-user.ts';
import { verifyEmail } from '../../../src/core/proposals/verify-email.ts';
import { check } from '../../../src/core/rules/index.ts';
import { noConsents } from '../../../src/core/rules/rule.ts';
import { withConsequences } from '../consequences/followed.ts';
import {
  type Accounts,
  accounts,
  after,
  hash,
  here,
  living,
  person,
  signedIn,
  sso,
  told,
  withEmail,
} from './accounts-world.ts';

const refusal = ({ state, at }: Accounts, proposal: Proposal, seconds = 0) => {
  try {
    proposal(state, at(seconds));
    return 'nothing';
  } catch (error) {
    assert.instance(error, Declined);
    return error instanceof Declined ? error.reason : '';
  }
};
const applyAll = ({ state, at }: Accounts, proposal: Proposal, seconds = 0): readonly Change[] => {
  const { changes } = withConsequences(state, proposal(state, at(seconds)));
  state.apply(changes);
  return changes;
};
const session = (user: string, id: string): Resource<'Session'> =>
  living('Session', id, {
    user,
    hash: hash(id),
    expiresAt: after(3600),
    idleHours: 1,
    lastSeenAt: after(0),
    address: '',
    agent: '',
  });
const token = (user: string, id: string): Resource<'Token'> => living('Token', id, { user, hash: hash(id) });
const bob = ({ state }: Accounts) => state.get('User', 'bob');
const self = (more: object) =>
  updateSelf({
    id: 'bob',
    linkHash: hash('c'),
    address: '192.0.2.7',
    session: 'here',
    verified: 'hash-of-bob',
    ...more,
  });

const own = suite('a user who changes themselves');

own('changes what is given, and counts as changed only where it is another', () => {
  const world = accounts(person('bob'));
  assert.equal(told(world.apply(self({ displayName: 'Bob' }))), ['~User/bob']);
  assert.equal(world.apply(self({ displayName: 'Bob', username: 'bob', email: 'bob@example.net' })), []);
  assert.equal([bob(world)?.generation, bob(world)?.spec.displayName], [2, 'Bob']);
  assert.is(refusal(world, self({ id: 'nobody' })), 'not_found');
  assert.is(refusal(world, self({ expected: () => false })), 'precondition_failed');
});

own('needs a session and the current password for a new address', () => {
  const world = accounts(person('bob'), here, withEmail);
  const email = 'new@example.net';
  assert.is(refusal(world, self({ email, session: undefined })), 'forbidden');
  assert.is(refusal(world, self({ email, verified: undefined })), 'conflict');
  assert.is(refusal(world, self({ email, verified: 'another hash' })), 'conflict');
  assert.is(refusal(accounts(person('bob', { passwordHash: undefined }), here), self({ email })), 'conflict');
  const locked = accounts(person('bob', { lockedUntil: after(60) }), here);
  assert.is(refusal(locked, self({ email })), 'forbidden');
});

own('gives a new address up when the session ends that asked for it', () => {
  const world = accounts(person('bob'), here, withEmail);
  world.apply(self({ email: 'new@example.net' }));
  applyAll(world, revokeCredential({ kind: 'Session', id: 'here' }));
  assert.is(pendingEmail(world.state, bob(world) ?? person('bob'), after(0)), undefined);
});

own('waits for the link to a new address, which ends the wait', () => {
  const world = accounts(person('bob'), here, withEmail);
  assert.equal(told(world.apply(self({ email: 'new@example.net' }))), ['+ActionToken']);
  assert.is(bob(world)?.spec.email, 'bob@example.net');
  const wanted = (seconds: number) => pendingEmail(world.state, bob(world) ?? person('bob'), after(seconds));
  assert.equal([wanted(0), wanted(86_400)], ['new@example.net', undefined]);
  applyAll(world, verifyEmail({ hash: hash('c'), address: '192.0.2.7', undoHash: hash('f'), by: signedIn }), 60);
  assert.equal(
    [bob(world)?.spec.email, bob(world)?.spec.emailVerified, wanted(60)],
    ['new@example.net', true, undefined],
  );
});

own('asks for one new address a minute, also by giving it up in between', () => {
  const world = accounts(person('bob'), withEmail);
  world.apply(self({ email: 'new@example.net' }));
  assert.is(refusal(world, self({ email: 'other@example.net' }), 59), 'conflict');
  assert.is(refusal(world, self({ email: 'bob@example.net' }), 59), 'conflict');
  assert.equal(told(world.apply(self({ email: 'bob@example.net' }), 60)), ['-ActionToken/id-0']);
  assert.equal(world.apply(self({ email: 'bob@example.net' }), 60), []);
});

own('is sent another link where the present address was never verified', () => {
  const world = accounts(person('bob', { emailVerified: false }), withEmail);
  assert.equal(told(world.apply(self({ email: 'bob@example.net' }))), ['+ActionToken']);
  assert.is(pendingEmail(world.state, bob(world) ?? person('bob'), after(0)), undefined);
});

own('has a new address at once where email is off, unless single sign-on would give it to somebody', () => {
  const world = accounts(person('bob'), sso('saml'), sso('ldap'));
  assert.is(refusal(world, self({ email: 'boss@corp.example' })), 'conflict');
  assert.is(refusal(world, self({ email: 'boss@DIR.example' })), 'conflict');
  assert.equal(told(world.apply(self({ email: 'new@example.net' }))), ['~User/bob']);
  assert.equal([bob(world)?.spec.email, bob(world)?.spec.emailVerified], ['new@example.net', false]);
});

own('has no new address of a domain with single sign-on, unless they are an admin', () => {
  const world = accounts(person('bob'), sso('saml'), withEmail);
  assert.is(refusal(world, self({ email: 'boss@corp.example' })), 'conflict');
  world.apply(updateUser({ id: 'bob', admin: true }));
  assert.equal(told(world.apply(self({ email: 'boss@corp.example' }))), ['+ActionToken']);
});

own('keeps the address that single sign-on knows, unless they are an admin', () => {
  const world = accounts(person('bob', { email: 'bob@corp.example' }), sso('saml'), withEmail);
  assert.is(refusal(world, self({ email: 'new@example.net' })), 'conflict');
  assert.equal(world.apply(self({ email: 'bob@corp.example' })), []);
  assert.equal(told(world.apply(self({ displayName: 'Bob' }))), ['~User/bob']);
  world.apply(updateUser({ id: 'bob', admin: true }));
  assert.equal(told(world.apply(self({ email: 'new@example.net' }))), ['+ActionToken']);
});

own('waits for an address that another user has as for any, so that nothing tells it, and never gets it', () => {
  const world = accounts(person('bob'), here, person('olga'), withEmail);
  const refused = (changes: readonly Change[]) => {
    const { after: then } = withConsequences(world.state, changes);
    const facts = { drivers: new Map(), certificateProblem: () => undefined };
    const found = check({ door: 'api', changes, before: world.state, after: then, consents: noConsents, facts });
    return found.map(({ rule }) => rule);
  };
  const asked = self({ email: 'olga@example.net' })(world.state, world.at(0));
  assert.ok('length' in asked);
  assert.equal([told(asked), refused(asked)], [['+ActionToken'], []]);
});

own('loses a change of address that waits when the password, or the address, is changed by then', () => {
  const asked = () => {
    const world = accounts(person('bob'), here, session('bob', 'a'), withEmail);
    world.apply(self({ email: 'thief@example.net' }));
    return world;
  };
  const change = { id: 'bob', verified: 'hash-of-bob', passwordHash: 'fresh', session: 'a', address: '192.0.2.7' };
  for (const proposal of [
    changePassword(change),
    updateUser({ id: 'bob', passwordHash: 'fresh' }),
    updateUser({ id: 'bob', email: 'safe@example.net' }),
    updateUser({ id: 'bob', suspended: true }),
  ]) {
    const world = asked();
    assert.ok(told(applyAll(world, proposal)).includes('-ActionToken/id-0'));
    assert.is(
      refusal(world, verifyEmail({ hash: hash('c'), address: '192.0.2.7', undoHash: hash('f'), by: signedIn })),
      'invalid_request',
    );
  }
  const renamed = asked();
  assert.equal(told(applyAll(renamed, updateUser({ id: 'bob', displayName: 'B', admin: true }))), ['~User/bob']);
});

own.run();

const password = suite('a change of password');
const change = { id: 'bob', verified: 'hash-of-bob', passwordHash: 'fresh', session: 'a', address: '192.0.2.7' };

password('ends the other sessions of the user alone', () => {
  const world = accounts(person('bob'), session('bob', 'a'), session('bob', 'b'), session('olga', 'c'));
  assert.equal(told(world.apply(changePassword(change))), ['~User/bob', '-Session/b']);
  assert.is(bob(world)?.spec.passwordHash, 'fresh');
});

password('is refused where the password is another one by now, there is none, or single sign-on knows it', () => {
  assert.is(refusal(accounts(person('bob', { passwordHash: 'other' })), changePassword(change)), 'conflict');
  const without = accounts(living('User', 'bob', { email: 'bob@example.net' }));
  assert.is(refusal(without, changePassword(change)), 'conflict');
  const bound = (admin: boolean) => accounts(person('bob', { email: 'bob@dir.example', admin }), sso('ldap'));
  assert.equal(
    [refusal(bound(false), changePassword(change)), refusal(bound(true), changePassword(change))],
    ['conflict', 'nothing'],
  );
});

password('takes none after five wrong ones, for a quarter of an hour', () => {
  const world = accounts(person('bob'), person('ann', { admin: true }));
  for (let count = 0; count < 5; count++) world.apply(countWrongPassword('bob', '192.0.2.7'));
  assert.is(refusal(world, changePassword(change), 899), 'forbidden');
  assert.equal(world.apply(countWrongPassword('bob', '192.0.2.7'), 899), [], 'a lock does not grow');
  assert.is(refusal(world, changePassword(change), 900), 'nothing');
  assert.equal(world.apply(countWrongPassword('nobody', '192.0.2.7')), []);
});

password.run();

const admins = suite('a user whom an admin changes');

admins('has what is given, a verified address, and after a new password no session but the kept one', () => {
  const locked = { failedSignIns: 0, lockedUntil: after(900), emailVerified: false };
  const world = accounts(person('bob', locked), session('bob', 'a'), session('bob', 'b'));
  const update = { id: 'bob', email: 'new@example.net', passwordHash: 'fresh', keptSession: 'b' };
  assert.equal(told(world.apply(updateUser(update))), ['~User/bob', '-Session/a']);
  const { email, emailVerified, lockedUntil, admin } = bob(world)?.spec ?? {};
  assert.equal([email, emailVerified, lockedUntil, admin], ['new@example.net', true, null, false]);
  assert.equal(world.apply(updateUser({ id: 'bob', username: undefined, admin: false })), []);
  assert.is(
    refusal(world, updateUser({ id: 'bob', expected: ({ generation }) => generation === 1 })),
    'precondition_failed',
  );
});

admins('does not become verified by being given the address that they have', () => {
  const world = accounts(person('bob', { emailVerified: false }));
  assert.equal(world.apply(updateUser({ id: 'bob', email: 'bob@example.net' })), []);
});

admins('is deleted with all that is theirs', () => {
  const world = accounts(person('bob'), session('bob', 'a'), token('bob', 'b'), token('olga', 'c'));
  assert.equal(told(applyAll(world, deleteUser({ id: 'bob' }))).sort(), ['-Session/a', '-Token/b', '-User/bob']);
  assert.is(refusal(world, deleteUser({ id: 'bob' })), 'not_found');
});

admins.run();

const credentials = suite('tokens and sessions');

credentials('are revoked by those whose they are, or by whoever may see all', () => {
  const world = accounts(person('bob'), token('bob', 'a'), session('bob', 'b'));
  const revoke = (more: object) => revokeCredential({ kind: 'Token', id: 'a', ...more });
  assert.is(refusal(world, revoke({ user: 'olga' })), 'not_found');
  assert.is(refusal(world, revoke({ id: 'b' })), 'not_found');
  assert.is(refusal(world, revoke({ expected: () => false })), 'precondition_failed');
  assert.equal(told(world.apply(revoke({ user: 'bob' }))), ['-Token/a']);
  assert.equal(told(world.apply(revokeCredential({ kind: 'Session', id: 'b' }))), ['-Session/b']);
});

credentials('are not more than a thousand tokens for anybody', () => {
  const world = accounts(person('bob'), person('olga'));
  const make = (user: string) => createToken({ name: 'ci', spec: { user, hash: hash('f') } });
  for (let count = 0; count < mostTokens; count++) world.apply(make('bob'));
  assert.is(refusal(world, make('bob')), 'conflict');
  assert.is(refusal(world, make('olga')), 'nothing');
});

credentials.run();
