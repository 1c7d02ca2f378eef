// When tokens were last used: remembered here, and kept once a minute, so that reading costs no write.
import { submit } from '../control/submit.ts';
import { touchTokens } from '../core/proposals/touch-tokens.ts';
import type { ServerOptions } from './services.ts';

const everyMs = 60_000;

export interface LastUse {
  touch(tokenId: string, at: string): void;
  of(tokenId: string): string | undefined;
  /** Keeps what is remembered. Never rejects: what cannot be kept now is kept next time. */
  flush(): Promise<void>;
  /** Begins to flush once a minute. Answers the function that ends it. */
  start(): () => void;
}

/** Remembers the uses that this process has seen. */
export function createLastUse({ door, clock, newId, log }: ServerOptions): LastUse {
  const uses = new Map<string, string>();
  const flush = async (): Promise<void> => {
    if (uses.size === 0 || door.store.health().state !== 'ready') return;
    const kept = new Map(uses);
    const context = { now: clock(), newId, actor: { kind: 'job', name: 'touch-tokens' }, origin: 'api' } as const;
    try {
      await submit(door, touchTokens(kept), context);
      for (const [id, at] of kept) if (uses.get(id) === at) uses.delete(id);
    } catch (error) {
      log(`the last use of tokens could not be kept: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return {
    touch: (tokenId, at) => uses.set(tokenId, at),
    of: (tokenId) => uses.get(tokenId),
    flush,
    start: () => {
      const timer = setInterval(() => void flush(), everyMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}
