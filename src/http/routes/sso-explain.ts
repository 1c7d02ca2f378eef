// Explaining single sign-on: what a sign-in would do, and why, without doing it.
import { z } from 'zod';
import { explainSso } from '../../control/explain-sso.ts';
import { emailAddress } from '../../core/kinds/scalars.ts';
import { component } from '../json-schema.ts';
import { defineRoute } from '../route.ts';
import { exampleExplanation, ssoExplanationView } from '../views/sso-explanation.ts';

export const ssoExplain = defineRoute({
  method: 'POST',
  url: '/api/v1/sso-configs/:name/explain',
  action: 'read-sso-configs',
  ignoresIfMatch: true,
  readsOnly: true,
  operationId: 'explainSsoConfig',
  tag: 'administration',
  summary: 'Explain what a sign-in would do',
  description:
    'Who would be signed in by a single sign-on configuration, what their groups would change, and why, judged exactly as at a sign-in; nothing is kept. A configuration that is a draft is explained as if it were active.',
  params: z.strictObject({ name: z.string().min(1).max(63).describe('The name of the configuration.') }),
  body: component(
    'SsoQuestion',
    z.strictObject({
      email: emailAddress().describe('The address that the provider proves.'),
      groups: z
        .array(z.string().max(1024))
        .max(10_000)
        .optional()
        .describe('The names of the groups, as the provider gives them; left out where it gives no groups at all.'),
    }),
  ),
  bodyExample: () => ({ email: 'ann@example.com', groups: ['svc-core-owner'] }),
  answers: { 200: { description: 'What would be.', schema: ssoExplanationView, example: () => exampleExplanation } },
  handle: ({ params, body, services: { door, clock } }) => ({
    body: explainSso(door.store.read(), { ...body, config: params.name }, clock(), door.facts()),
  }),
});
