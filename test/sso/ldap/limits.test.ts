// How long a sign-in waits for a directory where nothing else is said: five seconds for an answer, ten for everything.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ldapProvider } from '../../../src/sso/ldap.ts';
import { fakeDirectory, honest, listen } from './fake-directory.ts';
import { configuration, secretOf } from './sample-directory.ts';

const provider = ldapProvider({ secretOf });

async function signIn(server: string) {
  const started = performance.now();
  const answer = await provider.authenticate(configuration({ server }), { username: 'ann', password: 'x' });
  return { seconds: (performance.now() - started) / 1000, reason: 'reason' in answer ? answer.reason : answer.outcome };
}

const limits = suite('a sign-in');

limits('waits five seconds for an answer, and ten for all of them', async () => {
  const mute = await listen(() => {});
  const slow = await fakeDirectory((request) => {
    setTimeout(() => request.socket.destroyed || request.socket.write(honest(request) ?? ''), 3500);
    return undefined;
  });
  const [first, second] = await Promise.all([signIn(mute.address), signIn(slow.address)]);
  assert.match(first.reason, /did not answer within 5 s while Weir signed in/);
  assert.ok(first.seconds > 4.9 && first.seconds < 60, `${first.seconds}`);
  assert.match(second.reason, /was not done within 10 s, and was given up while the password was verified/);
  assert.ok(second.seconds > 9.9 && second.seconds < 60, `${second.seconds}`);
  await Promise.all([mute.stop(), slow.stop()]);
});

limits.run();
