// The description of the API itself.
import { z } from 'zod';
import { describedAs } from '../json-schema.ts';
import { defineRoute, type Route } from '../route.ts';

const document = describedAs(z.record(z.string(), z.unknown()), {
  type: 'object',
  description: 'An OpenAPI 3.0 document.',
  additionalProperties: true,
});

const example = () => ({ openapi: '3.0.3', info: { title: 'Weir', version: '1' }, paths: {} });

const describe = defineRoute({
  method: 'GET',
  url: '/api/',
  action: 'describe-api',
  operationId: 'getDescription',
  tag: 'description',
  summary: 'Describe the API',
  description:
    'The OpenAPI 3.0 document of every route. It needs a token unless the platform says `api.describePublicly`.',
  answers: { 200: { description: 'The document.', schema: document, example } },
  verbatim: true,
  handle: ({ services }) => ({ body: services.description() }),
});

/** The same without the slash, for people who leave it out. */
const withoutSlash: Route = { ...describe, url: '/api', operationId: 'getDescriptionToo', undocumented: true };

export const descriptionRoutes: readonly Route[] = [describe, withoutSlash];
