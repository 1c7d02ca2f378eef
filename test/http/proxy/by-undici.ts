// A gateway that somebody else's client asks runtimes for: what ours is held against.
import { createServer, type Server } from 'node:http';
import { Pool } from 'undici';
import { answerHeaders } from '../../../src/http/proxy/heads.ts';

/** Passes every request on to a runtime, by undici, and answers as it does; 502 where there is no answer that can be read. */
export function gatewayByUndici(origin: string): { readonly server: Server; readonly close: () => Promise<void> } {
  const pool = new Pool(origin, { connections: 4, pipelining: 1 });
  const server = createServer((request, response) => {
    let isOver = false;
    pool.dispatch(
      { method: request.method as 'GET', path: request.url ?? '/', headers: { host: 'weir.example' } },
      {
        onRequestStart: () => {},
        onResponseStart: ({ rawHeaders }, status) => {
          if (status < 200) return;
          const raw = Array.isArray(rawHeaders) ? rawHeaders.map((part) => part.toString('latin1')) : [];
          response.writeHead(status, answerHeaders(raw, { sharedPath: undefined, policy: undefined }));
        },
        onResponseData: (_controller, chunk) => void response.write(chunk),
        onResponseEnd: () => {
          isOver = true;
          response.end();
        },
        onResponseError: () => {
          if (isOver) return;
          if (response.headersSent) response.destroy();
          else response.writeHead(502).end();
        },
      },
    );
  });
  return { server, close: () => pool.destroy() };
}
