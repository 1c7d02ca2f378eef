// The credentials of flows, as the runtime encrypts them: AES-256-CTR under the SHA-256 of the secret, after 16 random bytes.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Stored } from '../../core/instances/content.ts';
import { DriverFailed } from '../driver.ts';

/** Credentials that were encrypted with one secret, encrypted with another. Throws `DriverFailed` where they cannot be read. */
export function reencrypted(
  credentials: NonNullable<Stored['credentials']>,
  from: string | undefined,
  to: string,
): NonNullable<Stored['credentials']> {
  const { $: text } = credentials;
  if (from === to || text === undefined) return credentials;
  return { $: encrypted(decrypted(text, from), to) };
}

function decrypted(text: unknown, secret: string | undefined): string {
  if (typeof text !== 'string' || secret === undefined) throw unreadable();
  try {
    const plain = createDecipheriv(algorithm, keyOf(secret), Buffer.from(text.slice(0, ivLength), 'hex'));
    const json = plain.update(text.slice(ivLength), 'base64', 'utf8') + plain.final('utf8');
    // What was encrypted with another secret comes out as noise.
    JSON.parse(json);
    return json;
  } catch {
    throw unreadable();
  }
}

function encrypted(json: string, secret: string): string {
  const start = randomBytes(ivLength / 2);
  const cipher = createCipheriv(algorithm, keyOf(secret), start);
  return start.toString('hex') + cipher.update(json, 'utf8', 'base64') + cipher.final('base64');
}

const algorithm = 'aes-256-ctr';
/** In hexadecimal digits. */
const ivLength = 32;

function keyOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function unreadable(): DriverFailed {
  return new DriverFailed('CredentialsUnreadable', 'its credentials cannot be decrypted with the secret that is known');
}
