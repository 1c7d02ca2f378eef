// The last net under the way in: it answers outside of Fastify, so that whatever one request throws would end the process, and every other request with it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Problem, problemOf } from '../errors.ts';
import type { ServerOptions } from '../services.ts';
import { containEvents } from './contained.ts';
import type { Refusing } from './refuse.ts';

/** What answers requests, and connections to be upgraded. */
interface Answering {
  handle(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, isReserved: boolean): void;
}

/**
 * A way in that never throws: what is thrown is logged, and its request refused, or cut where an answer has begun. What listeners throw later cuts it
 * in any case: nobody knows how far it is.
 */
export function guarded<T extends Answering>(
  wayIn: T,
  { refuse, hangUp }: Pick<Refusing, 'refuse' | 'hangUp'>,
  log: ServerOptions['log'],
): T {
  const attempt = (
    act: () => void,
    what: string,
    end: { readonly refuse: (problem: Problem) => void; readonly cut: () => void },
  ) => {
    try {
      act();
    } catch (error) {
      log(`${what} failed: ${error instanceof Error ? error.stack : String(error)}`);
      try {
        end.refuse(problemOf(error));
      } catch {
        end.cut();
      }
    }
  };
  const later = (what: string, cut: () => void) => (error: unknown) => {
    log(`${what} failed later: ${error instanceof Error ? error.stack : String(error)}`);
    cut();
  };
  return {
    ...wayIn,
    handle: (request, response) => {
      const failed = later(`${request.method} ${pathOf(request)}`, () => response.destroy());
      for (const one of [request, response]) containEvents(one, failed);
      attempt(() => wayIn.handle(request, response), `${request.method} ${pathOf(request)}`, {
        refuse: (problem) => {
          if (response.headersSent) return void response.destroy();
          for (const name of response.getHeaderNames()) response.removeHeader(name);
          refuse(request, response, problem);
        },
        cut: () => response.destroy(),
      });
    },
    upgrade: (request, socket, head, isReserved) => {
      containEvents(
        socket,
        later(`the upgrade of ${pathOf(request)}`, () => socket.destroy()),
      );
      attempt(() => wayIn.upgrade(request, socket, head, isReserved), `the upgrade of ${pathOf(request)}`, {
        refuse: (problem) => hangUp(socket, problem),
        cut: () => socket.destroy(),
      });
    },
  };
}

/** Without the query: tickets stand there. */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}
