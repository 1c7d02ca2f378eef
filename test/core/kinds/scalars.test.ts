// The values that several nouns share.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { emailAddress } from '../../../src/core/kinds/scalars.ts';

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
