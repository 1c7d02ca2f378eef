// The guard of SAML sign-ins: what each of its steps refuses, and that the message without the one change is taken.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { guardResponse } from '../../../src/sso/saml/guard.ts';
import { refused } from './refused/index.ts';
import { expecting, posted, written } from './signer.ts';

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

for (const [step, messages] of Object.entries(refused))
  guard(`refuses at the step ${step}: ${messages.length} messages`, () => {
    assert.ok(messages.length > 0);
    for (const { says, encoded, expecting: changes } of messages) {
      const answer = guardResponse(encoded, expecting(changes));
      assert.is(answer.outcome, 'refused', says);
      if (answer.outcome === 'refused') assert.is(answer.step, step, `${says}: ${answer.reason}`);
    }
  });

guard.run();
