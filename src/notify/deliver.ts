// One try to deliver a message over HTTP: posted, signed, never redirected, and given up after a while.
import { type Signed, signatureHeaders } from './sign.ts';

/** What came of a try. `reason` can follow "because", and says nothing of the address but whether it answers. */
export type Outcome =
  | { readonly came: 'taken' }
  /** It may be taken later; not before `afterMs`, where the receiver said so. */
  | { readonly came: 'later'; readonly reason: string; readonly afterMs?: number }
  /** Another try would meet the same. */
  | { readonly came: 'refused'; readonly reason: string; readonly isTooLarge?: true }
  /** The receiver wants no message any more. */
  | { readonly came: 'gone'; readonly reason: string };

export interface Delivery {
  readonly url: string;
  readonly message: Omit<Signed, 'timestamp'>;
  readonly keys: readonly Buffer[];
  /** RFC 3339: when it is sent. */
  readonly now: string;
  /** How long the receiver may take to answer, in milliseconds. */
  readonly answerMs: number;
  /** Gives the try up. */
  readonly signal: AbortSignal;
}

/** Posts a message. Never rejects. */
export async function deliver({ url, message, keys, now, answerMs, signal }: Delivery): Promise<Outcome> {
  const timestamp = Math.floor(Date.parse(now) / 1000);
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: message.body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'weir',
        ...signatureHeaders({ ...message, timestamp }, keys),
      },
      // Whoever answers for the address may not send what is signed for it elsewhere.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
    });
    // What it says beside its status is of no use, and may be endless.
    await response.body?.cancel().catch(() => {});
    return judged(response, now);
  } catch (error) {
    if (isBlocked(error))
      return { came: 'refused', reason: 'the port of its url is one that no HTTP client connects to' };
    return { came: 'later', reason: reasonOf(error) };
  }
}

function judged({ status, headers }: Response, now: string): Outcome {
  if (status >= 200 && status < 300) return { came: 'taken' };
  const reason = `it answered ${status}`;
  if (status === 410) return { came: 'gone', reason };
  if (status >= 300 && status < 400)
    return { came: 'refused', reason: `${reason}: redirects are not followed, so its url must be the final address` };
  if (status < 500 && !laterStatuses.has(status))
    return { came: 'refused', reason, ...(status === 413 ? { isTooLarge: true } : {}) };
  const afterMs = retryAfter(headers.get('retry-after'), now);
  return { came: 'later', reason, ...(afterMs === undefined ? {} : { afterMs }) };
}

/** Request Timeout, Too Early, Too Many Requests. */
const laterStatuses = new Set([408, 425, 429]);

const longestWaitMs = 3_600_000;

/** The wait that a receiver asks for (RFC 9110, 10.2.3), an hour at most. */
function retryAfter(value: string | null, now: string): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.parse(now);
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestWaitMs);
}

/** The ports of other protocols, to which a request could be made to say something: fetch knows them. */
function isBlocked(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port';
}

function reasonOf(error: unknown): string {
  const { name, cause } = error instanceof Error ? error : new Error();
  if (name === 'TimeoutError') return 'it did not answer in time';
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  if (untrusted.test(code))
    return `its certificate cannot be trusted (${code}): it must be valid for the host of its url, and come from an authority that this system knows, or that NODE_EXTRA_CA_CERTS names`;
  return words[code] ?? (code === '' ? 'it cannot be reached' : `it cannot be reached (${code})`);
}

const untrusted = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|INVALID_PURPOSE|INVALID_CA/;

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the host of its url is not known',
  EAI_AGAIN: 'the host of its url could not be looked up',
  ECONNRESET: 'it cut the connection',
  UND_ERR_SOCKET: 'it cut the connection',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time',
  ETIMEDOUT: 'it did not answer in time',
};
