// What was reconciled last, as state: history drops what is old, and refused attempts would push the good ones out.
import { type Change, created, updated } from '../core/model/change.ts';
import type { Resource } from '../core/model/resource.ts';
import type { View } from '../core/model/view.ts';
import type { StoreRecord } from '../store/store.ts';
import { type HistoryEntry, isServer } from './config-status.ts';

const name = 'reconciler';

/** The newest attempt that was not refused, and the newest of those that a server made: it may be the same. */
export interface Reconciled {
  readonly applied: HistoryEntry;
  readonly served?: HistoryEntry | undefined;
}

/** What a state says was reconciled last; nothing where nothing was, or an older version of Weir wrote it. */
export function reconciledIn(view: View): Reconciled | undefined {
  const spec = view.named('Reconciled', name)?.spec;
  return spec && reconciledOf(JSON.parse(spec.applied), spec.served === null ? undefined : JSON.parse(spec.served));
}

/** What an attempt that was kept changes of it: part of the commit that keeps its record. */
export function noteReconciled(view: View, { body, at }: Pick<StoreRecord, 'body' | 'at'>): Change[] {
  return noted(view, reconciledOf(body as unknown as HistoryEntry, reconciledIn(view)?.served), at);
}

/** Takes over what history knows, for a state that an older version of Weir wrote. */
export function takeOver(view: View, found: Reconciled): Change[] {
  return view.named('Reconciled', name) ? [] : noted(view, found, found.applied.at);
}

function reconciledOf(applied: HistoryEntry, served: HistoryEntry | undefined): Reconciled {
  return { applied, served: isServer(applied) ? applied : served };
}

function noted(view: View, { applied, served }: Reconciled, now: string): Change[] {
  const before = view.named('Reconciled', name);
  const other = served === undefined || served === applied ? null : JSON.stringify(served);
  const spec = { applied: JSON.stringify(applied), served: other };
  if (before) return [updated(before, { ...before, spec, generation: before.generation + 1, updatedAt: now })];
  const made: Resource = { kind: 'Reconciled', id: name, name, spec, generation: 1, createdAt: now, updatedAt: now };
  return [created(made)];
}
