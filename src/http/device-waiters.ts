// Devices that wait for what they should be to change: one subscription of the store for all of them, and nothing that runs while nothing changes.
import type { Change } from '../core/model/change.ts';
import { sameValue } from '../core/model/leaves.ts';
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
    look(view, (entry === 'reset' ? undefined : touchedBy(entry, view)) ?? [...waiting.keys()]);
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

/** The devices whose answer may be another one now; `undefined` for all of them. */
function touchedBy({ changes }: Entry, view: View): ReadonlySet<string> | undefined {
  const that = changes.filter(moved);
  // It changes so rarely, and by so little of it, that nobody keeps a list of whom it concerns.
  if (that.some(({ kind }) => kind === 'Platform')) return undefined;
  return new Set(that.flatMap((change) => devicesOf(change, view)));
}

/** The ids of the devices that a change is about. */
function devicesOf({ kind, id, before, after }: Change, view: View): string[] {
  if (kind === 'Device') return [id];
  const held: Resource | undefined = after ?? before;
  if (!held) return [];
  if (kind === 'DeviceGroup') return [...referrers(view, 'Device', held)].map((device) => device.id);
  if (kind === 'Team') return developersOf(view, held);
  return [...referrers(view, 'Team', held)].flatMap((team) => developersOf(view, team));
}

/** What is told by the features of a team concerns devices in developer mode. */
function developersOf(view: View, team: Resource): string[] {
  const devices = [...referrers(view, 'Device', team)];
  return devices.flatMap(({ id, spec }) => (spec.mode === 'developer' ? [id] : []));
}

/** Whether something moved that answers are made of. What is new has no device yet, but for a device. */
function moved({ kind, before, after }: Change): boolean {
  const parts = partsOf[kind];
  if (!parts) return false;
  if (!before || !after) return kind === 'Device' || before !== undefined;
  const [old, now] = [before.spec as Spec, after.spec as Spec];
  if (kind === 'Device' && before.name !== after.name) return true;
  const names = parts === 'all' ? Object.keys({ ...old, ...now }) : parts;
  return names.some((part) => old[part] !== now[part] && !sameValue(old[part], now[part]));
}

type Spec = Readonly<Record<string, unknown>>;

/** The fields that answers are made of, by kind. */
const partsOf: Readonly<Partial<Record<Change['kind'], readonly string[] | 'all'>>> = {
  Device: ['team', 'hash', 'mode', 'group', 'targetSnapshot', 'environment', 'snapshotRequest', 'credentialSecret'],
  DeviceGroup: ['targetSnapshot'],
  Team: ['type'],
  TeamType: ['features'],
  Platform: 'all',
};
