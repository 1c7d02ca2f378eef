// Signing in: who is let in, what is counted, and what is told to nobody.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isLocked } from '../../../src/core/proposals/failed-sign-in.ts';
import { judgeSignIn, type SignInAttempt, type SignInVerdict } from '../../../src/core/proposals/sign-in.ts';
import { type Accounts, accounts, after, declared, hash, living, person, sso, told } from './accounts-world.ts';

/** Tries the right password, or a wrong one, and keeps what comes of it. */
function attempt(
  { state, at }: Accounts,
  typed: string,
  { right = true, seconds = 0, ...more }: Partial<SignInAttempt> & { readonly seconds?: number } = {},
): SignInVerdict {
  const user = [...state.all('User')].find(({ name, spec }) => name === typed || spec.email === typed);
  const known = user ? { user: user.id, compared: user.spec.passwordHash ?? '' } : {};
  const session = { hash: hash('a'), address: home, agent: 'test' };
  const verdict = judgeSignIn({ typed, right, session, ...known, ...more }, state, at(seconds));
  state.apply(verdict.changes);
  return verdict;
}

const home = '192.0.2.7';

/** What is counted for a network, and for all that are strange. */
const counters = ({ state }: Accounts, id: string, network = home) => {
  const { failedSignIns = 0, lockedUntil = null, signInNetworks = [] } = state.get('User', id)?.spec ?? {};
  const here = signInNetworks.find((one) => one.network === network);
  return { here: [here?.failed ?? 0, here?.lockedUntil ?? null], strange: [failedSignIns, lockedUntil] };
};

const none = [0, null];
const at = (address: string) => ({ session: { hash: hash('a'), address, agent: 'test' } });

/** Another admin, so that nobody is the last. */
const admin = person('root', { admin: true });

const right = suite('a right password');

right('makes a session as long as the Platform says, and forgives wrong passwords', () => {
  const platform = declared('Platform', 'platform', { sessions: { expiryHours: 2, idleHours: 1 } });
  const world = accounts(admin, platform, person('bob', { failedSignIns: 4 }));
  const { outcome, changes } = attempt(world, 'bob', { seconds: 60 });
  assert.is(outcome, 'signed-in');
  assert.equal(told(changes), ['~User/bob', '+Session']);
  const [session] = world.state.all('Session');
  assert.equal(session?.spec, {
    user: 'bob',
    hash: hash('a'),
    expiresAt: after(60 + 2 * 3600),
    idleHours: 1,
    lastSeenAt: after(60),
    address: '192.0.2.7',
    agent: 'test',
  });
  assert.is(world.state.get('User', 'bob')?.spec.lastSignInAt, after(60));
  assert.is(world.state.get('User', 'bob')?.generation, 1, 'nobody changed the user');
  assert.equal(counters(world, 'bob'), { here: none, strange: none });
});

right('serves for the address as for the username', () => {
  assert.is(attempt(accounts(admin, person('bob')), 'bob@example.net').outcome, 'signed-in');
});

right('ends the session that the browser had, whoever it belonged to', () => {
  const world = accounts(admin, person('bob'), person('eve'), session('old', 'eve', 0));
  const fresh = { hash: hash('a'), address: '', agent: '', replaced: 'old' };
  const { changes } = attempt(world, 'bob', { session: fresh });
  assert.equal(told(changes), ['~User/bob', '-Session/old', '+Session']);
});

right('ends the oldest of a hundred sessions, and no other', () => {
  const world = accounts(admin, person('bob'));
  for (let n = 1; n <= 100; n += 1) world.put(session(`s${n}`, 'bob', n));
  assert.equal(told(attempt(world, 'bob').changes), ['~User/bob', '-Session/s1', '+Session']);
  assert.is(world.state.count('Session'), 100);
});

right('does not count when the password was changed while it was compared', () => {
  const world = accounts(admin, person('bob'));
  const verdict = attempt(world, 'bob', { user: 'bob', compared: 'another hash' });
  assert.is(verdict.outcome, 'refused');
  assert.equal(counters(world, 'bob'), { here: [1, null], strange: [1, null] });
});

right('is no way in for who is suspended, who is gone, and who has no password', () => {
  const world = accounts(admin, person('bob', { suspended: true }), person('sam', { passwordHash: undefined }));
  assert.equal(attempt(world, 'bob'), { outcome: 'refused', changes: [] });
  assert.equal(attempt(world, 'nobody'), { outcome: 'refused', changes: [] });
  assert.equal(attempt(world, 'bob', { user: 'deleted' }), { outcome: 'refused', changes: [] });
  assert.is(attempt(world, 'sam', { compared: '' }).outcome, 'refused');
  assert.is(world.state.count('Session'), 0);
});

right.run();

const wrong = suite('wrong passwords');

wrong('lock at the fifth, for 15 minutes, against the right one too', () => {
  const world = accounts(admin, person('bob'));
  for (let n = 1; n <= 4; n += 1) {
    attempt(world, 'bob', { right: false });
    assert.equal(counters(world, 'bob'), { here: [n, null], strange: [n, null] });
  }
  attempt(world, 'bob', { right: false, seconds: 10 });
  assert.equal(counters(world, 'bob'), { here: [0, after(910)], strange: [5, null] });
  assert.equal(attempt(world, 'bob', { seconds: 11 }), { outcome: 'refused', changes: [] });
  assert.equal(attempt(world, 'bob', { right: false, seconds: 909.999 }), { outcome: 'refused', changes: [] });
  assert.is(attempt(world, 'bob', { seconds: 910 }).outcome, 'signed-in');
  assert.equal(counters(world, 'bob'), { here: none, strange: none });
});

wrong('begin to count anew after the lock', () => {
  const world = accounts(admin, person('bob', { lockedUntil: after(60) }));
  attempt(world, 'bob', { right: false, seconds: 61 });
  assert.equal(counters(world, 'bob'), { here: [1, null], strange: [1, null] });
});

wrong('slow the last admin, twice as long each time, eight seconds at most', () => {
  const world = accounts(person('root', { admin: true }), person('off', { admin: true, suspended: true }));
  const fail = (seconds: number) => {
    attempt(world, 'root', { right: false, seconds });
    const [, until] = counters(world, 'root').here;
    return typeof until === 'string' ? (Date.parse(until) - Date.parse(after(seconds))) / 1000 : 0;
  };
  assert.equal([0, 0, 0, 0, 0].map(fail), [0, 0, 0, 0, 1]);
  assert.equal(attempt(world, 'root', { seconds: 0.5 }).outcome, 'refused', 'the right one waits too');
  assert.equal([10, 20, 30, 40, 50].map(fail), [2, 4, 8, 8, 8]);
  assert.is(attempt(world, 'root', { seconds: 58 }).outcome, 'signed-in');
  assert.equal(counters(world, 'root'), { here: none, strange: none });
});

wrong('lock an admin who is not the last', () => {
  const world = accounts(admin, person('ann', { admin: true }));
  for (let n = 1; n <= 5; n += 1) attempt(world, 'ann', { right: false });
  assert.equal(counters(world, 'ann').here, [0, after(900)]);
});

wrong('lock nobody for longer because the clock was set back', () => {
  const locked = person('bob', { lockedUntil: after(900) });
  assert.ok(isLocked(locked, home, after(0)));
  assert.not(isLocked(locked, home, after(-1)));
  const here = { network: home, known: true, failed: 0, lockedUntil: after(900) };
  const lockedHere = person('bob', { signInNetworks: [here] });
  assert.equal([isLocked(lockedHere, home, after(0)), isLocked(lockedHere, home, after(-1))], [true, false]);
});

wrong('lock the network that they came from, and no other, however often', () => {
  const world = accounts(admin, person('bob'));
  const stranger = at('198.51.100.1');
  for (let round = 0; round < 3; round += 1) {
    for (let n = 1; n <= 5; n += 1) attempt(world, 'bob', { right: false, seconds: round * 900, ...stranger });
    assert.is(attempt(world, 'bob', { seconds: round * 900 + 1, ...stranger }).outcome, 'refused');
    assert.is(attempt(world, 'bob', { seconds: round * 900 + 1 }).outcome, 'signed-in');
  }
  assert.equal(counters(world, 'bob').here, none);
});

wrong('from one /64 are from one network, however many addresses it has', () => {
  const world = accounts(admin, person('bob'));
  for (let n = 1; n <= 5; n += 1) attempt(world, 'bob', { right: false, ...at(`2001:db8:1:2::${n}`) });
  assert.is(attempt(world, 'bob', at('2001:db8:1:2:ffff::9')).outcome, 'refused');
  assert.is(attempt(world, 'bob', at('2001:db8:1:3::1')).outcome, 'signed-in');
});

wrong('from many networks slow all that the user never signed in from, and no other', () => {
  const world = accounts(admin, person('bob'));
  attempt(world, 'bob');
  const guess = (n: number, seconds: number) =>
    attempt(world, 'bob', { right: false, seconds, ...at(`198.51.100.${n}`) });
  for (let n = 1; n < 25; n += 1) guess(n, 0);
  assert.equal(counters(world, 'bob').strange, [24, null]);
  const pauses = Array.from({ length: 12 }, (_, n) => {
    const seconds = 1000 * (n + 1);
    guess(100 + n, seconds);
    const [, until] = counters(world, 'bob').strange;
    return (Date.parse(String(until)) - Date.parse(after(seconds))) / 1000;
  });
  assert.equal(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  const elsewhere = at('203.0.113.5');
  assert.is(attempt(world, 'bob', { seconds: 12_001, ...elsewhere }).outcome, 'refused', 'a new network waits');
  assert.is(attempt(world, 'bob', { seconds: 12_001 }).outcome, 'signed-in', 'one that is known does not');
});

wrong('at a network that is known count there alone', () => {
  const world = accounts(admin, person('bob'));
  attempt(world, 'bob');
  for (let n = 1; n <= 5; n += 1) attempt(world, 'bob', { right: false });
  assert.equal(counters(world, 'bob'), { here: [0, after(900)], strange: none });
  assert.is(attempt(world, 'bob').outcome, 'refused');
  assert.is(attempt(world, 'bob', at('198.51.100.1')).outcome, 'signed-in');
});

wrong('of a hundred networks do not make a network forgotten that is known', () => {
  const world = accounts(admin, person('bob'));
  attempt(world, 'bob');
  for (let n = 1; n <= 100; n += 1)
    attempt(world, 'bob', { right: false, seconds: n * 1000, ...at(`198.51.100.${n}`) });
  const networks = world.state.get('User', 'bob')?.spec.signInNetworks ?? [];
  assert.equal([networks.length, networks[0]?.network, networks[0]?.known], [17, home, true]);
  for (let n = 1; n <= 20; n += 1) attempt(world, 'bob', { seconds: 200_000 + n, ...at(`203.0.113.${n}`) });
  assert.is(world.state.get('User', 'bob')?.spec.signInNetworks?.filter(({ known }) => known).length, 8);
});

wrong.run();

const unverified = suite('an address that was never verified');
const fresh = () => accounts(admin, person('bob', { emailVerified: false }));

unverified('keeps out who registered with it, and is sent a link', () => {
  const world = fresh();
  const { outcome, changes } = attempt(world, 'bob', { link: hash('b') });
  assert.is(outcome, 'unverified');
  assert.equal(told(changes), ['+ActionToken']);
  const [link] = world.state.all('ActionToken');
  const { purpose, email, expiresAt } = link?.spec ?? {};
  assert.equal([purpose, email, expiresAt], ['verify-email', 'bob@example.net', after(24 * 3600)]);
});

unverified('is sent a link at most once a minute, and the newest counts', () => {
  const world = fresh();
  const again = (seconds: number, digit: string) =>
    told(attempt(world, 'bob', { link: hash(digit), seconds }).changes).length;
  assert.equal([again(0, 'b'), again(59, 'c'), again(60, 'd')], [1, 0, 2]);
  assert.equal(
    [...world.state.all('ActionToken')].map(({ spec }) => spec.hash),
    [hash('d')],
  );
});

unverified('is sent none where mail cannot be sent, or the password is wrong', () => {
  const world = fresh();
  assert.equal(attempt(world, 'bob').changes, []);
  assert.is(attempt(world, 'bob', { right: false, link: hash('b') }).outcome, 'refused');
  assert.is(world.state.count('ActionToken'), 0);
});

unverified('keeps nobody out who has been in before', () => {
  const world = accounts(admin, person('bob', { emailVerified: false, lastSignInAt: after(-60) }));
  assert.is(attempt(world, 'bob').outcome, 'signed-in');
});

unverified.run();

const elsewhere = suite('a domain with single sign-on');
const corporate = () =>
  accounts(
    admin,
    sso('saml'),
    sso('ldap'),
    person('bob', { email: 'bob@corp.example' }),
    person('ann', { email: 'ann@corp.example', admin: true }),
    person('dan', { email: 'dan@dir.example' }),
  );

elsewhere('is told to whoever types one of its addresses, whether or not it is somebody’s', () => {
  for (const typed of ['bob@corp.example', 'nobody@corp.example', 'Bob@CORP.example'])
    for (const ok of [true, false]) assert.is(attempt(corporate(), typed, { right: ok }).outcome, 'elsewhere', typed);
});

elsewhere('counts any password of users who have no use for one, and answers the right one as any other', () => {
  for (const typed of ['bob', 'bob@corp.example', 'dan', 'dan@dir.example']) {
    const [right, wrong] = [corporate(), corporate()];
    for (let n = 0; n < 6; n += 1)
      assert.equal(attempt(right, typed), attempt(wrong, typed, { right: false }), `${typed} ${n}`);
    const [id = ''] = typed.split('@');
    assert.equal(counters(right, id), { here: [0, after(900)], strange: [5, null] });
    assert.is(right.state.count('Session'), 0);
  }
});

elsewhere('lets an admin in by the right local password, and counts the wrong ones', () => {
  const world = corporate();
  assert.is(attempt(world, 'ann@corp.example').outcome, 'signed-in');
  assert.is(attempt(world, 'ann').outcome, 'signed-in');
  assert.is(attempt(world, 'ann@corp.example', { right: false }).outcome, 'elsewhere');
  assert.equal(counters(world, 'ann').here, [1, null]);
});

elsewhere('is like any other while its configuration is a draft', () => {
  const world = accounts(admin, sso('saml', { active: false }), person('bob', { email: 'bob@corp.example' }));
  assert.is(attempt(world, 'bob@corp.example').outcome, 'signed-in');
});

elsewhere.run();

function session(name: string, user: string, seconds: number) {
  const times = { expiresAt: after(9999), lastSeenAt: after(0) };
  const made = living('Session', name, { user, hash: hash('f'), idleHours: 1, address: '', agent: '', ...times });
  return { ...made, createdAt: after(seconds) };
}
