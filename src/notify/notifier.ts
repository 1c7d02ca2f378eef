// Tells receivers what became of the tree: one teller a receiver, each of which follows the history in its own time.
import { setTimeout as sleep } from 'node:timers/promises';
import { historyEntry } from '../control/history.ts';
import { submit } from '../control/submit.ts';
import { forgetReceivers, receiversIn } from '../core/proposals/note-receiver.ts';
import { backlogOf, beginning, type Untold } from './backlog.ts';
import { contextOf, type Desk, declaredIn, deskOf, type NotifierOptions, note, standingOf } from './desk.ts';
import { messagesOf } from './message.ts';
import { type Teller, tell } from './tell.ts';

/** Notifications that go out. */
export interface Notifier {
  /** How many attempts are not yet told, of all receivers together. */
  waiting(): number;
  /** Ends soon, whoever does not answer; what was not delivered is tried again at the next start. */
  close(): Promise<void>;
}

/** Starts telling. What is waited for is found again in the history after a restart: at least once, in order, nothing is told. */
export function startNotifier(options: NotifierOptions): Notifier {
  const office: Office = { desk: deskOf(options), tellers: new Map() };
  let unsubscribe = () => {};
  office.desk.door.store.lead('notify', (lost) => {
    if (office.desk.closing.signal.aborted) return;
    const end = () => {
      beginClosing(office);
      office.desk.stop.abort();
    };
    lost.addEventListener('abort', end, { once: true });
    unsubscribe = follow(office);
    assign(office);
  });
  return {
    waiting: () => [...office.tellers.values()].reduce((sum, { waiting }) => sum + waiting, 0),
    close: async () => {
      unsubscribe();
      beginClosing(office);
      const late = setTimeout(() => office.desk.stop.abort(), office.desk.closeMs);
      await Promise.all([...office.tellers.values()].map(({ done }) => done));
      clearTimeout(late);
    },
  };
}

interface Office {
  readonly desk: Desk;
  readonly tellers: Map<string, Working>;
}

/** A teller at work. */
interface Working extends Teller {
  waiting: number;
  /** Ends the wait for something to tell. */
  wake: () => void;
  done: Promise<void>;
}

/** Nothing new is begun. */
function beginClosing({ desk, tellers }: Office): void {
  desk.closing.abort();
  for (const { wake } of tellers.values()) wake();
}

/** Hears of attempts, and of what is declared otherwise. */
function follow(office: Office): () => void {
  return office.desk.door.store.subscribe((entry) => {
    if (entry === 'reset' || entry.changes.some(({ kind }) => kind === 'Platform')) assign(office);
    const attempts = entry === 'reset' ? 0 : entry.records.filter(({ stream }) => stream === 'history').length;
    if (entry !== 'reset' && attempts === 0) return;
    for (const teller of office.tellers.values()) {
      teller.waiting = Math.min(teller.waiting + attempts, office.desk.most);
      teller.wake();
    }
  });
}

/** Gives each declared receiver a teller, and has those that work look again at what is declared. */
function assign(office: Office): void {
  const { desk, tellers } = office;
  const view = desk.door.store.read();
  const names = new Set(receiversIn(view).map(({ name }) => name));
  for (const teller of tellers.values()) {
    teller.changed.abort();
    teller.changed = new AbortController();
    teller.wake();
  }
  for (const name of names) if (!tellers.has(name)) employ(office, name);
  if ([...view.all('Receiver')].some(({ name }) => !names.has(name)))
    submit(desk.door, forgetReceivers, contextOf(desk)).catch(() => {});
}

function employ(office: Office, name: string): void {
  const { desk, tellers } = office;
  const teller: Working = {
    desk,
    name,
    failures: 0,
    changed: new AbortController(),
    waiting: 0,
    wake: () => {},
    done: Promise.resolve(),
  };
  tellers.set(name, teller);
  teller.done = work(teller).finally(() => {
    desk.standings.delete(name);
    tellers.delete(name);
    // It may have come back since it was last looked at.
    if (!desk.closing.signal.aborted && declaredIn(desk, name)) employ(office, name);
  });
}

const hourMs = 3_600_000;

async function work(teller: Working): Promise<void> {
  const { desk, name } = teller;
  const { signal } = desk.closing;
  while (!signal.aborted && declaredIn(desk, name)) {
    const woken = somethingNew(teller);
    try {
      if (await tellAll(teller)) await woken;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      desk.log(
        'error',
        `the receiver ${name} is told nothing for an hour, because what to tell cannot be read: ${why}`,
      );
      await sleep(hourMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** Tells all that there is to tell; answers whether there was nothing. */
async function tellAll(teller: Working): Promise<boolean> {
  const untold = await whatToTell(teller);
  teller.waiting = untold.length;
  for (const one of untold) {
    if (!(await tellOne(teller, one))) break;
    teller.waiting = Math.max(teller.waiting - 1, 0);
  }
  return untold.length === 0;
}

function somethingNew(teller: Working): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  teller.wake = resolve;
  return promise;
}

/** Nothing for a receiver that wants no more. One that is new begins with the newest attempt. */
async function whatToTell({ desk, name }: Working): Promise<readonly Untold[]> {
  const url = declaredIn(desk, name)?.url;
  const standing = standingOf(desk, name);
  if (url === undefined || (standing?.state === 'gone' && standing.url === url)) return [];
  const { store } = desk.door;
  const backlog = standing && standing.state !== 'gone' && (await backlogOf(store, standing.told, desk.most));
  if (!backlog) {
    await note(desk, name, { told: await beginning(store), url, state: 'well', reason: '' });
    return (await backlogOf(store, standingOf(desk, name)?.told ?? null, desk.most))?.untold ?? [];
  }
  if (backlog.dropped) {
    desk.log('error', `the receiver ${name} is told of the newest ${desk.most} attempts alone: more waited for it`);
    desk.onResult('dropped');
  }
  return backlog.untold;
}

/** Answers whether to go on with the next attempt. */
async function tellOne(teller: Working, { record, before }: Untold): Promise<boolean> {
  const { desk, name } = teller;
  for (const message of messagesOf(record, before, desk.baseUrl)) {
    const told = await tell(teller, message, historyEntry(record).at);
    if (told === 'over' || told === 'gone') return false;
  }
  const { url, state, reason } = standingOf(desk, name) ?? { url: '', state: 'well', reason: '' };
  await note(desk, name, { told: record.id, url, state, reason });
  return !desk.stop.signal.aborted;
}
