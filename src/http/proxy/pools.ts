// The connections to runtimes: a pool an instance, so that one that hangs holds up no other. A pool goes when its instance no longer answers there.
import { traceOf } from './contained.ts';
import type { Patience } from './patience.ts';
import { createBuffers } from './upstream/buffers.ts';
import { createPool, type Pool } from './upstream/pool.ts';

export interface Pools {
  /** The connections to an instance at an origin. */
  to(id: string, origin: string): Pool;
  /** Cuts what is under way to an instance, which runs no more. */
  drop(id: string): void;
  /** How many connections are open. */
  open(): number;
  close(): void;
}

interface PoolsOptions extends Pick<Patience, 'bodyMs'> {
  /** How many connections each has at most; how many requests are under way is limited where these come in. */
  readonly most?: number;
  readonly log: (message: string) => void;
}

/** Opens pools. */
export function createPools({ bodyMs, most = Number.POSITIVE_INFINITY, log }: PoolsOptions): Pools {
  const pools = new Map<string, { readonly origin: string; readonly pool: Pool }>();
  const buffers = createBuffers();
  const failed = (id: string) => (error: unknown) =>
    log(`a connection to the instance ${id} failed: ${traceOf(error)}`);
  const drop = (id: string) => {
    const known = pools.get(id);
    pools.delete(id);
    known?.pool.destroy();
  };
  return {
    to: (id, origin) => {
      const known = pools.get(id);
      if (known?.origin === origin) return known.pool;
      drop(id);
      const pool = createPool({ origin, buffers, bodyMs, most, log: failed(id) });
      pools.set(id, { origin, pool });
      return pool;
    },
    drop,
    open: () => [...pools.values()].reduce((sum, { pool }) => sum + pool.size(), 0),
    close: () => {
      for (const id of [...pools.keys()]) drop(id);
    },
  };
}
