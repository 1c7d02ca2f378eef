// The values that several nouns share.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { platform } from '../../../src/core/kinds/platform.ts';
import { displayName, emailAddress, url } from '../../../src/core/kinds/scalars.ts';

const email = suite('an email address');

const isGood = (text: string) => emailAddress().safeParse(text).success;

email('is one that mail systems know, in any script', () => {
  for (const text of ['Ann@Example.com', "o'neil+x@my_corp.local", 'ann@localhost', 'ä.ö@exämple.de', '客@例え.テスト'])
    assert.ok(isGood(text), text);
  assert.is(emailAddress().parse('Ann@Example.COM'), 'ann@example.com');
});

email('has no second form that is delivered to the same mailbox, past what its domain is held to', () => {
  for (const domain of [
    'corp.example.',
    'corp\u3002example',
    'corp\uff0eexample',
    'corp\uff61example',
    'co\u00adrp.example',
  ])
    assert.not.ok(isGood(`ann@${domain}`), JSON.stringify(domain));
  for (const domain of ['.corp.example', 'corp..example', '.', '[127.0.0.1]'])
    assert.not.ok(isGood(`ann@${domain}`), JSON.stringify(domain));
});

email('has its domain as DNS has it, so that one domain is not two', () => {
  const kept = (text: string) => emailAddress().parse(text);
  for (const domain of [
    'xn--bcher-kva.example',
    'bücher.example',
    'BÜCHER.example',
    'bu\u0308cher.example',
    'ｂücher.example',
  ])
    assert.is(kept(`Ann@${domain}`), 'ann@xn--bcher-kva.example', domain);
  assert.is(kept('ann@ｃorp.example'), 'ann@corp.example');
  for (const text of ['ä.ö@example.de', 'ann@my_corp.local', 'ann@localhost', 'ann@1.2']) assert.is(kept(text), text);
  for (const text of ['ann@corp.example/ä', 'ann@ä%2ecorp.example', 'ann@ä?corp.example', 'ann@ä#corp.example'])
    assert.is(kept(text), text, 'what is no domain is not taken for the domain that begins it');
  assert.not.ok(isGood(`ann@${Array.from({ length: 12 }, () => 'ü'.repeat(19)).join('.')}`), 'too long for DNS');
  assert.is(emailAddress().parse(kept('客@例え.テスト')), kept('客@例え.テスト'));
});

email('holds nothing that cannot be seen, turns the line round or means something in a header', () => {
  for (const hidden of ['\u0000', '\r\n', '\u007f', '\u200b', '\u202e', '\u2066', '\ufeff', ' ', '\u3000'])
    assert.not.ok(isGood(`a${hidden}nn@corp.example`), JSON.stringify(hidden));
  for (const sign of [...'@<>()[]:",;\\']) assert.not.ok(isGood(`a${sign}nn@corp.example`), sign);
});

email.run();

const address = suite('an address');

address('is one with a host, and without a user name or a password', () => {
  const isAddress = (text: string) => url().safeParse(text).success;
  for (const text of ['http://a', 'https://a.example:80/b:c@d?e', 'http://[::1]:80/', 'https://a?b'])
    assert.ok(isAddress(text), text);
  for (const text of [
    'http://',
    'https:///a',
    'http://:80',
    'https://ann@a.example/',
    'https://ann:secret@a.example',
    'http://a b',
    'ftp://a',
    'https://a:@b',
  ])
    assert.not.ok(isAddress(text), text);
});

address('of a database may name none, or a host, a port and a user', () => {
  const isDatabase = (text: string) => platform.spec.safeParse({ tables: { url: text } }).success;
  for (const text of [
    'postgres://weir@localhost:5432/tables',
    'postgres:///tables',
    'mysql+tls://a',
    'postgres://a/b:c@d',
  ])
    assert.ok(isDatabase(text), text);
  for (const text of ['postgres://', 'postgres://weir:secret@localhost/tables', 'postgres://a b', '1://a'])
    assert.not.ok(isDatabase(text), text);
});

address('of a receiver has none either, because such a message could never be sent', () => {
  const takes = (spec: object) => platform.spec.safeParse(spec).success;
  const hook = (address: string) =>
    takes({ notifications: [{ name: 'ci', url: address, secret: { fromEnv: 'WEIR_SECRET_X' } }] });
  assert.equal([hook('https://hooks.example/'), hook('https://user@hooks.example/')], [true, false]);
});

address.run();

const shownName = suite('a name for people');

shownName('holds something that can be seen, whatever stands around it, and no control characters', () => {
  const isName = (text: string) => displayName().safeParse(text).success;
  for (const text of ['a', ' a', '\u200b\u00a0\u3000a ', '\u202f.\u200b', '客', '👩‍👩‍👧', '❤️', 'می‌خواهم', 'عربي'])
    assert.ok(isName(text), JSON.stringify(text));
  for (const text of [
    '',
    ' ',
    '\u200b',
    '\u2028\u202f \u3000\ufeff\u2064',
    'a\n',
    'a\u0085',
    ...['\u00ad', '\u034f', '\u115f\u3164', '\u2800', '\u180e', '\ufe0f', '\u{e0041}', '\u{1d173}', '\uffa0\ufff0'],
    ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'].flatMap((turn) => [
      `a${turn}b`,
      `${turn}a`,
    ]),
    ...['\u0080a', 'a\u009f', 'a\u2028b', 'a\u2029'],
    '\u0000a',
    'a\u007f',
    'a'.repeat(256),
  ])
    assert.not.ok(isName(text), JSON.stringify(text));
});

shownName.run();
