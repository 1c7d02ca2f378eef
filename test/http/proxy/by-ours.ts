// The gateway's way to runtimes by itself, without what decides who may come in: to look at bytes.
import { createServer, type Server } from 'node:http';
import { type Failure, forward } from '../../../src/http/proxy/forward.ts';
import { answerHeaders, requestHeaders } from '../../../src/http/proxy/heads.ts';
import { createPools, type Pools } from '../../../src/http/proxy/pools.ts';

export interface Ours {
  readonly server: Server;
  readonly pools: Pools;
  /** Why there was no answer, one entry a request. */
  readonly failures: (Failure | 'nothing')[];
  /** What nobody foresaw. */
  readonly logged: readonly string[];
  readonly close: () => Promise<void>;
}

/** Passes every request on to a runtime; 502, or what the failure says, where there is no answer that can be read. */
export function gatewayOfOurs(
  origin: string,
  { headMs = 30_000, bodyMs = 30_000, most = 4, maxBody = Number.POSITIVE_INFINITY } = {},
): Ours {
  const logged: string[] = [];
  const pools = createPools({ bodyMs, most, log: (message) => logged.push(message) });
  const failures: Ours['failures'] = [];

  const said = { host: 'weir.example', clientAddress: '::1', scheme: 'http', prefix: '/', isOurToken: false };
  const server = createServer((request, response) => {
    response.on('error', () => {});
    forward({
      ...{ request, response, headMs, maxBody },
      pool: pools.to('A', origin),
      path: request.url ?? '/',
      headers: requestHeaders(request.rawHeaders, request.headers.connection, {
        ...said,
        principal: ['x-weir-principal', ''],
        version: '1.1',
      }),
      answered: (_status, raw) => answerHeaders(raw, { sharedPath: undefined, policy: undefined }),
      instead: (why) => {
        failures.push(why);
        const status = { bad_gateway: 502, gateway_timeout: 504, invalid_request: 400, payload_too_large: 413 };
        response.writeHead(why === 'nothing' ? 404 : status[why.code]).end();
      },
    });
  });
  return {
    ...{ server, pools, failures, logged },
    close: async () => pools.close(),
  };
}
