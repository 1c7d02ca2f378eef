// The noun StatisticsToken: what opens the statistics to a scraper. There is one at most; its name is `statistics`.
import { z } from 'zod';
import { bookkeeping, defineKind, sha256 } from './kind.ts';
import { instant } from './scalars.ts';

/** The statistics token (specification 4.3). It opens one route, while the administration settings permit it. */
export const statisticsToken = defineKind({
  kind: 'StatisticsToken',
  plural: 'statisticsTokens',
  path: 'stats-token',
  declared: false,
  summary: 'What opens the statistics to a scraper.',
  spec: z.strictObject({
    hash: sha256().describe('The SHA-256 of the token, in hexadecimal.'),
    lastUsedAt: bookkeeping(instant())
      .nullable()
      .default(null)
      .describe('When it was last used, to the minute; null for never.'),
  }),
  keys: (spec) => [`hash=${spec.hash}`],
});
