// What the log says of where a request went.
import type { FastifyRequest } from 'fastify';

/** The path of a request, without its query, and without a token that stands in it: whoever reads the log must not be able to use it. */
export function loggedPath({ url, routeOptions }: FastifyRequest): string {
  const route = routeOptions.url;
  return route?.includes(':token') ? route : (url.split('?')[0] ?? '');
}
