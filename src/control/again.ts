// Takes a turn again that came to nothing for no fault of the tree: after a failure, or when the state that stood in its way has moved.
import { declaredKindNames, type KindName, kindOf, kinds } from '../core/kinds/index.ts';
import type { Finding } from '../core/model/finding.ts';
import { referringKinds } from '../core/model/references.ts';
import type { Entry, Store } from '../store/store.ts';
import { createBackOff, type Pauses } from './back-off.ts';

/** What stands in the way of a tree that is good on its own: the kinds of objects that it depends on whether rules say no. */
export type Blocked = ReadonlySet<string>;

/** The kinds whose objects may lift what was found: those that are declared, the people, and whatever refers to what was found. */
export function blockedBy(findings: readonly Finding[]): Blocked {
  const found = new Set<KindName>([...declaredKindNames, 'User', 'Team', 'Membership']);
  const add = (kind: KindName): void => {
    for (const from of referringKinds(kind))
      if (!found.has(from) && !kindOf(from).internal) {
        found.add(from);
        add(from);
      }
  };
  for (const { kind, severity } of findings)
    if (severity === 'error' && kind !== undefined && kind in kinds) {
      found.add(kind as KindName);
      add(kind as KindName);
    }
  return found;
}

export interface AgainOptions {
  readonly store: Store;
  readonly now: () => string;
  /** Milliseconds, monotonic. */
  readonly elapsed: () => number;
  readonly pollSeconds: () => number;
  /** What stands in the way of the tree now, and what kept the last turn from ending. */
  readonly standing: () => { readonly failure: string | undefined; readonly blocked: Blocked | undefined };
  /** Takes a turn. `failed`: the last one did not end, so that the tree is read anew; else what was read is good. */
  readonly turn: (reason: 'failed' | 'moved') => Promise<unknown>;
  readonly pauses?: Pauses | undefined;
}

export interface Again {
  /** A turn has ended. `soon`: it was somebody's whose consents may have been what stood in the way. */
  ended(soon: boolean): void;
  close(): void;
}

/** Milliseconds: how long the state is left to move before it is planned again, and how many times as long as planning took. */
const restMs = 250;
const restShare = 4;

const firstSecond: Pauses = { firstMs: 1000, mostMs: 60_000, steadyMs: 60_000 };

export function createAgain(options: AgainOptions): Again {
  const { store, now, elapsed, standing } = options;
  let soonTimer: NodeJS.Timeout | undefined;
  let pollTimer: NodeJS.Timeout | undefined;
  let position = '';
  let tookMs = 0;
  let isClosed = false;
  const backOff = createBackOff(() => void take('failed'), options.pauses ?? firstSecond);
  const take = async (reason: 'failed' | 'moved') => {
    const start = elapsed();
    // What came of it is remembered and logged by the turn.
    await options.turn(reason).catch(() => {});
    tookMs = elapsed() - start;
  };
  const soon = () => {
    soonTimer ??= setTimeout(
      () => {
        soonTimer = undefined;
        if (standing().blocked) void take('moved');
      },
      Math.max(restMs, restShare * tookMs),
    );
  };
  const poll = () => {
    clearTimeout(pollTimer);
    pollTimer = setTimeout(() => {
      if (!standing().blocked) return;
      // The same plan would come of the same state.
      if (store.read().position === position) poll();
      else void take('moved');
    }, options.pollSeconds() * 1000);
  };
  const unsubscribe = store.subscribe((entry: Entry | 'reset') => {
    const { blocked } = standing();
    if (blocked && (entry === 'reset' || entry.changes.some(({ kind }) => blocked.has(kind)))) soon();
  });
  return {
    ended: (isSoon) => {
      if (isClosed) return;
      const { failure, blocked } = standing();
      if (failure === undefined) backOff.forget('turn');
      else backOff.failed('turn', 0, now());
      clearTimeout(pollTimer);
      if (!blocked) return;
      position = store.read().position;
      poll();
      if (isSoon) soon();
    },
    close: () => {
      isClosed = true;
      unsubscribe();
      backOff.close();
      clearTimeout(soonTimer);
      clearTimeout(pollTimer);
    },
  };
}
