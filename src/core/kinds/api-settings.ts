// The part of the platform that says how the API meets the network: who may read its description, what a proxy is believed, limits, and where weaknesses are reported.
import { z } from 'zod';
import { matching } from './kind.ts';
import { count, flag } from './scalars.ts';

export const api = z
  .strictObject({
    securityContacts: z
      .array(
        matching(
          2048,
          /^(https:\/\/[^\s/:@?#]+(:[0-9]+)?([/?#]\S*)?|mailto:[^\s@]+@[^\s@]+|tel:\+?[-0-9.()]+)$/,
          'it must be an https: or tel: address, or one like mailto:security@example.com',
        ),
      )
      .max(10)
      .optional()
      .describe(
        'Where weaknesses of this installation are reported, the best way first (RFC 9116): served to everybody at `/.well-known/security.txt`. Absent: that is 404.',
      ),
    describePublicly: flag(false, 'Whether the API description at `/api/` is served without a token.'),
    trustProxy: flag(
      false,
      'Whether the X-Forwarded headers of a proxy in front are believed. Set it only when nobody can reach the server past that proxy.',
    ),
    rateLimit: z
      .strictObject({
        signInPerMinute: count(1_000_000)
          .default(60)
          .describe(
            'Sign-in attempts an address may make in a minute, with registrations and recoveries; wrong passwords twice as many, and then a tenth of it a minute. 0 means no limit.',
          ),
        requestsPerMinute: count(1_000_000)
          .default(0)
          .describe(
            'Requests a token, a session, or an address without either may make in a minute; 0 means no limit.',
          ),
      })
      .prefault({})
      .describe('Limits for one address or credential; over them the answer is 429 with Retry-After.'),
  })
  .prefault({})
  .describe('How the API meets the network.');
