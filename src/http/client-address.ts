// The network address that a request came from, in the one form that it is counted, kept and shown in.
import type { FastifyRequest } from 'fastify';

/**
 * Of the connection, or where `trustProxy` says so what the proxy saw. Some proxies write the port as well (`192.0.2.1:4711`,
 * `[2001:db8::1]:4711`), which is another one at each connection: it is left out. At most 64 characters.
 */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  const [, inBrackets, beforePort] = /^\[([^\]]*)\](?::\d{1,5})?$|^([^:]+):\d{1,5}$/.exec(ip) ?? [];
  return (inBrackets ?? beforePort ?? ip).slice(0, 64);
}
