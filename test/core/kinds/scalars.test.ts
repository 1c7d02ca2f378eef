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

email('holds nothing that cannot be seen, turns the line round or means something in a header', () => {
  for (const hidden of ['\u0000', '\r\n', '\u007f', '\u200b', '\u202e', '\u2066', '\ufeff', ' ', '\u3000'])
    assert.not.ok(isGood(`a${hidden}nn@corp.example`), JSON.stringify(hidden));
  for (const sign of [...'@<>()[]:",;\\']) assert.not.ok(isGood(`a${sign}nn@corp.example`), sign);
});

email.run();
