// Resolves references to secrets, where the state lives and nowhere else. A value never appears in a message.
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { decode, failureOf, type OpenProblem, openRegular } from './open.ts';
import { confine } from './paths.ts';

/** A reference as a document writes it. */
export type SecretReference = { readonly fromEnv: string } | { readonly fromFile: string };

/** Where secrets come from: `--secret-dir`, and the process's environment. */
export interface SecretSources {
  readonly secretDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type ResolvedSecret = { readonly value: string } | { readonly problem: SecretProblem; readonly message: string };

/**
 * `not-allowed`: the reference names something that no secret may come from; `missing`: nothing is there (yet); `empty`; `unreadable`:
 * something is there and cannot be used.
 */
export type SecretProblem = 'not-allowed' | 'missing' | 'empty' | 'unreadable';

/** The most that a secret file may hold: 64 KiB. */
export const SECRET_LIMIT = 64 * 1024;

/** Only these variables are ever read. */
export const SECRET_VARIABLE = /^WEIR_SECRET_[A-Z0-9_]+$/;

/** Resolves one reference. One line break at the end of a file is no part of the secret. */
export function resolveSecret(reference: SecretReference, { secretDir, env }: SecretSources): ResolvedSecret {
  return 'fromEnv' in reference ? fromVariable(reference.fromEnv, env) : fromFile(reference.fromFile, secretDir);
}

function fromVariable(name: string, env: SecretSources['env']): ResolvedSecret {
  if (name === 'WEIR_SECRET_KEY' || name === 'WEIR_SECRET_KEY_FILE')
    return {
      problem: 'not-allowed',
      message: `the variable ${name} cannot be named, because it is for the key of the store: use another`,
    };
  if (!SECRET_VARIABLE.test(name)) {
    return {
      problem: 'not-allowed',
      message: `the variable ${name} cannot hold a secret, because its name does not begin with WEIR_SECRET_`,
    };
  }
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value === undefined)
    return { problem: 'missing', message: `the variable ${name} is not set: set it where Weir runs` };
  return value === '' ? { problem: 'empty', message: `the variable ${name} is empty: give it a value` } : { value };
}

function fromFile(path: string, secretDir: string): ResolvedSecret {
  const place = placeOf(path, secretDir);
  if ('reason' in place) return failed(path, secretDir, place.reason);
  const opened = openRegular(place.real, SECRET_LIMIT);
  if ('reason' in opened) return failed(path, secretDir, opened.reason);
  const { text, invalid } = decode(opened.bytes);
  if (invalid || text.includes('\0')) return failed(path, secretDir, 'text');
  const value = text.replace(/\r?\n$/, '');
  return value === ''
    ? { problem: 'empty', message: `the secret file ${path} is empty: write the secret into it` }
    : { value };
}

/** The folder may be a link itself; what it holds must not lead out of it. */
function placeOf(path: string, secretDir: string): ReturnType<typeof confine> {
  try {
    return confine(realpathSync(resolve(secretDir)), path);
  } catch (error) {
    return failureOf(error);
  }
}

function failed(path: string, secretDir: string, reason: OpenProblem | 'outside' | 'text'): ResolvedSecret {
  const [problem, why] = reasons[reason];
  return { problem, message: `the secret file ${path} ${why.replace('DIR', secretDir)}` };
}

const reasons = {
  outside: ['not-allowed', 'cannot be used, because it is not below DIR: name a file in it'],
  gone: ['missing', 'is not in DIR: mount or write it there'],
  denied: ['unreadable', 'in DIR cannot be read: give Weir the permission to read it'],
  kind: ['unreadable', 'in DIR cannot be read, because it is not a regular file'],
  size: ['unreadable', 'in DIR cannot be used, because it is larger than 64 KiB'],
  failed: ['unreadable', 'in DIR cannot be read'],
  text: ['unreadable', 'in DIR cannot be used, because it is not UTF-8 text'],
} as const satisfies Record<string, readonly [SecretProblem, string]>;
