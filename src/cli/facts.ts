// What rules may know of the world: this build's drivers, certificates and filters, and, where the state lives, stacks and secrets.
import { statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Secret } from '../core/kinds/kind.ts';
import { singleton, type View } from '../core/model/view.ts';
import type { Facts } from '../core/rules/facts.ts';
import { drivers } from '../drivers/index.ts';
import { certificateProblem, certificatesEnd } from '../lib/certificate.ts';
import { ldapFilterProblem } from '../lib/ldap-filter.ts';
import type { EmailSettings } from '../mail/mail.ts';
import { resolveSecret } from '../manifests/secrets.ts';

/** What is known anywhere, also in a CI job. */
export function offlineFacts(): Facts {
  return {
    drivers,
    certificateProblem,
    certificateDaysLeft,
    filterProblem: ldapFilterProblem,
    variablesInAnyCase: process.platform === 'win32',
  };
}

function certificateDaysLeft(text: string): number | undefined {
  const end = certificatesEnd(text);
  return end === undefined ? undefined : (Date.parse(end) - Date.now()) / 86_400_000;
}

/** Where the state lives: the folder of the store, where secrets come from, and the working directory, from which paths are told. */
export interface Home {
  readonly cwd: string;
  readonly store: string;
  readonly secretDir: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What is known where the state lives. A relative stacks directory starts at the folder of the store. */
export function homeFacts({ cwd, store, secretDir, env }: Home): Facts {
  return {
    ...offlineFacts(),
    stackMissing: (stacksDirectory, runtime) => {
      const path = join(resolve(store, stacksDirectory), runtime);
      return isDirectory(path) ? undefined : seenFrom(cwd, path);
    },
    storeFlag: storeFlag({ cwd, store }),
    secretProblem: (secret) => {
      if ('value' in secret) return undefined;
      const resolved = resolveSecret(secret, { secretDir, env });
      return 'message' in resolved ? resolved.message : undefined;
    },
  };
}

/** ` --store DIR` where a command that is typed in this folder would look for the store elsewhere. */
export function storeFlag({ cwd, store }: Pick<Home, 'cwd' | 'store'>): string {
  if (resolve(cwd, store) === resolve(cwd, defaultStore)) return '';
  const path = seenFrom(cwd, resolve(cwd, store));
  return ` --store ${/^[\w./+:@-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`}`;
}

const defaultStore = '.weir';

/** The value of a secret, or why it cannot be had. */
export function secretOf(
  secret: Secret,
  { secretDir, env }: Pick<Home, 'secretDir' | 'env'>,
): { readonly value: string } | { readonly message: string } {
  return 'value' in secret ? secret : resolveSecret(secret, { secretDir, env });
}

/** The value of a secret; nothing where it cannot be had (`secretProblem` says why). */
export function secretValue(secret: Secret, home: Pick<Home, 'secretDir' | 'env'>): string | undefined {
  const resolved = secretOf(secret, home);
  return 'value' in resolved ? resolved.value : undefined;
}

/** What mail is sent with now; nothing while email is off. */
export function emailSettings(view: View, home: Pick<Home, 'secretDir' | 'env'>): EmailSettings | undefined {
  const { email } = singleton(view, 'Platform').spec;
  if (!email) return undefined;
  const { password, ...smtp } = email.smtp;
  const value = password && secretValue(password, home);
  return { from: email.from, smtp: { ...smtp, ...(value === undefined ? {} : { password: value }) } };
}

/** A path as somebody who works in a folder may type it: relative where it lies below that. */
function seenFrom(folder: string, path: string): string {
  const way = relative(folder, path);
  return way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? path : way;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
