// Every step of the guard is needed: with it switched off there are messages that pass all others, and sign somebody in.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { guardResponse } from '../../../src/sso/saml/guard.ts';
import { refused } from './refused/index.ts';
import { expecting, posted, written } from './signer.ts';
import { guardWithout } from './switched-off.ts';

// Without a parsed message, and without content whose signature was verified, there is nothing that a later step could read.
const nothingToReadWithout = new Set(['parser', 'signature-value', 'fault']);

const steps = suite('a step of the guard');

for (const [step, messages] of Object.entries(refused))
  steps(`${step} refuses what no other would`, async () => {
    const without = await guardWithout(step);
    assert.is.not(without, guardResponse);
    assert.equal(without(posted(written()), expecting()), guardResponse(posted(written()), expecting()));
    const only = messages.filter(
      ({ encoded, expecting: changes }) => without(encoded, expecting(changes)).outcome === 'genuine',
    );
    assert.is(only.length > 0, !nothingToReadWithout.has(step));
  });

steps.run();
