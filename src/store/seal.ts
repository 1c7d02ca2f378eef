// Encrypts the secrets in the lines of journals and snapshots (AES-256-GCM), and opens them again.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { Resource } from '../core/model/resource.ts';
import { patternsOf, sealedPlacesOf } from '../core/model/sealed-places.ts';

/** A key of 32 bytes; `id` tells which it is, and nothing else of it. */
export interface SealKey {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** The same as OpenSSL has it: to make that of the bytes for each value takes four times as long as to encrypt it. */
  readonly prepared: KeyObject;
}

/** The keys at hand: the first one seals, each of them opens. `looked` says where they were looked for, and what there was. */
export interface Keyring {
  readonly keys: readonly SealKey[];
  readonly looked: string;
}

/** A resource as a line holds it: `sealed` are the steps to what is encrypted in it, so that opening never guesses. */
export interface SealedRow {
  readonly row: Resource;
  readonly sealed?: readonly (readonly string[])[];
}

/** A key with its id. */
export function sealKeyOf(bytes: Uint8Array): SealKey {
  const id = createHash('sha256').update('weir store key\0').update(bytes).digest('hex').slice(0, 8);
  return { id, bytes, prepared: createSecretKey(bytes) };
}

/** The resource with its secrets encrypted; itself where it has none. Without a key they would stand in clear, so that is a bug. */
export function sealRow(row: Resource, key: SealKey | undefined): SealedRow {
  if (patternsOf(row.kind).length === 0) return { row };
  const sealed = sealedPlacesOf(row);
  if (sealed.length === 0) return { row };
  if (!key) throw new Error(`a ${row.kind} with secrets cannot be written: the store was opened without a key`);
  const encrypted = sealed.reduce<unknown>(
    (copy, steps) => changedAt(copy, steps, (text) => encrypt(text, key, placeOf(row, steps))),
    row,
  );
  return { row: encrypted as Resource, sealed };
}

/** Opens what `sealRow` encrypted, in place: the row was just read, and nobody else has it. Throws where it is not what was written there. */
export function openRow({ row, sealed = [] }: SealedRow, key: SealKey): Resource {
  for (const steps of sealed) replace(row, steps, (text) => decrypt(text, key, placeOf(row, steps)));
  return row;
}

/** What is encrypted opens in its place only. */
function placeOf({ kind, id }: Resource, steps: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify([kind, id, ...steps]));
}

const prefix = 'weir:1';

function encrypt(text: string, { id, prepared }: SealKey, place: Buffer): string {
  const nonce = takeNonce();
  const cipher = createCipheriv('aes-256-gcm', prepared, nonce).setAAD(place);
  const body = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${prefix}:${id}:${body.toString('base64url')}`;
}

function decrypt(text: string, { id, prepared }: SealKey, place: Buffer): string {
  const start = `${prefix}:${id}:`;
  if (!text.startsWith(start)) throw new Error('a secret in it is not encrypted with the key of the file');
  const body = Buffer.from(text.slice(start.length), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', prepared, body.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(place).setAuthTag(body.subarray(-16));
  return Buffer.concat([decipher.update(body.subarray(12, -16)), decipher.final()]).toString('utf8');
}

/**
 * A nonce that was never taken before: random ones, some hundreds at a time, because each call costs half of what encrypting does. Of 2³² of them under
 * one key two are the same with a probability of 2⁻³³.
 */
function takeNonce(): Buffer {
  if (nonces.length < nonceBytes) nonces = randomBytes(nonceBytes * 512);
  const nonce = nonces.subarray(0, nonceBytes);
  nonces = nonces.subarray(nonceBytes);
  return nonce;
}

const nonceBytes = 12;
let nonces = Buffer.alloc(0);

/** A copy, of which all is the same but what lies on the way to one text. */
// biome-ignore lint/suspicious/noExplicitAny: JSON, whose steps were found in it
function changedAt(value: any, [step = '', ...rest]: readonly string[], change: (text: string) => string): unknown {
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const changed = rest.length === 0 ? change(value[step]) : changedAt(value[step], rest, change);
  Object.defineProperty(copy, step, { value: changed, enumerable: true, configurable: true, writable: true });
  return copy;
}

function replace(row: Resource, steps: readonly string[], change: (text: string) => string): void {
  // biome-ignore lint/suspicious/noExplicitAny: JSON, whose steps were found in it
  const holder = steps.slice(0, -1).reduce((value: any, step) => value[step], row);
  const last = steps.at(-1) ?? '';
  holder[last] = change(holder[last]);
}
