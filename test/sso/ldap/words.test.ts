// What is said of each result code, at each stage: the table of RFC 4511, appendix A, written down a second time.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Stage, Trouble } from '../../../src/sso/ldap/trouble.ts';
import { resultName, wordsOf } from '../../../src/sso/ldap/words.ts';

const place = { address: 'ldap.example:636', operationMs: 5000, loginMs: 15_000 };
const said = (stage: Stage, result: number) => wordsOf(new Trouble('result', { stage, result }), place);

const results = suite('what a directory answers');

const rights = /does not accept ldap\.username with ldap\.password/;
const noTls = /does not begin TLS, and nothing is sent to it without/;
const allGroups = /before it had told all groups/;
const search = /stopped at its limit while the user was searched/;

const expected: readonly (readonly [stage: Stage, words: RegExp, ...results: readonly number[]])[] = [
  ['connect', noTls, 1, 2, 52, 53],
  ['connect', /set up StartTLS there/, 2],
  ['connect', /TLS is not set up there/, 52],
  ['bind', rights, 19, 32, 48, 49, 50, 53],
  ['bind', /does not take ldap\.username: it is no DN/, 34],
  ['find', search, 3, 4, 11],
  ['find', /userSearchFilter: an attribute in it cannot be compared so/, 18],
  ['find', /has no entry ldap\.baseDn/, 32],
  ['find', /does not take ldap\.baseDn/, 34],
  ['find', /search below ldap\.baseDn/, 50],
  ['groups', allGroups, 3, 4, 11],
  ['groups', /has no entry ldap\.groupDn/, 32],
  ['groups', /does not take ldap\.groupDn/, 34],
  ['groups', /search below ldap\.groupDn/, 50],
  ['verify', /refers to another server while the password was verified/, 10],
  ['verify', /wants TLS before it takes a password/, 8, 13],
  ['verify', /busy or out of order while the password was verified/, 51, 52],
  ['verify', /answered with an error while the password was verified/, 54, 80],
];

results('says what to do about each of them, with its name and number', () => {
  for (const [stage, words, ...numbers] of expected)
    for (const result of numbers) {
      assert.match(said(stage, result), words, `${stage} ${result}`);
      assert.ok(said(stage, result).includes(`(${resultName(result)})`), `${stage} ${result}`);
    }
});

results('have the names of RFC 4511', () => {
  const names: Readonly<Record<number, string>> = {
    ...{ 1: 'operationsError', 2: 'protocolError', 3: 'timeLimitExceeded', 4: 'sizeLimitExceeded' },
    ...{ 7: 'authMethodNotSupported', 8: 'strongerAuthRequired', 10: 'referral', 11: 'adminLimitExceeded' },
    ...{ 12: 'unavailableCriticalExtension', 13: 'confidentialityRequired', 18: 'inappropriateMatching' },
    ...{ 19: 'constraintViolation', 21: 'invalidAttributeSyntax', 32: 'noSuchObject', 33: 'aliasProblem' },
    ...{ 34: 'invalidDNSyntax', 48: 'inappropriateAuthentication', 49: 'invalidCredentials' },
    ...{ 50: 'insufficientAccessRights', 51: 'busy', 52: 'unavailable', 53: 'unwillingToPerform', 54: 'loopDetect' },
    ...{ 80: 'other' },
  };
  for (const [result, name] of Object.entries(names)) assert.is(resultName(Number(result)), `${name}, ${result}`);
  assert.is(resultName(118), 'result 118');
});

results('tells an error of TLS from others by its code', () => {
  const of = (code: string) => wordsOf(new Trouble(code, { stage: 'bind' }), place);
  assert.match(of('ERR_SSL_WRONG_VERSION_NUMBER'), /does not speak TLS as it should \(ERR_SSL_WRONG_VERSION_NUMBER\)/);
  assert.match(of('EPROTO'), /does not speak TLS as it should \(EPROTO\)/);
  assert.match(of('ESOMETHING'), /failed while Weir signed in as ldap\.username \(ESOMETHING\)$/);
});

results.run();
