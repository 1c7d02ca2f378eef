// Drift in a reconcile: what others changed since a server applied its tree, who did, and whether they do it again and again.
import { addressOf } from '../core/model/resource.ts';
import type { Desired } from '../core/plan/desired.ts';
import { markOf, type PlanMode } from '../core/plan/drift.ts';
import { fieldsOf } from '../core/plan/plan-fields.ts';
import type { Plan, Planned } from '../core/plan/planned.ts';
import type { Store, StoreRecord } from '../store/store.ts';
import { auditEntryOf, auditFilter } from './audit.ts';
import type { Drift, Drifted } from './config-status.ts';
import { type Attempts, historyEntry } from './history.ts';

/** Which objects others deleted since a server applied its tree: of what is gone no mark is left but in the audit log, and in history. */
export async function goneSince(store: Store, { applied, served }: Attempts): Promise<PlanMode['gone']> {
  if (!served) return undefined;
  const left = (served.drift ?? []).filter((one) => one.left && one.action === 'create');
  const gone = new Map<string, string | undefined>(left.map(({ address, mark }) => [address, mark]));
  const isUntoldGone = untoldGone(served);
  if (served !== applied)
    for (const record of await store.records({ ...byCommand(served.at), limit: mostDeletions })) {
      const { kind, name } = auditEntryOf(record).target;
      if (name !== undefined) gone.set(addressOf({ kind, name }), undefined);
    }
  return (wanted) => {
    const address = addressOf(wanted);
    if (!gone.has(address)) return isUntoldGone(wanted);
    const mark = gone.get(address);
    return mark === undefined || mark === markOf(wanted);
  };
}

function untoldGone({ gone = {} }: Drift): (wanted: Desired) => boolean {
  if (gone === 'all') return () => true;
  const marks = new Map(Object.entries(gone).map(([kind, list]) => [kind, new Set(list)]));
  return (wanted) => marks.get(wanted.kind)?.has(markOf(wanted)) ?? false;
}

const mostDeletions = 100_000;

function byCommand(since: string) {
  return {
    stream: 'audit',
    since,
    holding: ['.deleted"', '"command"'],
    where: (record: StoreRecord) => {
      const { actor, event } = auditEntryOf(record);
      return actor.kind === 'config' && actor.name === 'command' && event.endsWith('.deleted');
    },
  } as const;
}

/** The drift that a plan reverts, or that it leaves (all of it or none); with who made it, for the first objects of it. */
export async function driftIn(store: Store, plan: Plan, now: string): Promise<Drift> {
  const all = driftedIn(plan);
  if (all.length === 0) return {};
  const found = firstOf(plan, all);
  const named = await Promise.all(found.slice(0, mostNamed).map((one) => withMaker(store, one)));
  const times = await earlierTimes(store, now);
  const drift = [...named, ...found.slice(mostNamed).map(({ id: _, ...one }) => one)]
    .map((one) => withFight(one, times, now))
    .toSorted((a, b) => Number(b.times !== undefined) - Number(a.times !== undefined));
  return { drift, ...untold(plan, all) };
}

/** The same of a plan that was made anew, without asking the store: of what was drifted before, all is known already. */
export function driftAgain(plan: Plan, before: Drift): Drift {
  const all = driftedIn(plan);
  if (all.length === 0) return {};
  const known = new Map(before.drift?.map((one) => [one.address, one]));
  const drift = firstOf(plan, all).map(({ id: _, ...one }) => {
    const { by, times } = known.get(one.address) ?? {};
    return { ...one, ...(by ? { by } : {}), ...(times === undefined ? {} : { times }) };
  });
  return { drift, ...untold(plan, all) };
}

function driftedIn({ planned, left = [] }: Plan): readonly Planned[] {
  return [...planned.filter(({ cause }) => cause === 'drift'), ...left];
}

function firstOf({ left = [] }: Plan, all: readonly Planned[]): readonly Found[] {
  return all.slice(0, mostTold).map((one) => driftedBy(one, left.length > 0));
}

function untold({ left = [] }: Plan, all: readonly Planned[]): Omit<Drift, 'drift'> {
  if (all.length <= mostTold) return {};
  return { driftTotal: all.length, ...(left.length > 0 ? goneIn(all.slice(mostTold)) : {}) };
}

/** So many drifted objects are told by an entry of the history; the others are counted. */
const mostTold = 100;

/** So many objects that were left deleted are remembered beside those that are told: a dozen bytes each. */
const mostGone = 10_000;

/** What the next reconcile has to know of what was left deleted and is not told. */
function goneIn(left: readonly Planned[]): Pick<Drift, 'gone'> {
  const wanted = left.flatMap(({ action, desired }) => (action === 'create' && desired ? [desired] : []));
  if (wanted.length === 0) return {};
  if (wanted.length > mostGone) return { gone: 'all' };
  const byKind = Map.groupBy(wanted, ({ kind }) => kind);
  return { gone: Object.fromEntries([...byKind].map(([kind, list]) => [kind, list.map(markOf)])) };
}

/** So many objects are told with who changed them: to look for that costs a search of the audit log each. */
const mostNamed = 20;

const mostFields = 20;

type Found = Drifted & { readonly id: string | undefined };

function driftedBy({ action, change, desired }: Planned, left: boolean): Found {
  const { kind, before, after } = change;
  const name = (desired ?? after ?? before)?.name ?? '';
  const fields = action === 'update' ? fieldsOf(before, after, desired).map(({ path }) => path) : [];
  const mark = desired && action === 'create' ? { mark: markOf(desired) } : {};
  return {
    address: addressOf({ kind, name }),
    action,
    fields: fields.slice(0, mostFields),
    left,
    ...mark,
    id: before?.id,
  };
}

/** Whoever applied something to it last, past the writes of fields that are left to the API. */
async function withMaker(store: Store, { id, ...drifted }: Found): Promise<Drifted> {
  const [kind, name] = drifted.address.split('/');
  const { where: isIts = () => true, ...asked } = auditFilter({ target: id ?? name });
  const where = (record: StoreRecord) => {
    const entry = auditEntryOf(record);
    return isIts(record) && entry.target.kind === kind && entry.revision !== undefined;
  };
  const [record] = await store.records({ ...asked, where, limit: 1 });
  if (!record) return drifted;
  const { actor, at, revision } = auditEntryOf(record);
  return {
    ...drifted,
    by: { actor: actor.name ?? actor.id ?? actor.kind, at, ...(revision === undefined ? {} : { revision }) },
  };
}

const hourMs = 3_600_000;

/** Drifting for the third time within an hour: somebody else wants it otherwise, and does not stop. */
const fightAfter = 3;

/** When which object was found drifted within the last hour: the times at which it was changed, so that drift which is left counts once. */
async function earlierTimes(store: Store, now: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const since = new Date(Date.parse(now) - hourMs).toISOString();
  const where = (record: StoreRecord) => historyEntry(record).drift !== undefined;
  const records = await store.records({ stream: 'history', since, where, holding: ['"drift"'], limit: 1000 });
  const times = new Map<string, Set<string>>();
  for (const record of records) {
    const { at, drift = [] } = historyEntry(record);
    for (const one of drift) {
      const changed = changedAt(one, at);
      if (changed !== undefined) times.set(one.address, (times.get(one.address) ?? new Set()).add(changed));
    }
  }
  return times;
}

/** When an object was changed; nothing where it was left and nobody looked who changed it: it may be the same change as before. */
function changedAt({ by, left }: Drifted, foundAt: string): string | undefined {
  return by?.at ?? (left ? undefined : foundAt);
}

function withFight(drifted: Drifted, earlier: ReadonlyMap<string, ReadonlySet<string>>, now: string): Drifted {
  const changed = changedAt(drifted, now);
  if (changed === undefined) return drifted;
  const times = new Set(earlier.get(drifted.address)).add(changed);
  return times.size >= fightAfter ? { ...drifted, times: times.size } : drifted;
}
