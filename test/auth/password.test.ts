// Local passwords: hashing, comparing, what is refused, and the queue.
import { argon2Sync } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createPasswords, generatePassword, passwordProblem, TooManyPasswords } from '../../src/auth/password.ts';

const hashing = suite('hashing a password');
const passwords = createPasswords();

hashing('makes an argon2id PHC string of 19 MiB, 2 passes and 1 lane, salted anew each time', async () => {
  const [one, two] = await Promise.all([passwords.hash('a good long one'), passwords.hash('a good long one')]);
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.is.not(one, two);
});

hashing('is what argon2 itself makes of password, salt and cost', async () => {
  const [, , , , salt = '', key] = (await passwords.hash('a good long one')).split('$');
  const nonce = Buffer.from(salt, 'base64');
  const own = argon2Sync('argon2id', {
    message: 'a good long one',
    nonce,
    memory: 19_456,
    passes: 2,
    parallelism: 1,
    tagLength: 32,
  });
  assert.is(own.toString('base64').replace(/=+$/, ''), key);
});

hashing('takes the password whole, up to its last character', async () => {
  const phc = await passwords.hash(`${'x'.repeat(255)}a`);
  assert.not(await passwords.verify(`${'x'.repeat(255)}b`, phc));
  assert.ok(await passwords.verify(`${'x'.repeat(255)}a`, phc));
});

hashing.run();

const comparing = suite('comparing a password');

comparing('says yes to the right one only', async () => {
  const phc = await passwords.hash('correct horse');
  assert.ok(await passwords.verify('correct horse', phc));
  for (const wrong of ['correct horsf', 'correct horse ', '', 'CORRECT HORSE'])
    assert.not(await passwords.verify(wrong, phc), wrong);
});

comparing('takes one text for another that is typed as different code points', async () => {
  assert.ok(await passwords.verify('cafe\u0301 au lait', await passwords.hash('caf\u00e9 au lait')));
});

comparing('says no, after the same work, where there is no hash, or one that is not ours', async () => {
  const phc = await passwords.hash('correct horse');
  const timed = async (hash: string | undefined) => {
    const before = process.cpuUsage();
    assert.not(await passwords.verify('another horse', hash));
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const known = await timed(phc);
  assert.ok((await timed(undefined)) > known / 4);
  assert.ok((await timed('$2b$10$abcdefghijklmnopqrstuv')) > known / 4);
  await timed(phc.replace('m=19456', 'm=9999999'));
});

comparing('follows the cost that a hash names, so that a later version may raise it', async () => {
  const nonce = Buffer.alloc(16, 1);
  const key = argon2Sync('argon2id', {
    message: 'correct horse',
    nonce,
    memory: 64,
    passes: 3,
    parallelism: 2,
    tagLength: 16,
  });
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  assert.ok(await passwords.verify('correct horse', `$argon2id$v=19$m=64,t=3,p=2$${text(nonce)}$${text(key)}`));
});

comparing.run();

const queue = suite('the queue of passwords');

queue('refuses, by a type of its own, what it has no room for, and does the rest', async () => {
  const narrow = createPasswords({ atOnce: 1, queue: 2 });
  const all = await Promise.allSettled(Array.from({ length: 5 }, () => narrow.hash('a good long one')));
  assert.equal(
    all.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
  );
  for (const one of all) if (one.status === 'rejected') assert.instance(one.reason, TooManyPasswords);
  assert.ok(await narrow.hash('a good long one'), 'a place is given back');
});

queue('leaves the event loop free', async () => {
  let turns = 0;
  const ticking = setInterval(() => turns++, 1);
  await Promise.all(Array.from({ length: 4 }, () => passwords.hash('a good long one')));
  clearInterval(ticking);
  assert.ok(turns > 3, `${turns} turns`);
});

queue.run();

const choosing = suite('choosing a password');

choosing('refuses less than 8 and more than 256 characters, as people count them', () => {
  assert.match(passwordProblem('1a2b3c7') ?? '', /fewer than 8/);
  assert.match(passwordProblem('🐎'.repeat(7)) ?? '', /fewer than 8/);
  assert.match(passwordProblem(`${'xy'.repeat(128)}z`) ?? '', /more than 256/);
  assert.is(passwordProblem(`${'correct horse '.repeat(18)}abcd`), undefined);
});

choosing('refuses what everybody tries first', () => {
  for (const common of [
    'password',
    'Password1!',
    'PASSWORD123',
    '12345678',
    '87654321',
    'qwertyui',
    'aaaaaaaa',
    'abcabcabc',
    'iloveyou',
    'admin123',
    'Welcome2026',
    '1q2w3e4r',
    'letmein!!',
  ])
    assert.match(passwordProblem(common) ?? '', /many people use/, common);
});

choosing('takes an ordinary good one', () => {
  for (const good of ['correct horse', 'Xk3-99zq', 'monkeys eat pancakes', 'tr0ub4dor&3', 'нет пароля!'])
    assert.is(passwordProblem(good), undefined, good);
});

choosing('generates ones that it takes itself', () => {
  const made = Array.from({ length: 50 }, generatePassword);
  assert.is(new Set(made).size, 50);
  for (const password of made) {
    assert.match(password, /^(?:[2-9A-HJ-NP-Za-km-z]{5}-){3}[2-9A-HJ-NP-Za-km-z]{5}$/);
    assert.is(passwordProblem(password), undefined);
  }
});

choosing.run();
