// How a session at Weir comes to speak for its user at the host name of an instance: by a ticket that is used once, and a cookie for that host alone.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { hashToken } from '../../auth/token.ts';
import type { Resource } from '../../core/model/resource.ts';
import type { View } from '../../core/model/view.ts';

/** The cookie that speaks for a session at the host of an instance. */
export const instanceCookie = 'weir_instance';

/** The cookie by which a browser that comes back from Weir is known to be the one that was sent there. */
export const enteringCookie = 'weir_entering';

/** How long a ticket is good, in milliseconds. */
const goodForMs = 60_000;

/** How many tickets wait to be used; past that the oldest is dropped. */
const mostTickets = 10_000;

/** Tickets of this process. One that is lost in a restart is asked for anew by the browser that comes with it. */
export interface Tickets {
  /** A ticket for a session at an instance, for the browser that holds what `entering` is the hash of. */
  mint(session: string, instance: string, entering: string, now: number): string;
  /** The session that a ticket is for. It is good once, and only for the instance and browser that it was made for: `entering` is all that the browser holds. */
  take(ticket: string, instance: string, entering: readonly string[], now: number): string | undefined;
}

interface Ticket {
  readonly session: string;
  readonly instance: string;
  readonly entering: string;
  readonly until: number;
}

export function createTickets(): Tickets {
  const waiting = new Map<string, Ticket>();
  return {
    mint: (session, instance, entering, now) => {
      const text = newSecret();
      for (const [key, { until }] of waiting) if (until < now || waiting.size >= mostTickets) waiting.delete(key);
      waiting.set(hashToken(text), { session, instance, entering, until: now + goodForMs });
      return text;
    },
    take: (text, instance, entering, now) => {
      const key = hashToken(text);
      const ticket = waiting.get(key);
      waiting.delete(key);
      const isGood =
        ticket &&
        ticket.instance === instance &&
        entering.some((text) => ticket.entering === hashToken(text)) &&
        ticket.until >= now;
      return isGood ? ticket.session : undefined;
    },
  };
}

/** 256 bits of chance. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The value of the cookie: which session, and the proof that Weir said so for this instance. It ends with the session, whose hash is its key. */
export function instanceCookieValue({ id, spec }: Resource<'Session'>, instance: string): string {
  return `${id}.${proofOf(spec.hash, instance)}`;
}

/** The session that such a cookie speaks for. */
export function sessionBehind(value: string, instance: string, view: View): Resource<'Session'> | undefined {
  const end = value.lastIndexOf('.');
  const session = view.get('Session', value.slice(0, Math.max(end, 0)));
  if (!session) return undefined;
  const [given, wanted] = [Buffer.from(value.slice(end + 1)), Buffer.from(proofOf(session.spec.hash, instance))];
  return given.length === wanted.length && timingSafeEqual(given, wanted) ? session : undefined;
}

function proofOf(hash: string, instance: string): string {
  return createHmac('sha256', hash).update(`${instanceCookie} ${instance}`).digest('base64url');
}
