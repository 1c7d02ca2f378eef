// What comes from a directory, byte by byte: whole messages come through however they are cut, and nothing that is damaged does harm.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readFrame } from '../../../src/sso/ldap/ber.ts';
import { frameReader } from '../../../src/sso/ldap/frames.ts';
import { Trouble } from '../../../src/sso/ldap/trouble.ts';
import { ldapProvider } from '../../../src/sso/ldap.ts';
import { ann, fakeDirectory, found, honest, message, nextPage, part, result } from './fake-directory.ts';
import { configuration, secretOf } from './sample-directory.ts';

const limits = { frameBytes: 100_000, bytes: 1_000_000, frames: 1000 };
const samples = [
  result(1, 0x61),
  result(200, 0x65, 32, 'no such object'),
  result(3, 0x65, 0, '', nextPage('cookie')),
  result(4, 0x78),
  found(5, ann.dn, { mail: ann.mail, cn: 'x'.repeat(300), description: '' }),
  message(6, part(0x73, part(4, 'ldap://a'), part(4, 'ldap://b'))),
];
const conversation = Buffer.concat(samples);

const frames = suite('messages of a directory');

frames('are whole however they are cut', () => {
  const cuts = fc.array(fc.nat(conversation.length), { maxLength: 40 });
  fc.assert(
    fc.property(cuts, (places) => {
      const reader = frameReader(limits);
      const at = [0, ...places.sort((a, b) => a - b), conversation.length];
      const taken = at.slice(1).flatMap((to, index) => reader.take(conversation.subarray(at[index], to)));
      assert.equal(
        taken.map(({ messageId, operation }) => [messageId, operation]),
        [
          [1, 0x61],
          [200, 0x65],
          [3, 0x65],
          [4, 0x78],
          [5, 0x64],
          [6, 0x73],
        ],
      );
      assert.is(reader.held(), 0);
    }),
  );
});

frames('come byte by byte without holding more than one of them', () => {
  const reader = frameReader(limits);
  for (const byte of conversation) {
    reader.take(Buffer.from([byte]));
    assert.ok(reader.held() < 600);
  }
});

frames('tell the result and where the next page begins, and lose their controls', () => {
  const { result: code, cookie, bytes } = readFrame(result(3, 0x65, 4, '', nextPage('c\0')));
  assert.is(code, 4);
  assert.is(cookie?.toString(), 'c\0');
  const { result: same, cookie: none } = readFrame(bytes);
  assert.equal([same, none], [4, undefined]);
  assert.is(bytes.indexOf('1.2.840'), -1);
});

frames('are bounded in length, in number and together', () => {
  const flood = (reader: ReturnType<typeof frameReader>, bytes: Buffer) => () => {
    for (let times = 0; times < 10_000; times += 1) reader.take(bytes);
  };
  const isFlood = (error: Error) => error instanceof Trouble && error.code === 'flood';
  assert.throws(flood(frameReader(limits), result(1, 0x65)), isFlood);
  assert.throws(flood(frameReader(limits), Buffer.from([0x30, 0x83, 0x01, 0x90, 0])), isFlood);
  assert.throws(flood(frameReader({ ...limits, frames: 1e9 }), samples[4] ?? Buffer.alloc(0)), isFlood);
});

const damage = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('set' as const),
      at: fc.nat(1000),
      byte: fc.oneof(fc.constantFrom(0, 0x30, 0x7f, 0x80, 0x84, 0xa0, 0xff), fc.nat(255)),
    }),
    fc.record({ kind: fc.constant('insert' as const), at: fc.nat(1000), byte: fc.nat(255) }),
    fc.record({ kind: fc.constant('remove' as const), at: fc.nat(1000), byte: fc.constant(0) }),
  ),
  { minLength: 1, maxLength: 4 },
);

function damaged(
  bytes: Buffer,
  harm: readonly { readonly kind: string; readonly at: number; readonly byte: number }[],
): Buffer {
  const copy = [...bytes];
  for (const { kind, at, byte } of harm) {
    const place = at % copy.length;
    if (kind === 'set') copy[place] = byte;
    else copy.splice(place, kind === 'remove' ? 1 : 0, ...(kind === 'insert' ? [byte] : []));
  }
  return Buffer.from(copy);
}

frames('are refused as trouble when they are damaged, and never otherwise', () => {
  fc.assert(
    fc.property(damage, (harm) => {
      const reader = frameReader(limits);
      try {
        reader.take(damaged(conversation, harm));
      } catch (error) {
        assert.instance(error, Trouble);
      }
    }),
    { numRuns: 2000 },
  );
});

frames('end a sign-in in time, whatever is damaged in them', async () => {
  const provider = ldapProvider({ secretOf, limits: { operationMs: 60, loginMs: 150 } });
  const groups = { ldap: { groupDn: 'ou=groups,dc=example,dc=com' }, groups: { manageRoles: true } };
  const once = fc.asyncProperty(
    fc.array(fc.tuple(fc.nat(4), damage), { minLength: 20, maxLength: 20 }),
    async (many) => {
      const started = performance.now();
      const fakes = await Promise.all(
        many.map(([which, harm]) => {
          let seen = -1;
          return fakeDirectory((request) => {
            const answer = honest(request);
            seen += answer ? 1 : 0;
            return answer && seen === which ? damaged(answer, harm) : answer;
          });
        }),
      );
      const answers = await Promise.all(
        fakes.map(({ address }) =>
          provider.authenticate(configuration({ server: address, ...groups }), { username: 'ann', password: 'x' }),
        ),
      );
      for (const answer of answers) assert.ok(['proved', 'refused', 'unavailable'].includes(answer.outcome));
      assert.ok(performance.now() - started < 60_000, 'it hangs');
      await Promise.all(fakes.map((fake) => fake.stop()));
    },
  );
  await fc.assert(once, { numRuns: 20 });
});

frames.run();
