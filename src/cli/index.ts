// The registry of commands: one line each. A command is loaded when it is called.
import type { Verb, VerbEntry } from './verb.ts';

/** Every command, by the words that call it, in the order of help. */
export const verbs: Readonly<Record<string, VerbEntry>> = {
  init: entry('makes a small tree that validates', async () => (await import('./init.ts')).init),
  validate: entry('reads and checks a tree, offline', async () => (await import('./validate.ts')).validate),
  fmt: entry('formats the files of a tree, and keeps their comments', async () => (await import('./fmt.ts')).fmt),
  plan: entry('shows what apply would do, field by field', async () => (await import('./plan.ts')).plan),
  apply: entry(
    'makes the state what the tree declares, all or nothing',
    async () => (await import('./apply.ts')).apply,
  ),
  serve: entry('follows a tree and serves the API', async () => (await import('./serve.ts')).serve),
  suspend: entry(
    'stops a server from reading and applying its tree',
    async () => (await import('./suspend.ts')).suspend,
  ),
  resume: entry('lets a suspended server follow its tree again', async () => (await import('./suspend.ts')).resume),
  status: entry('tells what was applied last, and how it stands', async () => (await import('./status.ts')).status),
  export: entry(
    'prints the declared objects of a store as a tree',
    async () => (await import('./export.ts')).exportTree,
  ),
  explain: entry('tells what a kind or a field means', async () => (await import('./explain.ts')).explainField),
  schemas: entry(
    'writes the JSON Schemas for editors, and the description of the API',
    async () => (await import('./schemas.ts')).schemas,
  ),
  bootstrap: entry('makes the first admin and an API token', async () => (await import('./bootstrap.ts')).bootstrap),
  backup: entry(
    'puts a store into one file, also while a server runs',
    async () => (await import('./backup.ts')).backup,
  ),
  restore: entry('puts a backup back into a folder', async () => (await import('./restore.ts')).restore),
  'store check': entry(
    'reads all of a store and says whether it is whole',
    async () => (await import('./store-check.ts')).storeCheck,
  ),
  'store rekey': entry(
    'encrypts the secrets of a store with another key',
    async () => (await import('./store-rekey.ts')).storeRekey,
  ),
  'stacks install': entry(
    'puts a version of the runtime into the stacks directory',
    async () => (await import('./stacks-install.ts')).stacksInstall,
  ),
  doctor: entry(
    'tells what this machine has and lacks, and what to do',
    async () => (await import('./doctor.ts')).doctor,
  ),
  'sso explain': entry(
    'tells what a sign-in through single sign-on would do, and why',
    async () => (await import('./sso-explain.ts')).ssoExplain,
  ),
  'sso test': entry(
    'looks whether a single sign-on configuration works',
    async () => (await import('./sso-test.ts')).ssoTest,
  ),
  'admin reset-password': entry(
    'gives a user a new password, without a server',
    async () => (await import('./admin-reset-password.ts')).adminResetPassword,
  ),
  completion: entry(
    'prints what makes a shell complete commands and flags',
    async () => (await import('./completion.ts')).completion,
  ),
  version: entry('prints the version', async () => (await import('./version.ts')).version),
};

function entry(summary: string, load: () => Promise<Verb>): VerbEntry {
  return { summary, load };
}
