// LDAP filters: what is taken can be read by the library that sends them, and what was typed never becomes more than a value.
import fc from 'fast-check';
import { FilterParser } from 'ldapts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compactFilter, ldapFilterProblem } from '../../src/lib/ldap-filter.ts';
import { cpuTime } from '../support/cpu-time.ts';

const filter = suite('an LDAP filter');

const good = [
  '(uid=${username})',
  '(uid=*)',
  '(uid=a*b*c)',
  '(uid=)',
  '(&(objectClass=person)(|(uid=${username})(mail=${email}))(!(locked=TRUE)))',
  '(cn=\\28x\\29\\2a\\5C)',
  '(cn=été, 日本 \u{1f600})',
  '(age>=5)',
  '(age<=5)',
  '(cn~=ann)',
  '(userAccountControl:1.2.840.113556.1.4.803:=2)',
  '(cn:caseExactMatch:=Ann)',
  '(ou:dn:=people)',
  '(ou:dn:caseExactMatch:=people)',
  ' (& (a=b)\n  ( | (c=d) (e=f) )\n  (! (g=h)) )\n',
];

const bad = [
  '',
  '()',
  'uid=a',
  '(uid)',
  '(uid=a',
  'uid=a)',
  '(uid=a))',
  '(uid=a)(uid=b)',
  '(&)',
  '(!(a=b)(c=d))',
  '(&(a=b)c=d)',
  '(uid=(a))',
  '(uid=\\)',
  '(uid=\\2)',
  '(uid=\\zz)',
  '\ufffe',
  '(&\ufffe)',
  '(${username}=a)',
  '(${username})',
  '(u${email}=a)',
  '(cn:${username}:=a)',
  '(&${username})',
  '(é=a)',
  '(=a)',
];

filter('can be read, space between its parts included', () => {
  for (const text of good) {
    assert.is(ldapFilterProblem(text), undefined, text);
    FilterParser.parseString(compactFilter(text));
  }
});

filter('is told when it cannot be read, or what is typed could choose more than a value', () => {
  for (const text of bad)
    assert.match(ldapFilterProblem(text) ?? `${text} is taken`, /^it cannot be read as a filter \(RFC 4515\)/);
});

filter('is never taken where the library would not', () => {
  const pieces = fc.array(fc.constantFrom(...'()&|!=*\\:<>~ a2é\n', '(a=b)', '(&', '(|', '(!', ':dn', ':=', '\\2a'), {
    maxLength: 25,
  });
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('');
      if (ldapFilterProblem(text) === undefined) FilterParser.parseString(compactFilter(text));
    }),
    { numRuns: 5000 },
  );
});

filter('is judged quickly, whatever it is', async () => {
  const deep = `${'(!'.repeat(400)}(a=b)${')'.repeat(400)}`;
  const long = [
    '('.repeat(1024),
    `(a=${'\\'.repeat(1000)}`,
    ' '.repeat(1024),
    `(a${':'.repeat(1000)}`,
    `(a=b)${' '.repeat(1000)}`,
  ];
  for (const text of [deep, ...long])
    assert.ok((await cpuTime(() => ldapFilterProblem(text))) < 250, text.slice(0, 20));
});

filter.run();
