// The guard of SAML sign-ins: what each of its steps refuses, and that the message without the one change is taken.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { guardResponse } from '../../../src/sso/saml/guard.ts';
import { refused } from './refused/index.ts';
import { expecting, genuine, posted, stranger, written } from './signer.ts';

const guard = suite('the guard');

guard('takes the message that all others here differ from in one thing', () => {
  assert.equal(guardResponse(posted(written()), expecting()), {
    outcome: 'genuine',
    identity: { email: 'ann@good.example', username: 'ann', groups: ['svc-core-owner'] },
    requestId: '_request',
    assertionId: '_assertion',
    rememberUntil: '2026-11-21T12:11:00.000Z',
  });
});

/** Every message, judged once. */
const judged = Object.entries(refused).map(([step, messages]) => ({
  step,
  answers: messages.map(({ says, encoded, expecting: changes }) => ({
    says,
    answer: guardResponse(encoded, expecting(changes)),
  })),
}));

for (const { step, answers } of judged)
  guard(`refuses at the step ${step}: ${answers.length} messages`, () => {
    assert.ok(answers.length > 0);
    for (const { says, answer } of answers) {
      assert.is(answer.outcome, 'refused', says);
      if (answer.outcome === 'refused') assert.is(answer.step, step, `${says}: ${answer.reason}`);
    }
  });

const words = suite('what the log is told');

const reasonOf = (encoded: unknown): string => {
  const answer = guardResponse(encoded, expecting());
  return answer.outcome === 'refused' ? answer.reason : '';
};

words('is one line, of a bearable length, without a sign that would change how it reads', () => {
  for (const { step, answers } of judged)
    for (const { says, answer } of answers)
      assert.match(
        answer.outcome === 'refused' ? answer.reason : '',
        /^[^\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]{10,1000}$/u,
        `${step}: ${says}`,
      );
});

words('is that the document signature is invalid, wherever a signature is missing or wrong', () => {
  const about = new Set(['structure', 'signatures', 'signature-form', 'signature-value']);
  for (const { says, answer } of judged.filter(({ step }) => about.has(step)).flatMap(({ answers }) => answers))
    assert.ok(answer.outcome === 'refused' && answer.reason.startsWith('invalid document signature: '), says);
});

words('is which of the two signatures is missing, and what to do', () => {
  const unsigned = { key: undefined };
  assert.is(
    reasonOf(posted(written({}, { response: unsigned }))),
    'invalid document signature: only the assertion is signed: have the identity provider sign the response (the message) too',
  );
  assert.is(
    reasonOf(posted(written({}, { assertion: unsigned }))),
    'invalid document signature: only the response is signed: have the identity provider sign the assertion too',
  );
  assert.match(reasonOf(posted(written({}, { response: unsigned, assertion: unsigned }))), /: nothing is signed: /);
});

words('is whether the message was changed, or the key is another, or the configuration has none', () => {
  const changed = written().replace('ann@good', 'admin@good');
  assert.match(reasonOf(posted(changed)), /: the response was changed after it was signed$/);
  const other = written({}, { assertion: { key: stranger.privateKey } });
  assert.match(
    reasonOf(posted(other)),
    /: that of the assertion fails, because no certificate of the configuration belongs to the key/,
  );
  const answer = guardResponse(posted(written()), expecting({ certificates: ['unreadable'] }));
  assert.is(
    answer.outcome === 'refused' && answer.reason,
    'invalid document signature: the configuration has no certificate that can be used',
  );
});

words('is why the provider failed, where it sends no assertion because of that', () => {
  const denied = written({ status: genuine.status.replace('status:Success', 'status:Requester') });
  const reason = reasonOf(posted(denied.replace(/<saml:Assertion.*<\/saml:Assertion>/, '')));
  const leads = 'the identity provider answers with the status "urn:oasis:names:tc:SAML:2.0:status:Requester"';
  assert.is(reason, `${leads}, and without an Assertion: its own log says why`);
  const saying = (text: string) => {
    const status = genuine.status
      .replace('status:Success', 'status:Requester')
      .replace('</samlp:Status>', `<samlp:StatusMessage>${text}</samlp:StatusMessage></samlp:Status>`);
    return reasonOf(posted(written({ status }).replace(/<saml:Assertion.*<\/saml:Assertion>/, '')));
  };
  assert.ok(saying('Ann may not').startsWith(`${leads}, and the message "Ann may not", and without`));
  assert.ok(saying('a&#10;b &quot;c').startsWith(`${leads}, and the message "a\\nb \\"c", and`), 'in one line, quoted');
  assert.ok(saying('x'.repeat(5000)).length < 400, 'bounded');
  const withAssertion = genuine.status
    .replace('status:Success', 'status:Requester')
    .replace('</samlp:Status>', '<samlp:StatusMessage>Ann may not</samlp:StatusMessage></samlp:Status>');
  const signed = reasonOf(posted(written({ status: withAssertion })));
  assert.is(signed, `${leads}, and the message "Ann may not": its own log says why`, 'with an assertion, too');
  const silent = denied
    .replace(/<saml:Assertion.*<\/saml:Assertion>/, '')
    .replace(/<samlp:Status>.*<\/samlp:Status>/, '');
  assert.match(reasonOf(posted(silent)), /there are 0$/);
});

words('is that nobody can begin at the provider', () => {
  for (const inResponseTo of [undefined, ''])
    assert.match(
      reasonOf(posted(written({ inResponseTo }))),
      /has to begin at Weir, and not at the identity provider$/,
    );
});

words('is what was expected, what came, and what to do', () => {
  const came = 'https://weir.example/other';
  assert.is(
    reasonOf(posted(written({ destination: came }))),
    `the Destination has to be "${expecting().acsUrl}", and is "${came}": write the ACS URL into the identity provider just as it is`,
  );
  const format = genuine.nameId.replace('nameid-format:emailAddress', 'nameid-format:unspecified');
  assert.match(
    reasonOf(posted(written({ nameId: format }))),
    /unspecified": choose EmailAddress at the identity provider$/,
  );
});

for (const one of [guard, words]) one.run();
