// A notifier over a store in memory, and attempts that are written into its history as a reconcile would.
import type { HistoryEntry } from '../../src/control/config-status.ts';
import { historyRecord } from '../../src/control/history.ts';
import { kinds } from '../../src/core/kinds/index.ts';
import { created, updated } from '../../src/core/model/change.ts';
import { defaultLifecycle, type Resource } from '../../src/core/model/resource.ts';
import { newId } from '../../src/lib/id.ts';
import type { NotifierOptions } from '../../src/notify/desk.ts';
import { startNotifier } from '../../src/notify/notifier.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import type { Store, Transaction } from '../../src/store/store.ts';
import { facts } from '../control/world.ts';
import { secret } from './listener.ts';

/** A receiver as a document writes it. */
export interface Hook {
  readonly url: string;
  readonly events?: readonly string[];
}

export interface Office {
  readonly store: Store;
  readonly logged: string[];
  readonly results: string[];
  /** The values of secrets by their variables. */
  readonly secrets: Map<string, string>;
  /** Declares receivers, in one commit with the attempt that did. */
  declare(hooks: Readonly<Record<string, Hook>>, revision?: string): Promise<void>;
  attempt(revision: string, result?: HistoryEntry['result'], more?: Partial<HistoryEntry>): Promise<void>;
  receiver(name: string): Resource<'Receiver'>['spec'] | undefined;
  waiting(): number;
  start(more?: Partial<NotifierOptions>): void;
  close(): Promise<void>;
}

/** A notifier that tries again quickly. It is started by `start`. */
export function office(store: Store = openMemoryStore({ rehearse: true })): Office {
  const logged: string[] = [];
  const results: string[] = [];
  const secrets = new Map([['WEIR_SECRET_HOOK', secret]]);
  let notifier: ReturnType<typeof startNotifier> | undefined;
  const commit = (transaction: Transaction) => store.commit(transaction, { id: newId() });
  const recordOf = (revision: string, result: HistoryEntry['result'], more: Partial<HistoryEntry> = {}) =>
    historyRecord(newId(), { ...entryOf(revision, result), ...more });
  return {
    store,
    logged,
    results,
    secrets,
    async declare(hooks, revision = 'declared') {
      const notifications = Object.entries(hooks).map(([name, hook]) => ({
        name,
        secret: { fromEnv: 'WEIR_SECRET_HOOK' },
        ...hook,
      }));
      const spec = kinds.Platform.spec.parse({ notifications });
      await commit((view) => ({
        changes: [platformOf(view.named('Platform', 'platform'), spec)],
        records: [recordOf(revision, 'applied')],
      }));
    },
    attempt: async (revision, result = 'applied', more) => {
      await commit(() => ({ changes: [], records: [recordOf(revision, result, more)] }));
    },
    receiver: (name) => store.read().named('Receiver', name)?.spec,
    waiting: () => notifier?.waiting() ?? 0,
    start: (more) => {
      notifier = startNotifier({
        door: { store, facts: () => facts },
        secretOf: (wanted) => {
          const value = 'fromEnv' in wanted ? secrets.get(wanted.fromEnv) : undefined;
          return value === undefined ? { message: 'the variable is not set' } : { value };
        },
        baseUrl: 'https://weir.example.com',
        clock: () => new Date().toISOString(),
        newId,
        log: (level, message) => logged.push(`${level}: ${message}`),
        onResult: (result) => results.push(result),
        retryMs: [20, 40],
        answerMs: 60_000,
        ...more,
      });
    },
    close: async () => {
      await notifier?.close();
      notifier = undefined;
    },
  };
}

function entryOf(revision: string, result: HistoryEntry['result']): HistoryEntry {
  const summary = { create: 0, update: 1, delete: 0, rename: 0, adopt: 0, unchanged: 3, blocked: 0 };
  const counts = { summary, errors: 0, warnings: 0, findings: [], durationMs: 4 };
  return { revision, trigger: 'watch', result, at: new Date().toISOString(), ...counts };
}

/** The change that declares a platform. */
export function platformOf(before: Resource<'Platform'> | undefined, spec: Resource<'Platform'>['spec']) {
  if (before) return updated(before, { ...before, spec, generation: before.generation + 1 });
  const at = '2026-11-21T10:00:00.000Z';
  const declared = { labels: {}, lifecycle: defaultLifecycle, managedBy: 'config' } as const;
  const times = { generation: 1, createdAt: at, updatedAt: at };
  return created({ kind: 'Platform', id: 'platform', name: 'platform', spec, ...times, ...declared });
}
