// Mails the owners of instances that crash or stay near a limit of their stack. It is noted once the mail server has it: a kill between the two mails again, and loses nothing.
import { type Door, submit } from '../control/submit.ts';
import { type AlertCause, isUntoldSafeMode, untoldCrashes } from '../core/instances/untold.ts';
import { ownerAddresses } from '../core/model/members.ts';
import type { Resource } from '../core/model/resource.ts';
import type { View } from '../core/model/view.ts';
import { type AlertNote, noteAlerts } from '../core/proposals/note-alerts.ts';
import { effectiveIn } from '../core/rules/facts.ts';
import type { Clock } from '../lib/clock.ts';
import { instanceAlerts } from '../mail/instance-alerts.ts';
import type { Mailer, MailOutcome } from '../mail/mail.ts';
import { type Due, limitsOf, type Measured, type Near } from './limits.ts';

export interface AlertsOptions {
  readonly door: Door;
  readonly mailer: Pick<Mailer, 'send'>;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  /** Told of each alert that was mailed. */
  readonly onAlert?: (cause: AlertCause) => void;
}

/** Alerts that go out. */
export interface Alerts {
  /** Begins, while this process leads. */
  start(): void;
  /** Looks at what is to be told; `samples` are what runs uses now, by the ids of instances. */
  look(samples: ReadonlyMap<string, Measured>): Promise<void>;
  /** Begins nothing new, and notes what becomes of the mails that are under way. */
  close(): Promise<void>;
}

/** Makes them. */
export function createAlerts(options: AlertsOptions): Alerts {
  const desk: Desk = {
    options,
    near: new Map(),
    watched: new Set(),
    underway: new Map(),
    sending: new Set(),
    leads: false,
    unsubscribe: () => {},
  };
  return {
    start: () => {
      const { store } = options.door;
      store.lead('alerts', (lost) => {
        desk.leads = true;
        lost.addEventListener('abort', () => end(desk), { once: true });
        desk.unsubscribe = follow(desk);
        watchAll(desk);
      });
    },
    look: (samples) => look(desk, samples),
    close: async () => {
      end(desk);
      await Promise.all(desk.sending);
    },
  };
}

interface Desk {
  readonly options: AlertsOptions;
  /** How near each instance that runs is to its limits, by id; of one run. */
  readonly near: Map<string, Near>;
  /** The ids of instances that crashed, or were told of: there may be something to tell of them, or to take back. */
  readonly watched: Set<string>;
  /** What is being mailed (`ID CAUSE`), and what no mail server was asked to take, with the time (RFC 3339) until which it is left alone. */
  readonly underway: Map<string, string | undefined>;
  readonly sending: Set<Promise<void>>;
  leads: boolean;
  unsubscribe: () => void;
}

function end(desk: Desk): void {
  desk.leads = false;
  desk.unsubscribe();
}

function follow(desk: Desk): () => void {
  return desk.options.door.store.subscribe((entry) => {
    if (entry === 'reset') watchAll(desk);
    else for (const { kind, after } of entry.changes) if (kind === 'Instance') watch(desk, after);
  });
}

function watchAll(desk: Desk): void {
  for (const instance of desk.options.door.store.read().all('Instance')) watch(desk, instance);
}

function watch({ watched }: Desk, instance: Resource | undefined): void {
  if (instance?.kind !== 'Instance' || !('instanceType' in instance.spec)) return;
  const { crashes, safeMode, alerts } = instance.spec;
  if (crashes || safeMode || alerts?.memory?.near || alerts?.cpu?.near || alerts?.disk?.near) watched.add(instance.id);
}

async function look(desk: Desk, samples: ReadonlyMap<string, Measured>): Promise<void> {
  if (!desk.leads) return;
  const { door, clock } = desk.options;
  const view = door.store.read();
  const now = clock();
  const due: Due[] = [];
  const over: AlertNote[] = [];
  for (const id of new Set([...samples.keys(), ...desk.watched])) {
    const instance = view.get('Instance', id);
    if (!instance) forget(desk, id);
    else {
      due.push(...crashOf(instance, now), ...safeModeOf(instance, now));
      const { found, ended } = limitsOf(desk.near, instance, { sample: samples.get(id), now });
      due.push(...found);
      over.push(...ended);
    }
  }
  for (const [team, those] of Map.groupBy(due, ({ instance }) => instance.spec.team))
    tell(
      desk,
      view,
      team,
      those.filter((one) => isFree(desk, keyOf(one), now)),
    );
  if (over.length > 0) await note(desk, over);
}

function keyOf({ instance, alert }: Due): string {
  return `${instance.id} ${alert.cause}`;
}

function forget({ near, watched }: Desk, id: string): void {
  near.delete(id);
  watched.delete(id);
}

function* crashOf(instance: Resource<'Instance'>, now: string): Iterable<Due> {
  const { id, name, spec } = instance;
  const times = untoldCrashes(spec.crashes, spec.alerts, now);
  if (!spec.crashes || times === 0) return;
  const { at, message, count } = spec.crashes;
  const alert = { id, name, cause: 'crash', times, at, because: message } as const;
  yield { instance, alert, told: { crash: { toldAt: now, count } } };
}

function* safeModeOf(instance: Resource<'Instance'>, now: string): Iterable<Due> {
  const { id, name, spec } = instance;
  if (!spec.safeMode || !isUntoldSafeMode(spec.safeMode, spec.alerts, now)) return;
  const alert = { id, name, cause: 'safeMode', because: spec.safeMode.message } as const;
  yield { instance, alert, told: { safeMode: { toldAt: now } } };
}

/** Mails the owners of a team, all that is due in one mail; where its type has the feature. */
function tell(desk: Desk, view: View, id: string, due: readonly Due[]): void {
  const { mailer, baseUrl, door } = desk.options;
  const team = view.get('Team', id);
  const type = team && view.get('TeamType', team.spec.type);
  if (!team || !type || due.length === 0) return;
  if (!effectiveIn(view, door.facts(), type.spec.features, 'emailAlerts').effective) return;
  const about = { baseUrl, team: { id, name: team.spec.displayName }, alerts: due.map(({ alert }) => alert) };
  const sent = ownerAddresses(view, id).map(
    (to) =>
      new Promise<Told>((told) =>
        mailer.send(instanceAlerts({ ...about, to }), (outcome, mayWorkLater) => told({ outcome, mayWorkLater })),
      ),
  );
  for (const one of due) desk.underway.set(keyOf(one), undefined);
  const work = Promise.all(sent)
    .then((outcomes) => conclude(desk, due, outcomes))
    .finally(() => desk.sending.delete(work));
  desk.sending.add(work);
}

/** What became of a mail. */
interface Told {
  readonly outcome: MailOutcome;
  readonly mayWorkLater: boolean;
}

/** What cannot be noted counts as being mailed from then on, so that this process does not mail it again and again. */
async function conclude(desk: Desk, due: readonly Due[], all: readonly Told[]): Promise<void> {
  // What no mail server took, and one may take yet, is told later, also by the next process.
  const isToldLater = all.length > 0 && all.every(({ outcome, mayWorkLater }) => outcome !== 'sent' && mayWorkLater);
  if (all.some(({ outcome }) => outcome === 'sent')) for (const { alert } of due) desk.options.onAlert?.(alert.cause);
  const notes = due.map(({ instance, told }) => ({ id: instance.id, alerts: told }));
  if (isToldLater) return leaveAlone(desk, due);
  if (!(await note(desk, notes))) return;
  for (const one of due) desk.underway.delete(keyOf(one));
}

/** A queue of mails that is full is not asked again with each look. */
function leaveAlone({ options, underway }: Desk, due: readonly Due[]): void {
  const until = new Date(Date.parse(options.clock()) + pauseMs).toISOString();
  for (const one of due) underway.set(keyOf(one), until);
}

/** Five minutes. */
const pauseMs = 300_000;

/** Whether nothing is under way. A clock that was set back is told by a time that is too far off. */
function isFree({ underway }: Desk, key: string, now: string): boolean {
  const until = underway.get(key);
  if (until === undefined) return !underway.has(key);
  return now >= until || Date.parse(until) - Date.parse(now) > pauseMs;
}

/** Whether it was kept. */
async function note({ options: { door, clock, newId, log } }: Desk, notes: readonly AlertNote[]): Promise<boolean> {
  try {
    const actor = { kind: 'job', name: 'alerts' } as const;
    await submit(door, noteAlerts(notes), { now: clock(), newId, actor, origin: 'api' });
    return true;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log('error', `what owners of instances were told cannot be kept: ${why}`);
    return false;
  }
}
