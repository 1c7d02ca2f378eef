// The API token that a command shows a server: from a file, or from the environment, where CI keeps it. It is never printed.
import { resolve } from 'node:path';
import { flagName, type Options, type TypedFlags, UsageError, variableName } from '../options.ts';
import type { Io } from './io.ts';
import { textOf } from './named-file.ts';

/** Holds the token itself. There is no flag for it: what is typed can be read by everybody on the machine. */
const variable = 'WEIR_TOKEN';

/** Throws `UsageError` where `--server` has no token, or two. A typed `--token-file` wins over the variable, as every flag does. */
export function checkToken({ server, tokenFile }: Options, typed: TypedFlags, env: NodeJS.ProcessEnv): void {
  if (server === undefined) return;
  const isSet = (env[variable] ?? '') !== '';
  const flag = `--${flagName('tokenFile')}`;
  if (tokenFile === undefined && !isSet)
    throw new UsageError(
      `--server needs a token: add ${flag} FILE (or ${variableName('tokenFile')}), or set ${variable}`,
    );
  if (tokenFile !== undefined && isSet && !typed.has(flagName('tokenFile')))
    throw new UsageError(
      `${variable} and ${variableName('tokenFile')} cannot both be set, because they may be two tokens: unset one of them`,
    );
}

/** The token to show a server. Throws `Unavailable`, and `UsageError` for what is no token. */
export function tokenOf({ tokenFile }: Options, io: Io): string {
  if (tokenFile === undefined) return checked(io.env[variable] ?? '', variable);
  const file = resolve(io.cwd, tokenFile);
  return checked(textOf(file, 'token_unreadable', 'the token file '), `the token file ${file}`);
}

function checked(text: string, where: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(`${where} must hold a token and nothing else`);
}
