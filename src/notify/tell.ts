// Tells a receiver one message: tried until it is taken, given up, or not wanted any more.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Notification } from '../core/kinds/notifications.ts';
import { type Delivery, deliver, type Outcome } from './deliver.ts';
import { type Desk, declaredIn, note, standingOf } from './desk.ts';
import type { Message } from './message.ts';
import { keysIn } from './sign.ts';

/** Whom to tell, and what is remembered of that between messages. */
export interface Teller {
  readonly desk: Desk;
  readonly name: string;
  /** Tries since the last message that was taken. */
  failures: number;
  /** Aborted, and a new one made, when what is declared changes: then no pause is waited for any longer. */
  changed: AbortController;
}

/** `over`: it is declared no more, or Weir stops; the message was not dealt with. */
export type Told = 'delivered' | 'failed' | 'gone' | 'over' | 'unwanted';

/** Tells a message of an attempt that was made at a time (RFC 3339). */
export async function tell(teller: Teller, message: Message, at: string): Promise<Told> {
  for (;;) {
    const told = await tryOnce(teller, message, at);
    if (told !== 'later') return told;
  }
}

/** One try, and the pause after it where another is worth while. */
async function tryOnce(teller: Teller, message: Message, at: string): Promise<Told | 'later'> {
  const { desk, name } = teller;
  const { signal: changed } = teller.changed;
  const receiver = declaredIn(desk, name);
  if (!receiver || desk.stop.signal.aborted) return 'over';
  if (!receiver.events.includes(message.event)) return 'unwanted';
  const outcome = await attempt(teller, receiver, message);
  if (outcome.came === 'taken') return delivered(teller, receiver, message);
  if (desk.stop.signal.aborted) return 'over';
  teller.failures += 1;
  const age = Date.parse(desk.clock()) - Date.parse(at);
  if (outcome.came !== 'later' || age > desk.giveUpMs) return givenUp(teller, receiver, message, outcome);
  return paused(teller, receiver, message, { outcome, changed });
}

function attempt({ desk }: Teller, { url, secret }: Notification, message: Message): Promise<Outcome> | Outcome {
  const found = desk.secretOf(secret);
  if ('message' in found) return { came: 'later', reason: found.message };
  const keys = keysIn(found.value);
  if ('problem' in keys) return { came: 'later', reason: keys.problem };
  const { answerMs, stop, clock } = desk;
  const delivery: Delivery = { url, message, ...keys, now: clock(), answerMs, signal: stop.signal };
  return deliver(delivery);
}

async function delivered(teller: Teller, { url }: Notification, message: Message): Promise<Told> {
  const { desk, name } = teller;
  teller.failures = 0;
  desk.log('info', `${named(name, message)} was delivered`);
  desk.onResult('delivered');
  await note(desk, name, { told: toldOf(teller), url, state: 'well', reason: '' });
  return 'delivered';
}

async function givenUp(teller: Teller, { url }: Notification, message: Message, outcome: Failed): Promise<Told> {
  const { desk, name } = teller;
  const gone = outcome.came === 'gone';
  const then = gone ? '; it is told nothing more until its url changes' : '';
  desk.log('error', `${named(name, message)} was given up, because ${outcome.reason}${then}`);
  desk.onResult('failed');
  await note(desk, name, { told: toldOf(teller), url, state: gone ? 'gone' : 'failing', reason: cut(outcome.reason) });
  return gone ? 'gone' : 'failed';
}

type Failed = Exclude<Outcome, { readonly came: 'taken' }>;

/** Waits for the next try, where there is to be one. */
async function paused(
  teller: Teller,
  { url }: Notification,
  message: Message,
  {
    outcome,
    changed,
  }: { readonly outcome: Extract<Outcome, { readonly came: 'later' }>; readonly changed: AbortSignal },
): Promise<'later' | 'over'> {
  const { desk, name } = teller;
  const { reason, afterMs = 0 } = outcome;
  const step = desk.retryMs[Math.min(teller.failures, desk.retryMs.length) - 1] ?? 0;
  // Not all servers that one receiver failed shall come back at once.
  const wait = Math.max(step * (1 + Math.random() / 5), afterMs);
  const when = `next try in ${(wait / 1000).toFixed(1)} s`;
  desk.log('warn', `${named(name, message)} could not be delivered yet, because ${reason}; ${when}`);
  await note(desk, name, { told: toldOf(teller), url, state: 'failing', reason: cut(reason) });
  const signal = AbortSignal.any([changed, desk.closing.signal]);
  await sleep(wait, undefined, { signal }).catch(() => {});
  return desk.closing.signal.aborted ? 'over' : 'later';
}

function toldOf({ desk, name }: Teller): string | null {
  return standingOf(desk, name)?.told ?? null;
}

function named(name: string, { event, id }: Message): string {
  return `notification ${id} (${event}) for ${name}`;
}

function cut(reason: string): string {
  return reason.slice(0, 1000);
}
