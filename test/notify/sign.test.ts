// Signatures of messages, held against the example that the makers of the specification publish.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keysIn, signatureHeaders } from '../../src/notify/sign.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' };

function keysOf(text: string): readonly Buffer[] {
  const found = keysIn(text);
  return 'keys' in found ? found.keys : [];
}

const signing = suite('a signature');

signing('is that of Standard Webhooks', () => {
  assert.equal(signatureHeaders(message, keysOf(secret)), {
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

signing('is made by each key while keys change', () => {
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const headers = signatureHeaders(message, keysOf(`${other}\n${secret} `));
  const [first, second, ...more] = String(headers['webhook-signature']).split(' ');
  assert.match(first ?? '', /^v1,/);
  assert.is(second, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  assert.equal(more, []);
});

signing('is made by nothing that a receiver would read otherwise, or that can be guessed', () => {
  const short = `whsec_${Buffer.alloc(16).toString('base64')}`;
  for (const bad of [
    '',
    ' ',
    'correct horse battery staple',
    secret.slice(6),
    `${secret}!`,
    short,
    `${secret} ${short}`,
  ])
    assert.match(Object(keysIn(bad)).problem, /openssl rand -base64 32/, bad);
  assert.is(keysOf(`whsec_${Buffer.alloc(32).toString('base64').replace(/=+$/, '')}`).length, 1);
});

signing.run();
