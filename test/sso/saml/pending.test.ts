// A login under way: what its cookie proves, to whom, and for how long.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { beginLogin, longestNext, pendingLogin } from '../../../src/sso/saml/pending.ts';

const now = '2026-11-21T10:00:00.000Z';
const at = (seconds: number) => new Date(Date.parse(now) + seconds * 1000).toISOString();

const pending = suite('a login under way');

pending('is known again by its cookie: the request, and where to go', () => {
  for (const next of ['', '/teams/core?x=1#y', '/größe/名前/😀', ' ', '/\r\nset-cookie: x=1']) {
    const { cookie, ...login } = beginLogin('id-1', { next, now });
    assert.equal(pendingLogin('id-1', cookie, now), login);
    assert.equal([login.next, login.endsAt], [next, at(600)]);
    assert.match(login.requestId, /^_[0-9a-f]{64}$/);
    assert.match(cookie, /^[\w.-]+$/);
  }
});

pending('has a request id that nobody can guess: not twice the same', () => {
  const ids = Array.from({ length: 100 }, () => beginLogin('id-1', { now }).requestId);
  assert.is(new Set(ids).size, 100);
});

pending('belongs to one configuration', () => {
  const { cookie, requestId } = beginLogin('id-1', { now });
  assert.is.not(pendingLogin('id-2', cookie, now)?.requestId, requestId);
});

pending('is over after ten minutes, whatever the clock did', () => {
  const { cookie } = beginLogin('id-1', { now });
  assert.ok(pendingLogin('id-1', cookie, at(599.999)));
  assert.is(pendingLogin('id-1', cookie, at(600)), undefined);
  assert.ok(pendingLogin('id-1', cookie, at(-60)));
  assert.is(pendingLogin('id-1', cookie, at(-61)), undefined);
});

pending('is another one, with another request, where any character of its cookie is another', () => {
  const { cookie, requestId } = beginLogin('id-1', { next: '/teams', now });
  for (let index = 0; index < cookie.length; index++)
    for (const sign of ['a', 'Z', '0', '.', '-', '_', '%', '']) {
      const other = cookie.slice(0, index) + sign + cookie.slice(index + 1);
      if (other !== cookie) assert.is.not(pendingLogin('id-1', other, now)?.requestId, requestId, other);
    }
});

pending('is none where the cookie is anything else', () => {
  const { cookie } = beginLogin('id-1', { now });
  const junk = [
    '',
    '.',
    '..',
    'a.b.c',
    cookie.repeat(2),
    ` ${cookie}`,
    `${cookie}\n`,
    `${'a'.repeat(40)}.zzzzzzzzzzz.`,
    `${'a'.repeat(40)}..`,
  ];
  for (const text of junk) assert.is(pendingLogin('id-1', text, now), undefined, text);
});

pending('forgets a place that no cookie could hold', () => {
  const long = `/${'x'.repeat(longestNext - 1)}`;
  assert.is(beginLogin('id-1', { next: long, now }).next, long);
  assert.is(beginLogin('id-1', { next: `${long}x`, now }).next, '');
  const wide = `/${'名'.repeat(333)}`;
  const { cookie } = beginLogin('id-1', { next: wide, now });
  assert.ok(cookie.length < 1500, String(cookie.length));
  assert.is(pendingLogin('id-1', cookie, now)?.next, wide);
  assert.is(beginLogin('id-1', { next: `${wide}x`, now }).next, '');
});

pending.run();
