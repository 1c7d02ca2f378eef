// Mails the owners of instances that crash or stay near a limit of their stack: once, whatever happens to Weir meanwhile.
import { type Door, submit } from '../control/submit.ts';
import { farFrom, type Nearness, nearnessAfter } from '../core/instances/near-limit.ts';
import {
  type AlertCause,
  isUntoldNear,
  type LimitCause,
  limitCauses,
  untoldCrashes,
} from '../core/instances/untold.ts';
import type { InstanceAlerts } from '../core/kinds/instance.ts';
import { ownersKey } from '../core/kinds/membership.ts';
import type { Resource } from '../core/model/resource.ts';
import type { View } from '../core/model/view.ts';
import { type AlertNote, noteAlerts } from '../core/proposals/note-alerts.ts';
import { effectiveIn } from '../core/rules/facts.ts';
import type { Clock } from '../lib/clock.ts';
import type { Mailer, MailOutcome } from '../mail/mail.ts';
import { type InstanceAlert, instanceAlerts } from '../mail/messages.ts';
import type { Sample } from './history.ts';

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

/** A sample of a run; `heapBytes` is what counts against the memory that its stack allows, where that is known. */
export interface Measured extends Sample {
  readonly run: string;
  readonly heapBytes?: number | undefined;
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
    underway: new Set(),
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
  /** What is being mailed: `ID CAUSE`. */
  readonly underway: Set<string>;
  readonly sending: Set<Promise<void>>;
  leads: boolean;
  unsubscribe: () => void;
}

interface Near {
  readonly run: string;
  readonly memory: Nearness;
  readonly cpu: Nearness;
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
  if (instance?.kind !== 'Instance' || !('conditions' in instance.spec)) return;
  const { crashes, alerts } = instance.spec;
  if (crashes || alerts?.memory?.near || alerts?.cpu?.near) watched.add(instance.id);
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
      due.push(...crashOf(instance, now));
      const { found, ended } = limitsOf(desk, instance, { sample: samples.get(id), now });
      due.push(...found);
      over.push(...ended);
    }
  }
  for (const [team, those] of Map.groupBy(due, ({ instance }) => instance.spec.team))
    tell(
      desk,
      view,
      team,
      those.filter((one) => !desk.underway.has(keyOf(one))),
    );
  if (over.length > 0) await note(desk, over);
}

/** Something to be told of an instance, and what is noted once it was. */
interface Due {
  readonly instance: Resource<'Instance'>;
  readonly alert: InstanceAlert;
  readonly told: InstanceAlerts;
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

/** What is near a limit and was not told, and what was told and is so no more. */
function limitsOf(
  desk: Desk,
  instance: Resource<'Instance'>,
  { sample, now }: { readonly sample: Measured | undefined; readonly now: string },
): { readonly found: readonly Due[]; readonly ended: readonly AlertNote[] } {
  const isRunning = instance.spec.state === 'running';
  // At the start of Weir nothing is measured yet of what runs.
  if (isRunning && !sample) return { found: [], ended: [] };
  const near = isRunning && sample ? nearAfter(desk, instance, sample) : undefined;
  if (!near) desk.near.delete(instance.id);
  const nearTo = limitCauses.filter((cause) => near?.[cause].near);
  const farTo = limitCauses.filter((cause) => !near?.[cause].near);
  return {
    found: nearTo.flatMap((cause) => (sample && nearLimit(instance, cause, sample, now)) ?? []),
    ended: farTo.flatMap((cause) => endOf(instance, cause) ?? []),
  };
}

function nearLimit(instance: Resource<'Instance'>, cause: LimitCause, sample: Measured, now: string): Due | undefined {
  const { id, name, spec } = instance;
  const [limit, used] = [limitOf(instance, cause), usedOf(sample, cause)];
  if (limit === undefined || used === undefined || !isUntoldNear(cause, spec.alerts, now)) return undefined;
  return { instance, alert: { id, name, cause, used, limit }, told: { [cause]: { toldAt: now, near: true } } };
}

function endOf({ id, spec: { alerts } }: Resource<'Instance'>, cause: LimitCause): AlertNote | undefined {
  const told = alerts?.[cause];
  return told?.near ? { id, alerts: { [cause]: { ...told, near: false } } } : undefined;
}

/** Another run begins far from its limits; what was told before Weir was started holds until it is seen to have ended. */
function nearAfter(desk: Desk, instance: Resource<'Instance'>, sample: Measured): Near {
  const known = desk.near.get(instance.id);
  const { alerts } = instance.spec;
  const before = (cause: LimitCause): Nearness => {
    if (!known) return { near: alerts?.[cause]?.near ?? false, streak: 0 };
    return known.run === sample.run ? known[cause] : farFrom;
  };
  const after = (cause: LimitCause): Nearness => {
    const [limit, used] = [limitOf(instance, cause), usedOf(sample, cause)];
    if (limit === undefined) return farFrom;
    return used === undefined ? before(cause) : nearnessAfter(before(cause), used / (limit * unit[cause]));
  };
  const near = { run: sample.run, memory: after('memory'), cpu: after('cpu') };
  desk.near.set(instance.id, near);
  return near;
}

/** What a limit is counted in, in what is measured: MiB in bytes, percent in percent. */
const unit = { memory: 1024 ** 2, cpu: 1 } as const;

function limitOf({ spec: { started } }: Resource<'Instance'>, cause: LimitCause): number | undefined {
  return cause === 'memory' ? started?.resources.memoryMb : started?.resources.cpuPercent;
}

function usedOf({ heapBytes, cpuPercent }: Measured, cause: LimitCause): number | undefined {
  return cause === 'memory' ? heapBytes : cpuPercent;
}

/** Mails the owners of a team, all that is due in one mail; where its type has the feature. */
function tell(desk: Desk, view: View, id: string, due: readonly Due[]): void {
  const { mailer, baseUrl, door } = desk.options;
  const team = view.get('Team', id);
  const type = team && view.get('TeamType', team.spec.type);
  if (!team || !type || due.length === 0) return;
  if (!effectiveIn(view, door.facts(), type.spec.features, 'emailAlerts').effective) return;
  const about = { baseUrl, team: { id, name: team.spec.displayName }, alerts: due.map(({ alert }) => alert) };
  const sent = ownersOf(view, id).map(
    (to) => new Promise<MailOutcome>((told) => mailer.send(instanceAlerts({ ...about, to }), told)),
  );
  for (const one of due) desk.underway.add(keyOf(one));
  const work = Promise.all(sent)
    .then((outcomes) => conclude(desk, due, outcomes))
    .finally(() => desk.sending.delete(work));
  desk.sending.add(work);
}

/** What cannot be noted counts as being mailed from then on, so that this process does not mail it again and again. */
async function conclude(desk: Desk, due: readonly Due[], outcomes: readonly MailOutcome[]): Promise<void> {
  // What no mail server was asked to take is told later, also by the next process.
  const isToldLater = outcomes.length > 0 && outcomes.every((outcome) => outcome === 'dropped');
  if (outcomes.includes('sent')) for (const { alert } of due) desk.options.onAlert?.(alert.cause);
  const notes = due.map(({ instance, told }) => ({ id: instance.id, alerts: told }));
  if (!isToldLater && !(await note(desk, notes))) return;
  for (const one of due) desk.underway.delete(keyOf(one));
}

/** The addresses of whoever owns a team and is not shut out. */
function ownersOf(view: View, team: string): string[] {
  const users = [...view.having('Membership', ownersKey(team))].map(({ spec }) => view.get('User', spec.user));
  return users.flatMap((user) => (user && !user.spec.suspended ? [user.spec.email] : []));
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
