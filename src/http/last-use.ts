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

/** One commit after another, each small enough that nobody waits for it. */
const atOnce = 50;

/** Remembers the uses that this process has seen. */
export function createLastUse({ door, clock, newId, log }: ServerOptions): LastUse {
  const uses = new Map<string, Use>();
  let keeping = Promise.resolve();
  const keep = async (some: readonly Use[]): Promise<void> => {
    const context = { now: clock(), newId, actor: { kind: 'job', name: 'note-use' }, origin: 'api' } as const;
    await submit(door, noteUse(some), context);
    for (const use of some) if (uses.get(use.id) === use) uses.delete(use.id);
  };
  const keepAll = async (): Promise<void> => {
    const all = [...uses.values()];
    try {
      for (let at = 0; at < all.length && door.store.health().state === 'ready'; at += atOnce)
        await keep(all.slice(at, at + atOnce));
    } catch (error) {
      log(`the last use of credentials could not be kept: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const flush = (): Promise<void> => {
    keeping = keeping.then(keepAll);
    return keeping;
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
