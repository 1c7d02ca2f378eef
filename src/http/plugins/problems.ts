// Errors as answers: application/problem+json for whatever goes wrong, and never a word from inside.
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { accepts } from '../accept.ts';
import { codes, Problem, problemBody, problemOf } from '../errors.ts';
import { loggedPath } from '../logged-path.ts';
import { acceptPatch } from '../merge-patch-type.ts';
import { isMisplacedSaml, tellMisplacedSaml } from '../misplaced-saml.ts';
import { type Page, pageReply } from '../pages/page.ts';
import { problemPage } from '../pages/problem.ts';
import { ssoMisplacedPage } from '../pages/sso.ts';
import type { ServerOptions } from '../services.ts';
import { fixedHeaders } from './security-headers.ts';

/** Answers what was thrown. */
export type AnswerProblem = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** What answers a request of which something was thrown, in whatever phase of its reply. */
export function problemAnswer({ baseUrl, log }: Pick<ServerOptions, 'baseUrl' | 'log'>): AnswerProblem {
  const fixed = fixedHeaders(baseUrl);
  const answered = new WeakSet<FastifyReply>();
  return (error, request, reply) => {
    const problem = isCutOff(error, request) ? new Problem('invalid_request', { detail: cutOff }) : problemOf(error);
    const { status } = codes[problem.code];
    const asked = `${request.method} ${loggedPath(request)} (request ${request.id})`;
    const details = { requestId: request.id };
    if (problem.code === 'internal') log(`${asked} failed: ${stackOf(error)}`, details);
    startAnew(reply, { ...fixed, 'x-request-id': request.id });
    reply.code(status);
    if (answered.has(reply)) return sendPlainly(reply, problem);
    answered.add(reply);
    reply.headers({ ...problem.extras.headers, ...acceptPatch(request.method, status) });
    const page = request.routeOptions.config.route?.problemPage?.(request.id);
    const forPeople = page ? undefined : pageForPeople(problem, request);
    if (forPeople) return sendPage(reply, status, forPeople);
    if (!page) return reply.type(problemType).send(JSON.stringify(problemBody(problem)));
    // The page does not say why; whoever asks too often should not fill the log besides.
    if (problem.code !== 'rate_limited') log(`${asked} was answered ${status}: ${problem.message}`, details);
    return sendPage(reply, status, page);
  };
}

const problemType = 'application/problem+json';

/** What was set for another answer is not that of this one, and may be what cannot be sent. The hooks may not have been asked at all. */
function startAnew(reply: FastifyReply, headers: OutgoingHttpHeaders): void {
  const closes = reply.getHeader('connection') === 'close';
  // How often one may ask is true of every answer.
  for (const name of Object.keys(reply.getHeaders())) if (!name.startsWith('ratelimit-')) reply.removeHeader(name);
  reply.headers({ ...headers, ...(closes ? { connection: 'close' } : {}) });
}

/** The answer that tells of a failure failed as well: the framework would answer with what was thrown. No hook is asked again. */
function sendPlainly(reply: FastifyReply, problem: Problem): FastifyReply {
  const body = JSON.stringify(problemBody(problem));
  reply.headers({ 'content-type': problemType, 'content-length': Buffer.byteLength(body) });
  const headers = reply.getHeaders() as OutgoingHttpHeaders;
  reply.hijack();
  if (reply.raw.headersSent) reply.raw.destroy();
  else reply.raw.writeHead(reply.statusCode, headers).end(body);
  return reply;
}

function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  const { type, headers, body } = pageReply(status, page);
  return reply.headers(headers).type(type).send(body);
}

/** What people see of a problem at an address that has no page of its own for it; nothing for programs. */
function pageForPeople({ code }: Problem, request: FastifyRequest): Page | undefined {
  const { id, url, headers, is404 } = request;
  if (is404 && isMisplacedSaml(request) && accepts(headers.accept, 'text/html')) return ssoMisplacedPage(id);
  return isForPeople(request) ? problemPage(code, id, url) : undefined;
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

/** Runs `inside` in a scope whose failures are answered, and by the answer around it where that answer fails as well. */
export function inScope(app: FastifyInstance, inside: (scope: FastifyInstance) => void): void {
  const plugin: FastifyPluginAsync = async (scope) => {
    scope.setErrorHandler(scope.errorHandler);
    inside(scope);
  };
  app.register(plugin);
}

/**
 * Sets the answers for errors and for what is not there, which is told before a body is looked at. Unknown methods of known paths are told
 * which there are.
 */
export function problems(
  app: FastifyInstance,
  options: Pick<ServerOptions, 'baseUrl' | 'log'> & Partial<Pick<ServerOptions, 'door' | 'warn'>>,
): void {
  const known: { readonly form: RegExp; readonly method: string }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const form = new RegExp(`^${url.replace(/[.*+?^$()[\]{}|\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);
    for (const one of [method].flat()) known.push({ form, method: one });
  });
  const answer = problemAnswer(options);
  app.setErrorHandler(answer);
  app.addHook('onRequest', async (request) => {
    if (!request.is404) return;
    const { method, id: requestId } = request;
    if (isMisplacedSaml(request)) tellMisplacedSaml(options, { method, path: loggedPath(request), requestId });
    throw absent(request);
  });
  app.setNotFoundHandler((request, reply) => answer(absent(request), request, reply));

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
