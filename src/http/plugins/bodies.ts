// What requests are read and checked with: JSON, or for a few routes forms, and zod.
import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { problemsOf } from '../../core/model/request-problems.ts';
import { invalidRequest, Problem } from '../errors.ts';
import { mergePatchType } from '../merge-patch-type.ts';
import { bodyText, parsedBody, requireKeepable, requireKeysOnce } from '../read-body.ts';

/** Takes `application/json` alone, and for a PATCH a merge patch; an empty body is none. */
export function bodies(app: FastifyInstance): void {
  app.addHook('preParsing', async ({ headers }) => requirePlainForm(headers));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/json', mergePatchType],
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      if (request.method !== 'PATCH' && request.mediaType === mergePatchType) throw noPatch();
      if (request.routeOptions.config.route?.takesBytes) return bytes;
      const text = bodyText(bytes);
      if (text === '') return undefined;
      // A large one takes tens of milliseconds to be parsed, and as long to be looked through: others are answered in between.
      const isLarge = bytes.length > LARGE;
      if (isLarge) await setImmediate();
      const value = parsedBody(text);
      if (isLarge) await setImmediate();
      requireKeepable(text, value);
      if (isLarge) await setImmediate();
      requireKeysOnce(text, value);
      return value;
    },
  );
}

function noPatch(): Problem {
  return new Problem('unsupported_media_type', {
    detail: 'A merge patch is for PATCH alone: send the body as application/json.',
  });
}

const LARGE = 256 * 1024;

/** Throws for a body that is compressed, or whose text is not UTF-8: read as it came, it would say something else. */
function requirePlainForm(headers: IncomingHttpHeaders): void {
  const coding = headers['content-encoding']?.trim() ?? '';
  if (coding !== '' && coding.toLowerCase() !== 'identity')
    throw new Problem('unsupported_media_type', {
      detail: 'The body is compressed: send it as it is, without Content-Encoding.',
      headers: { 'accept-encoding': 'identity' },
    });
  const [, quoted, plain] = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(headers['content-type'] ?? '') ?? [];
  const charset = quoted ?? plain;
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw new Problem('unsupported_media_type', { detail: 'The text of the body is not UTF-8: send it as UTF-8.' });
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
