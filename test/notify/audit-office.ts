// The audit log on its way out of a store, and entries that are written into it as changes would.
import { kinds } from '../../src/core/kinds/index.ts';
import { newId } from '../../src/lib/id.ts';
import type { AuditStreamOptions } from '../../src/notify/audit/desk.ts';
import { type AuditStream, startAuditStream } from '../../src/notify/audit/stream.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import type { Store, StoreRecord, Transaction } from '../../src/store/store.ts';
import { facts } from '../control/world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { Listener } from './listener.ts';
import { secret } from './listener.ts';
import { platformOf } from './office.ts';

/** What a document says of the audit log. */
export interface Declared {
  /** Addresses by the names of receivers. */
  readonly auditTo?: Readonly<Record<string, string>>;
  readonly auditFile?: { readonly path?: string; readonly maxMegabytes?: number; readonly keep?: number };
}

export interface AuditOffice {
  store: Store;
  readonly logged: string[];
  /** The values of secrets by their variables. */
  readonly secrets: Map<string, string>;
  readonly storeFolder: string;
  declare(wanted: Declared): Promise<void>;
  /** Writes entries in one commit; answers their ids. */
  entries(count: number, more?: Readonly<Record<string, unknown>>): Promise<string[]>;
  standing(target: string): ReturnType<AuditStream['standings']>[number] | undefined;
  standings(): ReturnType<AuditStream['standings']>;
  /** How many commits there were. */
  position(): number;
  start(more?: Partial<AuditStreamOptions>): void;
  close(): Promise<void>;
}

/** A stream that tries again quickly, and keeps how far it is at once. It is started by `start`. */
export function auditOffice(opened: Store = openMemoryStore({ rehearse: true })): AuditOffice {
  const logged: string[] = [];
  const secrets = new Map([['WEIR_SECRET_HOOK', secret]]);
  const storeFolder = temporaryFolder().path;
  let stream: AuditStream | undefined;
  const commit = (transaction: Transaction) => office.store.commit(transaction, { id: newId() });
  const office: AuditOffice = {
    ...{ store: opened, logged, secrets, storeFolder },
    declare: async ({ auditTo = {}, auditFile }) => {
      const receivers = Object.entries(auditTo).map(([name, url]) => ({
        ...{ name, url, secret: { fromEnv: 'WEIR_SECRET_HOOK' } },
      }));
      const spec = kinds.Platform.spec.parse({ auditTo: receivers, ...(auditFile ? { auditFile } : {}) });
      await commit((view) => ({ changes: [platformOf(view.named('Platform', 'platform'), spec)] }));
    },
    entries: async (count, more = {}) => {
      const records = Array.from({ length: count }, () => recordOf(more));
      await commit(() => ({ changes: [], records }));
      return records.map(({ id }) => id);
    },
    standings: () => stream?.standings() ?? [],
    standing: (wanted) => stream?.standings().find(({ target }) => target === wanted),
    position: () => Number(office.store.read().position),
    start: (more) => {
      stream = startAuditStream({
        door: { store: office.store, facts: () => facts },
        secretOf: (wanted) => {
          const value = 'fromEnv' in wanted ? secrets.get(wanted.fromEnv) : undefined;
          return value === undefined ? { message: 'the variable is not set' } : { value };
        },
        baseUrl: 'https://weir.example.com',
        storeFolder,
        clock: () => new Date().toISOString(),
        newId,
        log: (level, message) => logged.push(`${level}: ${message}`),
        retryMs: [20, 40],
        answerMs: 60_000,
        saveMs: 5,
        ...more,
      });
    },
    close: async () => {
      await stream?.close();
      stream = undefined;
    },
  };
  return office;
}

function recordOf(more: Readonly<Record<string, unknown>>): StoreRecord {
  const [id, at] = [newId(), new Date().toISOString()];
  const actor = { kind: 'user', id: 'ann', name: 'ann' };
  const body = { id, at, event: 'team.updated', actor, target: { kind: 'Team', id: 'core' }, changes: [], ...more };
  return { stream: 'audit', id, at, body };
}

/** The ids of the entries that a receiver got, in order. */
export function gotBy({ received }: Pick<Listener, 'received'>): string[] {
  return received.flatMap(({ data }) => data.entries.map(({ id }: { readonly id: string }) => id));
}
