// Local passwords: hashed with argon2id off the event loop, a few at a time, and checked for what anybody would guess.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { withoutTrailing } from '../core/model/without-trailing.ts';
import { randomText } from '../lib/id.ts';
import { createTurns } from '../lib/turns.ts';
import { isCommonPassword } from './common-passwords.ts';

/** More passwords wait to be hashed than the queue holds: try again later. */
export class TooManyPasswords extends Error {
  override readonly name = 'TooManyPasswords';
}

/** Hashes and compares passwords. Both wait their turn, and reject with `TooManyPasswords` where too many wait already. */
export interface Passwords {
  /** A PHC string (`$argon2id$v=19$m=…,t=…,p=…$salt$hash`). */
  hash(password: string): Promise<string>;
  /** Whether a password is that of a PHC string. Without one it answers no, after as much work as for a wrong password. */
  verify(password: string, phc: string | undefined): Promise<boolean>;
}

/** How costly a hash is, in argon2's terms: memory in KiB, passes, lanes. */
interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };

/**
 * Makes a `Passwords`. `atOnce`: as many as there are cores by default, but at most 3, because the threads that hash are the four that
 * write files too. `queue`: how many may wait.
 */
export function createPasswords({ atOnce = Math.min(availableParallelism(), 3), queue = 64 } = {}): Passwords {
  const tooMany = () => new TooManyPasswords('too many passwords are being checked: try again later');
  const turn = createTurns(atOnce, queue, tooMany);
  return {
    hash: (password) => turn(() => hash(password, randomBytes(16), cost, 32)).then((parts) => phcOf(parts)),
    verify: (password, phc) => turn(() => verify(password, phc)),
  };
}

/** Whose a password will be, as far as it is known. */
export interface PasswordOwner {
  readonly username?: string | undefined;
  readonly email?: string | undefined;
}

/** What is wrong with a password, in words that fit after "because"; nothing where it will do (specification 2.7). */
export function passwordProblem(password: string, owner: PasswordOwner = {}): string | undefined {
  const length = [...password].length;
  if (length < 8) return 'it has fewer than 8 characters';
  if (length > 256) return 'it has more than 256 characters';
  if (isCommonPassword(password)) return 'it is one that many people use, and the first that others try';
  if (isMadeOf(password, owner)) return 'it is made of the username or the email address, which is what others try';
  return undefined;
}

/** Whether nothing is left of it without the names of its owner: they as such, again and again, or with signs in between. */
function isMadeOf(password: string, { username = '', email = '' }: PasswordOwner): boolean {
  const plain = (text: string) =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, '');
  const names = [email, username, email.slice(0, email.lastIndexOf('@') + 1)].map(plain).filter((name) => name !== '');
  const rest = names
    .sort((a, b) => b.length - a.length)
    .reduce((text, name) => text.replaceAll(name, ' '), plain(password));
  return names.length > 0 && rest.trim() === '';
}

/** A random password of 20 characters that are hard to mistake for each other, in four groups: 115 bits. */
export function generatePassword(): string {
  const clear = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz';
  return randomText(20, clear).replace(/.{5}(?=.)/g, '$&-');
}

interface Hashed {
  readonly cost: Cost;
  readonly salt: Buffer;
  readonly key: Buffer;
}

const derive = promisify(argon2);

async function hash(
  password: string,
  salt: Buffer,
  { memory, passes, parallelism }: Cost,
  size: number,
): Promise<Hashed> {
  // The same text may be typed as different code points: é is one or two.
  const message = password.normalize('NFKC');
  const key = await derive('argon2id', { message, nonce: salt, memory, passes, parallelism, tagLength: size });
  return { cost: { memory, passes, parallelism }, salt, key };
}

async function verify(password: string, phc: string | undefined): Promise<boolean> {
  const wanted = phc === undefined ? undefined : parsePhc(phc);
  const { cost: own, salt, key } = wanted ?? { cost, salt: Buffer.alloc(16), key: Buffer.alloc(32) };
  const found = await hash(password, salt, own, key.length);
  return timingSafeEqual(found.key, key) && wanted !== undefined;
}

function phcOf({ cost: { memory, passes, parallelism }, salt, key }: Hashed): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(key)}`;
}

function unpadded(bytes: Buffer): string {
  return withoutTrailing(bytes.toString('base64'), '=');
}

const phcForm =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;

/** Nothing for what is not a hash of ours, or would take more memory than a server has to spare. */
function parsePhc(phc: string): Hashed | undefined {
  const [, memory, passes, parallelism, salt, key] = phcForm.exec(phc) ?? [];
  if (salt === undefined || key === undefined || Number(memory) > 1_048_576) return undefined;
  const own = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return { cost: own, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') };
}
