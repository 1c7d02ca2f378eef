// When credentials were last used: remembered here, and kept once a minute, so that reading costs no write.
import { submit } from '../control/submit.ts';
import { type CredentialKind, noteUse, type Use, usesNotedEveryMs } from '../core/proposals/note-use.ts';
import type { ServerOptions } from './services.ts';

export interface LastUse {
  touch(kind: CredentialKind, id: string, at: string): void;
  /** The last use that this process has seen and not kept yet. */
  of(id: string): string | undefined;
  /** Keeps what is remembered. Never rejects: what cannot be kept now is kept next time. */
  flush(): Promise<void>;
  /** Begins to flush once a minute. Answers the function that ends it. */
  start(): () => void;
}

/** Remembers the uses that this process has seen. */
export function createLastUse({ door, clock, newId, log }: ServerOptions): LastUse {
  const uses = new Map<string, Use>();
  const flush = async (): Promise<void> => {
    if (uses.size === 0 || door.store.health().state !== 'ready') return;
    const kept = [...uses.values()];
    const context = { now: clock(), newId, actor: { kind: 'job', name: 'note-use' }, origin: 'api' } as const;
    try {
      await submit(door, noteUse(kept), context);
      for (const use of kept) if (uses.get(use.id) === use) uses.delete(use.id);
    } catch (error) {
      log(`the last use of credentials could not be kept: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return {
    touch: (kind, id, at) => uses.set(id, { kind, id, at }),
    of: (id) => uses.get(id)?.at,
    flush,
    start: () => {
      const timer = setInterval(() => void flush(), usesNotedEveryMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}
