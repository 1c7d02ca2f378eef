// A small workload whose every state is known, and the judge of what a store shows after a crash.

import { created, updated } from '../../src/core/model/change.ts';
import { checkStore } from '../../src/store/check.ts';
import { damageWords } from '../../src/store/damage.ts';
import { openStore } from '../../src/store/json-file.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import type { OpenOptions } from '../../src/store/setting.ts';
import type { PositionedView, Store, Transaction } from '../../src/store/store.ts';
import type { FaultDisk } from '../support/fault-file-system.ts';
import { auditRecord, contentOf, creating, deleting, deviceNamed, historyRecord, labelling } from './samples.ts';

/** One commit of the workload. */
export interface Step {
  readonly id: string;
  readonly transaction: Transaction;
}

/** What the store shows after each number of commits. */
export interface Moment {
  readonly content: readonly string[];
  readonly history: readonly string[];
  readonly audit: readonly string[];
}

/** What the secrets of the workload begin with; no file may hold it. */
export const canary = 'canary-in-clear';

/** Where the store stands on a fault disk. */
export const folder = '/store';

/** Steps in batches; those of a batch are committed at once. Creates, updates, deletes, recreations, records; enough for several snapshots. */
export function batches(count: number): Step[][] {
  return Array.from({ length: count }, (_, batch) =>
    Array.from({ length: 1 + (batch % 3) }, (_, index) => stepOf(batch * 3 + index)),
  );
}

/** What the steps lead to, one after another, by the in-memory engine. */
export async function momentsOf(steps: readonly Step[]): Promise<Moment[]> {
  const store = openMemoryStore();
  const moments = [await momentOf(store)];
  for (const { id, transaction } of steps) {
    await store.commit(transaction, { id });
    moments.push(await momentOf(store));
  }
  return moments;
}

/** What a store shows now. */
export async function momentOf(store: Store): Promise<Moment> {
  const ids = async (stream: 'history' | 'audit') =>
    (await store.records({ stream, limit: 10_000 })).map(({ id }) => id);
  return { content: contentOf(store.read()), history: await ids('history'), audit: await ids('audit') };
}

/** Opens a store on a fault disk; its log goes nowhere. */
export function openOn(disk: FaultDisk, options: Partial<OpenOptions> = {}): Promise<Store> {
  return openStore(folder, {
    create: true,
    log: () => {},
    files: disk.files,
    lock: noLock,
    snapshotBytes: 900,
    ...options,
  });
}

/**
 * What is wrong with a disk that was found after a crash, in words; nothing where the store opens on it, shows exactly the first
 * so many commits with all that were acknowledged among them, takes a new one, knows an old one again, and shows the same at
 * one more start.
 */
export async function judge(disk: FaultDisk, steps: readonly Step[], moments: readonly Moment[], acked: number) {
  try {
    const clear = disk.paths().find((path) => disk.content(path)?.includes(canary));
    if (clear !== undefined) return `${clear} holds a secret in clear`;
    const store = await openOn(disk);
    const position = Number(store.read().position);
    const found = JSON.stringify(await momentOf(store));
    if (position < acked) return `${acked} commits were acknowledged and ${position} found`;
    if (found !== JSON.stringify(moments[position])) return `the state at ${position} is none that ever was: ${found}`;
    const repeated = acked > 0 ? await store.commit(creating('never'), steps[acked - 1] ?? { id: '' }) : undefined;
    if (repeated && !repeated.repeated) return `commit ${acked} was forgotten, and done twice`;
    await store.commit(creating('afterwards'), { id: 'afterwards' });
    const [last, fresh] = [JSON.stringify(await momentOf(store)), String(position + 1)];
    await store.close();
    const again = await openOn(disk, { create: false });
    const same = JSON.stringify(await momentOf(again)) === last && again.read().position === fresh;
    await again.close();
    const [bent] = (await checkStore(folder, { files: disk.files })).damage;
    if (bent) return `after a crash a check tells of damage: ${damageWords(bent)}`;
    if (again.health().damage) return `after a crash there is damage: ${again.health().damage?.first}`;
    return same ? undefined : 'a second start shows something else';
  } catch (error) {
    return `${error}`;
  }
}

const noLock = async () => async () => {};

function stepOf(number: number): Step {
  const id = `step-${number}`;
  const name = `s${(number * 5) % 7}`;
  const records = [
    ...(number % 2 === 0 ? [historyRecord(`history-${number}`)] : []),
    ...(number % 3 === 0 ? [auditRecord(`audit-${number}a`, later), auditRecord(`audit-${number}b`, later)] : []),
  ];
  // Every commit keeps something, so that positions count steps.
  const transaction: Transaction = (view) => {
    const deletes = number % 4 === 3 ? deleting(name)(view).changes : [];
    if (deletes.length > 0) return { changes: deletes, records };
    const { changes } = labelling(name, `${number}`)(view);
    return { changes: number % 3 === 1 ? [...changes, keepingSecret(view, `${canary}-${number}`)] : changes, records };
  };
  return { id, transaction };
}

function keepingSecret(view: PositionedView, secret: string) {
  const before = view.get('Device', 'id-d');
  const device = deviceNamed('d', secret);
  return before ? updated(before, device) : created(device);
}

const later = '2999-01-01T00:00:00.000Z';
