// The connections to runtimes: a pool an instance, so that one that hangs holds up no other. A pool goes when its instance no longer answers there.
import { Pool } from 'undici';
import type { Patience } from './patience.ts';

export interface Pools {
  /** The connections to an instance at an origin. */
  to(id: string, origin: string): Pool;
  /** Cuts what is under way to an instance, which runs no more. */
  drop(id: string): void;
  /** How many connections are open. */
  open(): number;
  close(): void;
}

/**
 * How much of an answer a connection takes in at once, in bytes: with the usual 64 KiB, large answers are read with a stop after each piece, at half
 * the rate. An option of the sockets of Node, which undici hands through.
 */
const roomy: object = { highWaterMark: 524_288 };

/** Opens pools. Each has as many connections as requests are under way, which is limited where these come in. */
export function createPools({ headMs, bodyMs }: Pick<Patience, 'headMs' | 'bodyMs'>): Pools {
  let open = 0;
  const pools = new Map<string, { readonly origin: string; readonly pool: Pool }>();
  const drop = (id: string) => {
    const known = pools.get(id);
    pools.delete(id);
    // Lets what is under way fail in its own words, and never fails itself.
    known?.pool.destroy().catch(() => {});
  };
  return {
    to: (id, origin) => {
      const known = pools.get(id);
      if (known?.origin === origin) return known.pool;
      drop(id);
      const pool = new Pool(origin, {
        pipelining: 1,
        headersTimeout: headMs,
        bodyTimeout: bodyMs,
        connectTimeout: 10_000,
        connect: roomy,
        // Runtimes close what is idle after five seconds; a request must not meet that.
        keepAliveTimeout: 2000,
      });
      pool.on('connect', () => {
        open += 1;
      });
      pool.on('disconnect', () => {
        open -= 1;
      });
      pools.set(id, { origin, pool });
      return pool;
    },
    drop,
    open: () => open,
    close: () => {
      for (const id of [...pools.keys()]) drop(id);
    },
  };
}
