// A login that waits for its response. It is kept by the browser that began it, and nowhere else.
import { hash } from 'node:crypto';
import { randomText } from '../../lib/id.ts';

// The id of a request is the hash of the cookie that goes to the browser together with it. So a response fits a cookie only where this very browser
// began this very login, by this configuration, at that time, to go there: the cookie is the proof of it, and a response that somebody caught is
// worth nothing without it, because a hash has no way back. Nothing has to be kept on this side for that, so
// - whoever asks for logins without end fills nothing, and no request of somebody unknown waits for the disk;
// - logins that are under way survive a restart, and any server of the platform can take the response;
// - what must not be forgotten is only which requests and assertions were answered (SpentLogin): one small note for each response that the provider
//   signed, kept in the commit of its sign-in until neither would be taken again.
// A browser can make such a cookie for itself. It gains nothing over asking for one: a response to it must still be signed by the provider.

/** A login under way. */
export interface PendingLogin {
  /** The id of the request: an XML name that nobody can guess. */
  readonly requestId: string;
  /** Where to go afterwards, as it was asked for. */
  readonly next: string;
  /** RFC 3339: from then on it is over. */
  readonly endsAt: string;
}

/** How long a login may take, in milliseconds. */
export const pendingMs = 10 * 60_000;

/** The longest `next`, in bytes of UTF-8: what is longer is forgotten, because a request has to hold a few such cookies. */
export const longestNext = 1000;

/** How far the clock may have been set back since a login began, in milliseconds. */
const skewMs = 60_000;

/** Begins a login by a configuration (its id); `cookie` goes to the browser, in the characters that cookies may have. */
export function beginLogin(
  config: string,
  { next = '', now }: { readonly next?: string; readonly now: string },
): PendingLogin & { readonly cookie: string } {
  const kept = Buffer.byteLength(next) <= longestNext ? next : '';
  const cookie = [randomText(40), Date.parse(now).toString(36), Buffer.from(kept).toString('base64url')].join('.');
  return { cookie, ...pendingOf(config, cookie, Date.parse(now), kept) };
}

/** The login that a cookie is the proof of; nothing where it is none, or over. */
export function pendingLogin(config: string, cookie: string, now: string): PendingLogin | undefined {
  const [, started, next] = /^[0-9A-Za-z]{40}\.([0-9a-z]{1,10})\.([\w-]{0,1400})$/.exec(cookie) ?? [];
  if (started === undefined || next === undefined) return undefined;
  const startedMs = Number.parseInt(started, 36);
  const age = Date.parse(now) - startedMs;
  if (age >= pendingMs || age < -skewMs) return undefined;
  return pendingOf(config, cookie, startedMs, Buffer.from(next, 'base64url').toString());
}

function pendingOf(config: string, cookie: string, startedMs: number, next: string): PendingLogin {
  // An ID of XML begins with a letter or "_".
  const requestId = `_${hash('sha256', JSON.stringify([config, cookie]))}`;
  return { requestId, next, endsAt: new Date(startedMs + pendingMs).toISOString() };
}
