// Bytes from a directory: messages come through the same however they are cut, what is none is refused, and little is held.
import { frameReader } from '../../../src/sso/ldap/frames.ts';
import { Trouble } from '../../../src/sso/ldap/trouble.ts';
import { ann, found, message, nextPage, part, result } from '../../sso/ldap/fake-directory.ts';
import { holds, type Target } from '../target.ts';

const limits = { frameBytes: 20_000, bytes: 60_000, frames: 50 };

export const ldapMessages: Target = {
  words: [
    '\x30\x84',
    '\x30\x80',
    '\x04\x00',
    '\x02\x01\x01',
    '\xa0\x00',
    '\x0a\x01\x00',
    '\x84\xff\xff\xff\xff',
    '\x84\x00\x00\x00\x05',
    '1.2.840.113556.1.4.319',
    '\x31\x00',
  ],
  seeds: () => [
    result(1, 0x61),
    result(200, 0x65, 32, 'no such object'),
    result(3, 0x65, 0, '', nextPage('cookie')),
    result(4, 0x78),
    found(5, ann.dn, { mail: ann.mail, cn: 'x'.repeat(300), description: '' }),
    message(6, part(0x73, part(4, 'ldap://a'), part(4, 'ldap://b'))),
    Buffer.concat([result(1, 0x61), found(2, ann.dn, { mail: ann.mail }), result(2, 0x65)]),
  ],
  mostMs: 2000,
  check: (input) => {
    const whole = taken(input, input.length);
    for (const size of [1, 7]) {
      const pieces = taken(input, size);
      holds(pieces === whole, `in pieces of ${size} it is ${pieces.slice(0, 100)} instead of ${whole.slice(0, 100)}`);
    }
    return whole.replace(/\d+/g, '#').slice(0, 120);
  },
};

/** What comes through in pieces of a size; what came before trouble counts only where nothing is cut. */
function taken(input: Buffer, size: number): string {
  const reader = frameReader(limits);
  const frames: string[] = [];
  try {
    for (let at = 0; at < input.length; at += Math.max(1, size)) {
      const got = reader.take(input.subarray(at, at + size));
      frames.push(
        ...got.map(({ operation, result: code, cookie }) => `${operation.toString(16)}/${code}/${cookie?.length}`),
      );
      holds(reader.held() <= limits.frameBytes + size, `${reader.held()} bytes are held`);
    }
    return `${frames.join()} and ${reader.held() > 0 ? 'more' : 'nothing'}`;
  } catch (error) {
    // Which of two troubles is met first depends on how much came at once.
    if (error instanceof Trouble) return 'trouble';
    throw error;
  }
}
