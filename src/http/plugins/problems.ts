// Errors as answers: application/problem+json for whatever goes wrong, and never a word from inside.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accepts } from '../accept.ts';
import { codes, Problem, problemBody, problemOf } from '../errors.ts';
import { loggedPath } from '../logged-path.ts';
import { type Page, pageReply } from '../pages/page.ts';
import { problemPage } from '../pages/problem.ts';
import type { ServerOptions } from '../services.ts';

/** Answers what was thrown. */
export function answerProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: ServerOptions['log'],
): FastifyReply {
  const problem = isCutOff(error, request) ? new Problem('invalid_request', { detail: cutOff }) : problemOf(error);
  const { status } = codes[problem.code];
  const asked = `${request.method} ${loggedPath(request)} (request ${request.id})`;
  const details = { requestId: request.id };
  if (problem.code === 'internal') log(`${asked} failed: ${stackOf(error)}`, details);
  // Also where none of the hooks was asked, such as for a part of a path that is too long.
  reply.code(status).headers({ 'x-request-id': request.id, ...problem.extras.headers });
  const page = request.routeOptions.config.route?.problemPage?.(request.id);
  if (!page && isForPeople(request)) return sendPage(reply, status, problemPage(problem.code, request.id, request.url));
  if (!page) return reply.type('application/problem+json').send(JSON.stringify(problemBody(problem)));
  // The page does not say why; whoever asks too often should not fill the log besides.
  if (problem.code !== 'rate_limited') log(`${asked} was answered ${status}: ${problem.message}`, details);
  return sendPage(reply, status, page);
}

function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  const { type, headers, body } = pageReply(status, page);
  return reply.headers(headers).type(type).send(body);
}

/** A browser that opens a page, or an address at which there is nothing; not what asks the API. */
function isForPeople({ method, url, headers, is404, routeOptions }: FastifyRequest): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || !accepts(headers.accept, 'text/html')) return false;
  return is404 ? !/^\/api(\/|\?|$)/.test(url) : routeOptions.config.action === 'open-page';
}

/** Whoever sends has left, or was cut off: nobody hears the answer, and it is no failure of ours. */
function isCutOff(error: unknown, { raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete && error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

const cutOff = 'The body ended early.';

/**
 * Sets the answers for errors and for what is not there, which is told before a body is looked at. Unknown methods of known paths are told
 * which there are.
 */
export function problems(app: FastifyInstance, options: ServerOptions): void {
  const known: { readonly form: RegExp; readonly method: string }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const form = new RegExp(`^${url.replace(/[.*+?^$()[\]{}|\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);
    for (const one of [method].flat()) known.push({ form, method: one });
  });
  app.setErrorHandler((error, request, reply) => answerProblem(error, request, reply, options.log));
  app.addHook('onRequest', async (request) => {
    if (request.is404) throw absent(request);
  });
  app.setNotFoundHandler((request, reply) => answerProblem(absent(request), request, reply, options.log));

  function absent({ url }: FastifyRequest): Problem {
    const path = url.split('?')[0] ?? '';
    const methods = [...new Set(known.filter(({ form }) => form.test(path)).map(({ method }) => method))].sort();
    if (methods.length === 0) return new Problem('not_found', { detail: 'There is nothing at this address.' });
    const allow = methods.join(', ');
    return new Problem('method_not_allowed', { detail: `This path knows ${allow}.`, headers: { allow } });
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
