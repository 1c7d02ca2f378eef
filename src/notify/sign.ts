// Signatures of messages, as Standard Webhooks 1.0 has them: HMAC-SHA256 over id, time and body.
import { createHmac } from 'node:crypto';

/** The keys in the text of a secret: one, or several while keys change; or why there are none. The words can follow "because". */
export function keysIn(secret: string): { readonly keys: readonly Buffer[] } | { readonly problem: string } {
  const parts = secret.split(/\s+/).filter((part) => part !== '');
  const keys = parts.map(keyOf);
  const usable = keys.filter((key) => key !== undefined);
  if (usable.length === 0 || usable.length < keys.length) return { problem: noKey };
  return { keys: usable };
}

const noKey = `its secret is not "whsec_" and the base64 of at least 24 bytes: make one with: echo "whsec_$(openssl rand -base64 32)"`;

const leastBytes = 24;

function keyOf(text: string): Buffer | undefined {
  const [, base64] = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?)$/.exec(text) ?? [];
  const key = base64 === undefined ? undefined : Buffer.from(base64, 'base64');
  return key && key.length >= leastBytes ? key : undefined;
}

/** What is signed; `timestamp` in seconds since 1970. */
export interface Signed {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of a message: its id, when it is sent, and a signature by each key. */
export function signatureHeaders(
  { id, timestamp, body }: Signed,
  keys: readonly Buffer[],
): Readonly<Record<`webhook-${string}`, string>> {
  const signature = (key: Buffer) => createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': keys.map((key) => `v1,${signature(key)}`).join(' '),
  };
}
