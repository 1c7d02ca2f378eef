// What commands that make or mend accounts share: names, addresses and passwords from the command line, checked.
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import { createPasswords, generatePassword, type PasswordOwner, passwordProblem } from '../auth/password.ts';
import { type Doorway, makeFirstAdmin } from '../control/first-admin.ts';
import { emailAddress } from '../core/kinds/scalars.ts';
import { reasonOf } from '../core/model/issue-reason.ts';
import { username } from '../core/proposals/create-user.ts';
import { type Options, UsageError } from '../options.ts';
import { Unavailable } from './failure.ts';
import type { Io } from './io.ts';
import { textOf } from './named-file.ts';

/** The username and email address of the first admin. Throws `UsageError`. */
export function firstUser({ username: name, email }: Pick<Options, 'username' | 'email'>): {
  readonly username: string;
  readonly email: string;
} {
  const user = username().safeParse(name);
  const mailbox = email ?? `${name}@localhost`;
  const address = emailAddress().safeParse(mailbox);
  if (user.success && address.success) return { username: user.data, email: address.data };
  const problems = [
    ...(user.error ? [cannotBe('--username', name, user.error)] : []),
    // Whoever gave no address is told of the username alone, from which it would have been made.
    ...(address.error && (email !== undefined || user.success) ? [cannotBe('--email', mailbox, address.error)] : []),
  ];
  throw new UsageError(problems.join('\n'));
}

/** What is wrong with the value of a flag, in one line. */
export function cannotBe(flag: string, value: string | undefined, { issues }: z.ZodError): string {
  const reasons = issues.map(reasonOf).join(', and ');
  return `${flag} cannot be ${JSON.stringify(value)}, because ${reasons}`;
}

/** The password in `--password-file` (without the line break at its end), or a new one. Throws `UsageError` for one that is no good. */
export function passwordFrom({ passwordFile }: Pick<Options, 'passwordFile'>, io: Io, owner: PasswordOwner): string {
  if (passwordFile === undefined) return generatePassword();
  const password = textOf(resolve(io.cwd, passwordFile), 'password_unreadable', 'the password file ').replace(
    /\r?\n$/,
    '',
  );
  return checkedPassword(password, `the password in ${passwordFile}`, owner);
}

/** The password, where it is good enough for its owner; `who` says in words which it is. */
export function checkedPassword(password: string, who: string, owner: PasswordOwner): string {
  const problem = passwordProblem(password, owner);
  if (problem !== undefined) throw new UsageError(`${who} cannot be used, because ${problem}`);
  return password;
}

/** Prints what is shown this once. Throws `Unavailable`, with what to do then, where it cannot be printed. */
export async function showOnce(io: Io, text: string, lost: string): Promise<void> {
  try {
    io.stdout.write(text);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    throw new Unavailable(error.code, `${error.message}\n${lost}`);
  }
  // A stream tells of that after the write.
  const isGone = await Promise.race([io.readerGone?.then(() => true), setImmediate(false)].filter(Boolean));
  if (isGone) throw new Unavailable('output_not_written', `stdout cannot be written, because nobody reads it\n${lost}`);
}

/** Makes the first admin of a store that has no user, and prints it on stderr: this once. Throws `UsageError` for a bad WEIR_ADMIN_PASSWORD. */
export async function announceFirstAdmin(door: Doorway, io: Io): Promise<void> {
  const given = io.env.WEIR_ADMIN_PASSWORD;
  const password = given
    ? checkedPassword(given, 'the password in WEIR_ADMIN_PASSWORD', { username: 'admin' })
    : generatePassword();
  await makeFirstAdmin(door, { username: 'admin', passwordHash: await createPasswords().hash(password) });
  const shown = given ? 'the password in WEIR_ADMIN_PASSWORD' : `the password ${password} (it is shown this once)`;
  io.stderr.write(`weir: this store has no user, so there is now an admin: username admin, with ${shown}\n`);
}
