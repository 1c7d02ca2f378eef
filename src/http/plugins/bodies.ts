// What requests are read and checked with: JSON, or for a few routes forms, and zod.
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
    else
      void parse(request, String(body), (error, value) =>
        done(error ? unreadable(String(body)) : tooDeep(value), value),
      );
  });
}

/** What is wrong with a body that cannot be parsed, or that holds what no object may. */
function unreadable(body: string): Problem {
  try {
    JSON.parse(body);
    return new Problem('invalid_request', { detail: 'The body has a key that none may have, such as __proto__.' });
  } catch (error) {
    const [, line, column] = /line (\d+) column (\d+)/.exec(String(error)) ?? [];
    const where = line === undefined ? '' : `: look at line ${line}, column ${column}`;
    return new Problem('invalid_request', { detail: `The body is not JSON${where}.` });
  }
}

/** How deep a body may be nested, as documents may be. What is deeper would be too much for whatever follows it down. */
const deepest = 64;

/** What is wrong with a body that is nested too deep; nothing where it is not. */
function tooDeep(body: unknown): Problem | null {
  let level: readonly object[] = containersIn([body]);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > deepest)
      return new Problem('invalid_request', { detail: `The body is nested deeper than ${deepest} levels.` });
    level = level.flatMap((container) => containersIn(Object.values(container)));
  }
  return null;
}

function containersIn(values: readonly unknown[]): object[] {
  return values.filter((value) => typeof value === 'object' && value !== null);
}

/** Takes `application/x-www-form-urlencoded` alone: for a part of the server that is posted to by forms. */
export function formBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    const text = String(body);
    // A form has a handful of fields; one of a hundred thousand would take its time to be read.
    if (text.split('&', mostFields + 1).length > mostFields) done(new Problem('invalid_request', { detail: tooMany }));
    else done(null, new URLSearchParams(text));
  });
  app.addContentTypeParser('*', (_request, _body, done) =>
    done(new Problem('unsupported_media_type', { detail: noForm })),
  );
}

const mostFields = 32;

const noForm = 'Send the form as application/x-www-form-urlencoded.';
const tooMany = `The form has more than ${mostFields} fields.`;

/** The parts of a request that are checked, and how each is called. */
const parts = { body: 'the body', querystring: 'the query', params: 'the address' } as const;

/** Checks one part. Throws `invalid_request`, or `not_found` where the address cannot be that of anything. */
export function checked<S extends z.ZodType>(schema: S, value: unknown, part: keyof typeof parts): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  if (part === 'params') throw new Problem('not_found', { detail: 'There is nothing at this address.' });
  throw invalidRequest(problemsOf(result.error.issues, parts[part]));
}
