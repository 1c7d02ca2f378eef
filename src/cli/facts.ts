// What rules may know of the world: this build's drivers, certificates, and, where the state lives, stacks and secrets.
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Facts } from '../core/rules/facts.ts';
import { drivers } from '../drivers/index.ts';
import { certificateProblem } from '../lib/certificate.ts';
import { resolveSecret } from '../manifests/secrets.ts';

/** What is known anywhere, also in a CI job. */
export function offlineFacts(): Facts {
  return { drivers, certificateProblem };
}

/** Where the state lives: the folder of the store, and where secrets come from. */
export interface Home {
  readonly store: string;
  readonly secretDir: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What is known where the state lives. A relative stacks directory starts at the folder of the store. */
export function homeFacts({ store, secretDir, env }: Home): Facts {
  return {
    ...offlineFacts(),
    stackInstalled: (stacksDirectory, runtime) => isDirectory(join(resolve(store, stacksDirectory), runtime)),
    secretProblem: (secret) => {
      if ('value' in secret) return undefined;
      const resolved = resolveSecret(secret, { secretDir, env });
      return 'message' in resolved ? resolved.message : undefined;
    },
  };
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
