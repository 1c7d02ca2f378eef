// Links in mails: one at a time, once, for a while; what they verify, and how they set a password anew.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Proposal } from '../../../src/core/model/proposal.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import { Declined } from '../../../src/core/proposals/declined.ts';
import { issueActionToken } from '../../../src/core/proposals/issue-action-token.ts';
import { requestPasswordReset } from '../../../src/core/proposals/request-password-reset.ts';
import { resetPasswordByLink } from '../../../src/core/proposals/reset-password-by-link.ts';
import { restoreEmail } from '../../../src/core/proposals/restore-email.ts';
import { updateUser } from '../../../src/core/proposals/update-user.ts';
import { verifyEmail } from '../../../src/core/proposals/verify-email.ts';
import { withConsequences } from '../consequences/followed.ts';
import {
  type Accounts,
  accounts,
  after,
  hash,
  here,
  living,
  person,
  settings,
  signedIn,
  sso,
  told,
  withEmail,
} from './accounts-world.ts';

const reasonOf = (world: Accounts, proposal: Proposal, seconds = 0) => {
  try {
    world.apply(proposal, seconds);
    return 'nothing';
  } catch (error) {
    assert.instance(error, Declined);
    return error instanceof Declined ? error.reason : '';
  }
};
/** Applies a proposal with what follows from it; answers what changed, in alphabetical order. */
const applyAll = ({ state, at }: Accounts, proposal: Proposal, seconds = 0) => {
  const { changes } = withConsequences(state, proposal(state, at(seconds)));
  state.apply(changes);
  return told(changes).sort();
};
const link = (purpose: 'verify-email' | 'reset-password', email: string, more: object = {}): Resource<'ActionToken'> =>
  living('ActionToken', purpose, {
    user: 'bob',
    purpose,
    email,
    hash: hash('b'),
    session: 'here',
    expiresAt: after(1800),
    ...more,
  });
const confirmed = (of: string) => verifyEmail({ hash: of, address: '192.0.2.7', undoHash: hash('f'), by: signedIn });

const issuing = suite('a link');

issuing('takes the place of the last one for the same purpose', () => {
  const world = accounts(person('bob'), link('reset-password', 'bob@example.net'));
  const verify = { user: 'bob', purpose: 'verify-email', email: 'new@example.net' } as const;
  assert.equal(told(world.apply(issueActionToken({ ...verify, hash: hash('c') }))), ['+ActionToken']);
  assert.equal(told(world.apply(issueActionToken({ ...verify, hash: hash('d') }), 60)), [
    '-ActionToken/id-0',
    '+ActionToken',
  ]);
  assert.is(world.state.count('ActionToken'), 2);
});

issuing('is not issued within a minute of the last one, nor to nobody', () => {
  const world = accounts(person('bob'));
  const reset = { user: 'bob', purpose: 'reset-password', email: 'bob@example.net', hash: hash('c') } as const;
  world.apply(issueActionToken(reset));
  assert.is(reasonOf(world, issueActionToken(reset), 59.9), 'conflict');
  assert.is(reasonOf(world, issueActionToken(reset), -3600), 'nothing', 'the clock was set back');
  assert.is(reasonOf(world, issueActionToken({ ...reset, user: 'nobody' })), 'not_found');
});

issuing.run();

const verifying = suite('verifying an address');

verifying('makes it verified, once', () => {
  const world = accounts(person('bob', { emailVerified: false }), link('verify-email', 'bob@example.net'));
  assert.equal(applyAll(world, confirmed(hash('b'))), ['-ActionToken/verify-email', '~User/bob']);
  assert.equal(
    [world.state.get('User', 'bob')?.spec.emailVerified, world.state.get('User', 'bob')?.generation],
    [true, 2],
  );
  assert.is(reasonOf(world, confirmed(hash('b'))), 'invalid_request');
});

verifying('makes a new address that of the user, and links to the old one worthless', () => {
  const reset = link('reset-password', 'bob@example.net', { hash: hash('c') });
  const world = accounts(person('bob'), here, link('verify-email', 'new@example.net'), reset);
  const gone = ['-ActionToken/reset-password', '-ActionToken/verify-email', '~User/bob'];
  assert.equal(applyAll(world, confirmed(hash('b'))), gone);
  assert.is(world.state.get('User', 'bob')?.spec.email, 'new@example.net');
});

verifying('is not done by a link that has expired, is for something else, or is not there', () => {
  const world = accounts(person('bob'), link('verify-email', 'bob@example.net'));
  assert.is(reasonOf(world, confirmed(hash('b')), 1800), 'invalid_request');
  assert.is(reasonOf(world, confirmed(hash('c'))), 'invalid_request');
  const other = accounts(person('bob'), link('reset-password', 'bob@example.net'));
  assert.is(reasonOf(other, confirmed(hash('b'))), 'invalid_request');
});

verifying('changes no address that single sign-on knows, and verifies one', () => {
  const email = 'bob@corp.example';
  const world = accounts(sso('saml'), here, person('bob', { email }), link('verify-email', 'bob@example.net'));
  assert.is(reasonOf(world, confirmed(hash('b'))), 'forbidden');
  const same = accounts(sso('saml'), person('bob', { email, emailVerified: false }), link('verify-email', email));
  assert.is(reasonOf(same, confirmed(hash('b'))), 'nothing');
});

verifying(
  'brings no account to a domain with single sign-on, whose people would be given it, but that of an admin',
  () => {
    const email = 'boss@corp.example';
    const world = (admin: boolean) =>
      accounts(sso('saml'), here, person('bob', { admin }), link('verify-email', email));
    assert.is(reasonOf(world(false), confirmed(hash('b'))), 'forbidden');
    assert.is(reasonOf(world(true), confirmed(hash('b'))), 'nothing');
  },
);

verifying('takes the password away that anybody may have registered with, where single sign-on says who it is', () => {
  const email = 'boss@corp.example';
  const hashAfter = (config: Resource<'SsoConfig'>, spec: object = {}) => {
    const world = accounts(
      config,
      person('bob', { email, emailVerified: false, ...spec }),
      link('verify-email', email),
    );
    applyAll(world, confirmed(hash('b')));
    const { spec: now, generation } = world.state.get('User', 'bob') ?? {};
    return [now?.emailVerified, now?.passwordHash, generation];
  };
  assert.equal(hashAfter(sso('saml')), [true, undefined, 2]);
  assert.equal(hashAfter(sso('saml', { active: false })), [true, 'hash-of-bob', 2]);
  assert.equal(hashAfter(sso('saml'), { lastSignInAt: after(0) }), [true, 'hash-of-bob', 2], 'whoever was in chose it');
  assert.equal(hashAfter(sso('saml'), { admin: true }), [true, 'hash-of-bob', 2], 'an admin may use it');
});

verifying('gives a new address to its owner alone, signed in, by the session that asked or another', () => {
  const there = { ...here, id: 'there', name: 'there', spec: { ...here.spec, hash: hash('d') } };
  const world = () => accounts(person('bob'), here, there, link('verify-email', 'new@example.net'), withEmail);
  const by = (who: { readonly user: string; readonly session: string } | undefined) =>
    verifyEmail({ hash: hash('b'), address: '192.0.2.7', undoHash: hash('f'), by: who });
  assert.is(reasonOf(world(), by(undefined)), 'unauthorized');
  assert.is(reasonOf(world(), by({ user: 'olga', session: 'x' })), 'forbidden');
  assert.equal(applyAll(world(), by({ user: 'bob', session: 'there' })), [
    '+ActionToken',
    '-ActionToken/verify-email',
    '-Session/here',
    '~User/bob',
  ]);
  const ended = accounts(person('bob'), there, link('verify-email', 'new@example.net'));
  assert.is(
    reasonOf(ended, by({ user: 'bob', session: 'there' })),
    'invalid_request',
    'the session that asked is gone',
  );
  const old = accounts(person('bob'), here, link('verify-email', 'new@example.net', { session: undefined }));
  assert.is(reasonOf(old, by(signedIn)), 'invalid_request', 'nobody knows what asked for it');
});

verifying.run();

const asking = suite('asking for a new password');
const offered = (...more: Resource[]) => accounts(withEmail, settings('passwordReset'), ...more);
const ask = (email: string) => requestPasswordReset({ email, hash: hash('c') });

asking('issues a link for half an hour', () => {
  const world = offered(person('bob'));
  assert.equal(told(world.apply(ask('bob@example.net'))), ['+ActionToken']);
  const [made] = world.state.all('ActionToken');
  assert.equal(
    [made?.spec.purpose, made?.spec.email, made?.spec.expiresAt],
    ['reset-password', 'bob@example.net', after(1800)],
  );
});

asking('changes nothing for nobody, who is suspended, who signs in elsewhere, and within a minute', () => {
  const email = 'dan@dir.example';
  const world = offered(sso('ldap'), person('bob'), person('eve', { suspended: true }), person('dan', { email }));
  for (const typed of ['nobody@example.net', 'eve@example.net', email]) assert.equal(world.apply(ask(typed)), []);
  world.apply(ask('bob@example.net'));
  assert.equal(world.apply(ask('bob@example.net'), 59), []);
  assert.equal(told(world.apply(ask('bob@example.net'), 60)).length, 2);
});

asking('serves an admin of a domain with single sign-on, who has a local password', () => {
  const world = offered(sso('saml'), person('ann', { email: 'ann@corp.example', admin: true }));
  assert.equal(told(world.apply(ask('ann@corp.example'))), ['+ActionToken']);
});

asking('is declined for everybody where the setting or email is off', () => {
  for (const world of [accounts(), accounts(withEmail), accounts(settings('passwordReset'))]) {
    world.put(person('bob'));
    for (const typed of ['bob@example.net', 'nobody@example.net']) assert.is(reasonOf(world, ask(typed)), 'forbidden');
  }
});

asking.run();

const resetting = suite('setting a password by a link');
const reset = (digit = 'b') => resetPasswordByLink({ hash: hash(digit), passwordHash: 'fresh' });
const session = (id: string, user: string) => {
  const own = { user, hash: hash('f'), idleHours: 1, address: '', agent: '' };
  return living('Session', id, { ...own, expiresAt: after(9999), lastSeenAt: after(0) });
};

resetting('signs out everywhere, unlocks, verifies the address, and works once', () => {
  const bob = person('bob', { emailVerified: false, lockedUntil: after(900), failedSignIns: 3 });
  const world = offered(bob, person('eve'), link('reset-password', 'bob@example.net'));
  world.put(session('s1', 'bob'), session('s2', 'bob'), session('s3', 'eve'));
  const changed = ['-ActionToken/reset-password', '-Session/s1', '-Session/s2', '~User/bob'];
  assert.equal(applyAll(world, reset(), 60), changed);
  const { passwordHash, emailVerified, lockedUntil, failedSignIns } = world.state.get('User', 'bob')?.spec ?? {};
  assert.equal([passwordHash, emailVerified, lockedUntil, failedSignIns], ['fresh', true, null, 0]);
  assert.is(reasonOf(world, reset(), 61), 'invalid_request');
});

resetting('is not done by a link that has expired or is for something else', () => {
  const world = offered(person('bob'), link('reset-password', 'bob@example.net'));
  assert.is(reasonOf(world, reset(), 1800), 'invalid_request');
  const other = offered(person('bob'), link('verify-email', 'bob@example.net'));
  assert.is(reasonOf(other, reset()), 'invalid_request');
});

resetting('is declined once the setting is off, or the user signs in elsewhere', () => {
  const off = accounts(withEmail, person('bob'), link('reset-password', 'bob@example.net'));
  assert.is(reasonOf(off, reset()), 'forbidden');
  const email = 'bob@corp.example';
  const moved = offered(sso('saml'), person('bob', { email }), link('reset-password', email));
  assert.is(reasonOf(moved, reset()), 'forbidden');
});

resetting.run();

const restoring = suite('taking an address back');

const undoing = (name: string, email: string, hashed: string, createdAt = after(0)) => ({
  ...living('ActionToken', name, {
    user: 'bob',
    purpose: 'restore-email',
    email,
    hash: hashed,
    expiresAt: after(259_200),
  }),
  createdAt,
});
const moved = (...more: readonly Resource[]) =>
  accounts(person('bob', { email: 'thief@example.org' }), here, undoing('undo', 'bob@example.net', hash('b')), ...more);
const back = restoreEmail({ hash: hash('b'), resetHash: hash('9') });

restoring('gives it to the user again, for 72 hours, and ends sessions and links', () => {
  const world = moved(withEmail, link('verify-email', 'next@example.org', { hash: hash('c') }));
  assert.is(reasonOf(moved(withEmail), back, 259_200), 'invalid_request');
  assert.equal(applyAll(world, back, 259_199), [
    '-ActionToken/undo',
    '-ActionToken/verify-email',
    '-Session/here',
    '~User/bob',
  ]);
  const { email, emailVerified, passwordHash } = world.state.get('User', 'bob')?.spec ?? {};
  assert.equal([email, emailVerified, passwordHash], ['bob@example.net', true, 'hash-of-bob']);
});

restoring('takes the password away that the thief knew, where a new one can be set by mail', () => {
  const world = moved(withEmail, settings('passwordReset'));
  assert.ok(applyAll(world, back).includes('+ActionToken'));
  assert.is(world.state.get('User', 'bob')?.spec.passwordHash, undefined);
});

restoring('goes back past addresses in between, and not on to them', () => {
  const later = undoing('later', 'thief@example.net', hash('d'), after(60));
  const world = moved(withEmail, later);
  const forth = restoreEmail({ hash: hash('d'), resetHash: hash('8') });
  applyAll(world, forth, 90);
  assert.is(world.state.get('User', 'bob')?.spec.email, 'thief@example.net');
  applyAll(world, back, 120);
  assert.is(world.state.get('User', 'bob')?.spec.email, 'bob@example.net');
  const owner = moved(withEmail, later);
  applyAll(owner, back, 90);
  assert.is(reasonOf(owner, forth, 120), 'invalid_request');
});

restoring('is not kept out by who registered with it meanwhile, nor by another password or address', () => {
  const squatter = person('eve', { email: 'bob@example.net', emailVerified: false });
  const world = moved(withEmail, squatter);
  assert.ok(applyAll(world, back).includes('-User/eve'));
  const changed = moved(withEmail);
  applyAll(changed, updateUser({ id: 'bob', passwordHash: 'thiefs', email: 'again@example.org' }));
  assert.is(reasonOf(changed, back), 'nothing');
});

restoring.run();
