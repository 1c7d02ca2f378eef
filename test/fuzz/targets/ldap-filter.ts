// Filters of directories: what is taken for a filter can be filled in and read, and what somebody types stays a value. Its first line is the filter.
import { Filter } from 'ldapts';
import { ldapFilterProblem } from '../../../src/lib/ldap-filter.ts';
import { filterFor, loginOf } from '../../../src/sso/ldap/person.ts';
import { Trouble } from '../../../src/sso/ldap/trouble.ts';
import { gist, holds, type Target } from '../target.ts';

export const ldapFilter: Target = {
  words: [
    '(',
    ')',
    '(&',
    '(|',
    '(!',
    '*',
    '\\',
    '\\2a',
    '\\c3\\a9',
    '=',
    ':=',
    '>=',
    '~=',
    '${username}',
    '${email}',
    '(uid=a)',
    ':dn:',
    ' ',
    '$&',
    '\n',
    '@a.example',
    '*)(uid=*',
  ],
  seeds: () => [
    '(uid=${username})\nann',
    '(&(objectClass=person)(|(uid=${username})(mail=${email}))(!(cn=a*b)))\nann@a.example',
    '(cn:dn:2.5.13.5:=\\c3\\a9)\n*)(uid=*',
    '(uid>=5)\n\\2a',
  ],
  mostMs: 2000,
  check: (input) => {
    const [template = '', ...typed] = input.toString().split('\n');
    const login = loginOf(typed.join('\n'), 'a.example');
    const problem = ldapFilterProblem(template);
    if (!login) return `${problem === undefined}: nobody`;
    try {
      const filled = filterFor(template, login);
      holds(problem === undefined, 'what is no filter was filled in');
      const plain = filterFor(template, { username: 'x', email: 'x@a.example' });
      holds(formOf(filled) === formOf(plain), `what was typed became more than a value: ${formOf(filled)}`);
      return `filter: ${[...new Set(formOf(plain).match(/\w+Filter/g))]}`;
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      holds(problem !== undefined, 'what was taken for a filter cannot be filled in');
      return `refused: ${gist(problem)}`;
    }
  },
};

/** The filter without its values. */
function formOf(filter: Filter): string {
  const parts = Object.entries(filter).flatMap(([key, value]) => {
    if (key === 'attribute' || key === 'rule' || key === 'dnAttributes') return [`${key}=${value}`];
    return [value]
      .flat()
      .filter((one) => one instanceof Filter)
      .map(formOf);
  });
  return `${filter.constructor.name}(${parts.join(',')})`;
}
