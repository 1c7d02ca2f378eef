// What requests are read and checked with: JSON, or for a few routes forms, and zod.
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { invalidRequest, Problem } from '../errors.ts';
import { problemsOf } from '../request-problems.ts';

/** Takes `application/json` alone; an empty body is none. */
export function bodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const body = textOf(bytes);
    // A large one takes tens of milliseconds to be parsed, and as long to be looked through: others are answered in between.
    const next = bytes.length > LARGE ? setImmediate : now;
    if (body === undefined) done(new Problem('invalid_request', { detail: 'The body is not UTF-8.' }));
    else if (body.length === 0) done(null, undefined);
    else
      next(() => {
        void parse(request, body, (error, value) => {
          if (error) done(unreadable(body));
          else next(() => done(tooDeep(value) ?? unkeepable(body, value), value));
        });
      });
  });
}

const LARGE = 256 * 1024;

function now(work: () => void): void {
  work();
}

/** The text of a body; nothing where it is none: what is not UTF-8 would be kept as something else. */
function textOf(bytes: unknown): string | undefined {
  try {
    return utf8.decode(bytes as Buffer);
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** What is wrong with texts that cannot be kept as they are: NUL, and halves of a character (RFC 8259, 8.2). */
function unkeepable(body: string, value: unknown): Problem | null {
  // Both can stand in JSON by an escape only.
  if (!/\\u(0000|d[89a-f])/i.test(body) || isKeepable(value)) return null;
  return new Problem('invalid_request', { detail: 'The body has a text with NUL, or with half of a surrogate pair.' });
}

function isKeepable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) => isKeepable(key) && isKeepable(item));
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
