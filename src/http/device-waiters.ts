// Devices that wait for what they should be to change: one subscription of the store for all of them, and nothing that runs while nothing changes.
import type { Change } from '../core/model/change.ts';
import type { Resource } from '../core/model/resource.ts';
import { referrers, type View } from '../core/model/view.ts';
import type { Entry, Store } from '../store/store.ts';

/** What somebody waits for. */
export interface Wait {
  /** The id of the device. */
  readonly device: string;
  /** Whether everything is as they know it. Cheap: it is asked whenever something about the device was written. */
  readonly isSame: (view: View) => boolean;
  readonly ms: number;
  /** Is given what to call when they leave. */
  readonly onEnd: (listener: () => void) => void;
}

export interface DeviceWaiters {
  /** Resolves when something is not as they know it any more, when the time is over, when they leave, and when the server closes. */
  until(wait: Wait): Promise<void>;
  /** Lets all go, and whoever comes later. */
  close(): void;
}

interface Waiter {
  readonly isSame: Wait['isSame'];
  readonly go: () => void;
}

/** Begins to listen to the store. */
export function createDeviceWaiters(store: Store): DeviceWaiters {
  const waiting = new Map<string, Set<Waiter>>();
  let closed = false;
  const look = (view: View, ids: Iterable<string>) => {
    for (const id of ids) for (const { isSame, go } of waiting.get(id) ?? []) if (!isSame(view)) go();
  };
  const unsubscribe = store.subscribe((entry) => {
    if (waiting.size === 0) return;
    const view = store.read();
    look(view, isAboutAll(entry) ? [...waiting.keys()] : touched(entry, view));
  });
  return {
    until: (wait) => (closed ? Promise.resolve() : begin(waiting, wait)),
    close: () => {
      closed = true;
      unsubscribe();
      for (const waiters of waiting.values()) for (const { go } of waiters) go();
    },
  };
}

/** How many may wait for one device: an agent that was started anew may have left some behind. One more lets the one go that came first. */
const mostOfOne = 4;

function begin(waiting: Map<string, Set<Waiter>>, { device, isSame, ms, onEnd }: Wait): Promise<void> {
  return new Promise((resolve) => {
    const own = waiting.get(device) ?? new Set();
    const go = () => {
      clearTimeout(timer);
      own.delete(waiter);
      if (own.size === 0 && waiting.get(device) === own) waiting.delete(device);
      resolve();
    };
    // Node keeps timers of one length in one list, so that a thousand of them cost what one does.
    const timer = setTimeout(go, ms);
    const waiter = { isSame, go };
    if (own.size >= mostOfOne) own.values().next().value?.go();
    own.add(waiter);
    waiting.set(device, own);
    onEnd(go);
  });
}

/** What a team has by its type, and what the platform provides for that, concerns all; it changes so rarely that nobody keeps a list of whom. */
function isAboutAll(entry: Entry | 'reset'): entry is 'reset' {
  return entry === 'reset' || entry.changes.some(({ kind }) => ['Platform', 'TeamType', 'Team'].includes(kind));
}

/** The devices that what was written may be about. */
function* touched({ changes }: Entry, view: View): Iterable<string> {
  for (const change of changes) {
    if (change.kind === 'Device') yield change.id;
    const group = groupIn(change);
    if (group) for (const { id } of referrers(view, 'Device', group)) yield id;
  }
}

function groupIn({ kind, before, after }: Change): Resource | undefined {
  return kind === 'DeviceGroup' ? (after ?? before) : undefined;
}
