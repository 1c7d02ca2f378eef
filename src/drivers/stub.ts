// A driver that runs nothing and says it does, at once or as it is told: for tests and measurements.

import { Readable } from 'node:stream';
import type { Stored } from '../core/instances/content.ts';
import type { StaticFile } from '../core/instances/static-files.ts';
import type { FeatureName } from '../core/kinds/features.ts';
import {
  type Driver,
  DriverFailed,
  type Files,
  type Keeper,
  type Notice,
  type Reason,
  type Run,
  type Runner,
} from './driver.ts';

/** A stub, and what it can be told. */
export interface Stub extends Driver {
  readonly runner: Runner;
  readonly keeper: Keeper;
  readonly files: Files;
  /** Makes something the flows of an instance, as a deploy does. */
  deploy(id: string, stored: Partial<Stored>): void;
  /** Everything that it was asked to do, in order: `start ID`. */
  readonly calls: readonly string[];
  /** What runs, with what it was started with. */
  readonly runs: ReadonlyMap<string, Run>;
  /** Lets whatever it is asked to do wait, until the function that this answers is called. */
  hold(): () => void;
  /** Lets that of which this answers true hang until it is given up. */
  hang(whether: (work: keyof Runner | 'read' | 'write', id: string) => boolean): void;
  /** Refuses whatever is asked for which this answers a reason. */
  refuse(why: (work: keyof Runner | 'read' | 'write', id: string, run?: Run) => Reason | undefined): void;
  /** Ends an instance as if by itself. */
  end(id: string, why: Reason): void;
  /** Tells of something that is wrong with an instance that runs on. */
  notice(id: string, notice: Notice): void;
}

/** A stub that stands in for the driver of a kind. */
export function stubDriver(kind: Driver['kind'] = 'local', provides: readonly FeatureName[] = []): Stub {
  const runs = new Map<string, Run>();
  const calls: string[] = [];
  const listeners = new Set<(id: string, why: Reason) => void>();
  const noticing = new Set<(id: string, notice: Notice) => void>();
  let gate: Promise<void> = Promise.resolve();
  let hangs: Parameters<Stub['hang']>[0] = () => false;
  let refusal: Parameters<Stub['refuse']>[0] = () => undefined;
  const kept = new Map<string, Stored>();
  const files = stubFiles();
  const changing = new Set<(id: string) => void>();
  const asked = async (work: Parameters<typeof refusal>[0], id: string, run?: Run): Promise<void> => {
    // Whoever reads waits for nobody.
    const isQuiet = work === 'read' || work === 'check';
    if (!isQuiet) calls.push(`${work} ${id}`);
    if (hangs(work, id)) await new Promise(() => {});
    if (!isQuiet) await gate;
    const why = refusal(work, id, run);
    if (why) throw new DriverFailed(why.reason, why.message);
  };
  const down = (work: 'stop' | 'suspend' | 'remove') => async (id: string) => {
    await asked(work, id);
    runs.delete(id);
    if (work === 'remove') kept.delete(id);
    if (work === 'remove') files.forget(id);
  };
  const keeper: Keeper = {
    read: async (id, { context: isAsked = false } = {}) => {
      await asked('read', id);
      const { context = [], ...stored } = kept.get(id) ?? { flows: [], modules: {} };
      return isAsked ? { ...stored, context } : stored;
    },
    write: async (id, { stored, encryptedWith, credentialSecret }) => {
      await asked('write', id);
      if (runs.has(id)) throw new DriverFailed('Running', 'it runs, and would write its own flows over them');
      // Credentials in a stub say what they are encrypted with, where they say anything.
      const isTheirs = stored.credentials?.with !== undefined && stored.credentials.with === encryptedWith;
      const now = isTheirs ? { ...stored, credentials: { ...stored.credentials, with: credentialSecret } } : stored;
      const context = stored.context ?? kept.get(id)?.context;
      kept.set(id, { ...now, ...(context ? { context } : {}) });
      return now;
    },
    onChange: (listener) => {
      changing.add(listener);
      return () => changing.delete(listener);
    },
  };
  const runner: Runner = {
    start: async (run, signal) => {
      await unlessAborted(asked('start', run.id, run), signal);
      runs.set(run.id, run);
      return { url: `http://${run.id}.stub.invalid/` };
    },
    check: (run) => asked('check', run.id, run),
    stop: down('stop'),
    suspend: down('suspend'),
    remove: down('remove'),
    running: async () => new Set(runs.keys()),
    onEnd: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onNotice: (listener) => {
      noticing.add(listener);
      return () => noticing.delete(listener);
    },
  };
  return {
    kind,
    provides: new Set(provides),
    runner,
    keeper,
    files: files.files,
    deploy: (id, stored) => {
      kept.set(id, { flows: [], modules: {}, ...kept.get(id), ...stored });
      for (const listener of changing) listener(id);
    },
    calls,
    runs,
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    hang: (whether) => {
      hangs = whether;
    },
    refuse: (why) => {
      refusal = why;
    },
    notice: (id, notice) => {
      for (const listener of noticing) listener(id, notice);
    },
    end: (id, why) => {
      if (runs.delete(id)) for (const listener of listeners) listener(id, why);
    },
  };
}

interface StubFile extends StaticFile {
  readonly content: Uint8Array;
}

/** Files in memory; each has the time of the epoch. */
function stubFiles(): { readonly files: Files; forget(id: string): void } {
  const held = new Map<string, Map<string, StubFile>>();
  let writes = 0;
  const of = (id: string) => held.get(id) ?? new Map<string, StubFile>();
  const shown = ({ content: _, ...file }: StubFile): StaticFile => file;
  const list = (id: string) => [...of(id).values()].map(shown).sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    forget: (id) => held.delete(id),
    files: {
      list: async (id) => list(id),
      put: async (id, path, content, check) => {
        check(list(id));
        writes += 1;
        const modifiedAt = new Date(0).toISOString();
        const file = { path, size: content.length, modifiedAt, version: `w${writes}`, content };
        held.set(id, of(id).set(path, file));
        return shown(file);
      },
      remove: async (id, path, check) => {
        check(list(id));
        of(id).delete(path);
      },
      open: async (id, path) => {
        const file = of(id).get(path);
        if (!file) return undefined;
        const read = (part = { start: 0, end: file.content.length - 1 }) =>
          Readable.from([file.content.subarray(part.start, part.end + 1)]);
        return { ...shown(file), read, close: async () => {} };
      },
    },
  };
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new DriverFailed('Aborted', 'Weir is stopping'));
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  await Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', giveUp));
}
