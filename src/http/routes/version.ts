// Which Weir answers, for programs that work with several versions.
import { z } from 'zod';
import { defineRoute } from '../route.ts';

/** `GET /api/v1/version`. */
export const versionRoute = defineRoute({
  method: 'GET',
  url: '/api/v1/version',
  action: 'read-version',
  operationId: 'getVersion',
  tag: 'description',
  summary: 'Read the version',
  description:
    'That of Weir, and that of this API: within one version of the API nothing is taken away or means something else.',
  answers: {
    200: {
      description: 'The versions.',
      schema: z.strictObject({
        version: z.string().describe('The version of Weir (Semantic Versioning 2.0).'),
        api: z.literal('v1').describe('The version of the API, as it stands in the paths.'),
      }),
      example: () => ({ version: '1.4.0', api: 'v1' }),
    },
  },
  handle: ({ services }) => ({ body: { version: services.version, api: 'v1' } }),
});
