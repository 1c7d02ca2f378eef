// What requests are read and checked with: JSON only, and zod.
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { invalidRequest, Problem } from '../errors.ts';
import { problemsOf } from '../request-problems.ts';

/** Takes `application/json` alone; an empty body is none. */
export function bodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else void parse(request, String(body), done);
  });
}

/** The parts of a request that are checked, and how each is called. */
const parts = { body: 'the body', querystring: 'the query', params: 'the address' } as const;

/** Checks one part. Throws `invalid_request`, or `not_found` where the address cannot be that of anything. */
export function checked<S extends z.ZodType>(schema: S, value: unknown, part: keyof typeof parts): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  if (part === 'params') throw new Problem('not_found', { detail: 'There is nothing at this address.' });
  throw invalidRequest(problemsOf(result.error.issues, parts[part]));
}
