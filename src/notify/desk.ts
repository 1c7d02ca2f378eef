// What deliveries share: the world that they need, and how far each receiver has been told.
import { type Door, submit } from '../control/submit.ts';
import type { Secret } from '../core/kinds/kind.ts';
import type { Notification } from '../core/kinds/notifications.ts';
import type { Context } from '../core/model/proposal.ts';
import { noteReceiver, receiversIn, type Standing } from '../core/proposals/note-receiver.ts';
import type { Clock } from '../lib/clock.ts';

/** What became of a message. `dropped`: it was too long ago, and newer ones wait. */
export type NotificationResult = 'delivered' | 'failed' | 'dropped';

export interface NotifierOptions {
  readonly door: Door;
  readonly secretOf: (secret: Secret) => { readonly value: string } | { readonly message: string };
  /** The address of this server, as people know it. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
  /** Told once for each message. */
  readonly onResult?: (result: NotificationResult) => void;
  /** The waits before the second try, the third …, in milliseconds; the last of them between all others. */
  readonly retryMs?: readonly number[];
  /** How long after an attempt its messages are tried, in milliseconds. */
  readonly giveUpMs?: number;
  /** How long a receiver may take to answer, in milliseconds. */
  readonly answerMs?: number;
  /** How many attempts may wait for one receiver; older ones are dropped. */
  readonly most?: number;
  /** How long `close` lets deliveries go on, in milliseconds. */
  readonly closeMs?: number;
}

export interface Desk extends Required<NotifierOptions> {
  /** What is known of receivers in this process: newer than what is kept, where the store takes no writes. */
  readonly standings: Map<string, Standing>;
  /** Aborted when nothing new is begun, and when what is under way is given up. */
  readonly closing: AbortController;
  readonly stop: AbortController;
}

const minute = 60_000;

/** Lays a desk out. */
export function deskOf(options: NotifierOptions): Desk {
  return {
    onResult: () => {},
    retryMs: [1000, 5000, 30_000, 2 * minute, 10 * minute, 30 * minute, 60 * minute],
    giveUpMs: 24 * 60 * minute,
    answerMs: 10_000,
    most: 100,
    closeMs: 1500,
    ...options,
    standings: new Map(),
    closing: new AbortController(),
    stop: new AbortController(),
  };
}

/** Who acts when deliveries are written down. */
export function contextOf({ clock, newId }: Desk): Context {
  return { now: clock(), newId, actor: { kind: 'job', name: 'notify' }, origin: 'api' };
}

/** A receiver as it is declared now. */
export function declaredIn({ door }: Desk, name: string): Notification | undefined {
  return receiversIn(door.store.read()).find((one) => one.name === name);
}

/** How a receiver stands; nothing where it is new. */
export function standingOf({ standings, door }: Desk, name: string): Standing | undefined {
  return standings.get(name) ?? door.store.read().named('Receiver', name)?.spec;
}

/** Writes down how a receiver stands, where that is new. A store that takes no writes holds nothing up: after a restart it is told again. */
export async function note(desk: Desk, name: string, standing: Standing): Promise<void> {
  const { told, state, reason, url } = standingOf(desk, name) ?? {};
  if (told === standing.told && state === standing.state && reason === standing.reason && url === standing.url) return;
  desk.standings.set(name, standing);
  try {
    await submit(desk.door, noteReceiver(name, standing), contextOf(desk));
    desk.standings.delete(name);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    desk.log('warn', `how far the receiver ${name} has been told could not be kept: ${why}`);
  }
}
