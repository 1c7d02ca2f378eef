// Errors as answers: application/problem+json for whatever goes wrong, and never a word from inside.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { codes, Problem, problemBody, problemOf } from '../errors.ts';
import type { ServerOptions } from '../services.ts';

/** Answers what was thrown. */
export function answerProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: ServerOptions['log'],
): FastifyReply {
  const problem = problemOf(error);
  if (problem.code === 'internal')
    log(`${request.method} ${request.url.split('?')[0]} (request ${request.id}) failed: ${stackOf(error)}`);
  return reply
    .code(codes[problem.code].status)
    .headers({ ...problem.extras.headers })
    .type('application/problem+json')
    .send(JSON.stringify(problemBody(problem)));
}

/** Sets the answers for errors and for what is not there. Unknown methods of known paths are told which there are. */
export function problems(app: FastifyInstance, options: ServerOptions): void {
  const known: { readonly form: RegExp; readonly method: string }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const form = new RegExp(`^${url.replace(/[.*+?^$()[\]{}|\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);
    for (const one of [method].flat()) known.push({ form, method: one });
  });
  app.setErrorHandler((error, request, reply) => answerProblem(error, request, reply, options.log));
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    const methods = [...new Set(known.filter(({ form }) => form.test(path)).map(({ method }) => method))].sort();
    const problem =
      methods.length > 0
        ? new Problem('method_not_allowed', {
            detail: `This path knows ${methods.join(', ')}.`,
            headers: { allow: methods.join(', ') },
          })
        : new Problem('not_found', { detail: 'There is nothing at this address.' });
    return answerProblem(problem, request, reply, options.log);
  });
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
