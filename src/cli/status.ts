// weir status: what was applied last, what was tried last, and how it stands; once, whenever it changes, or when all is well.
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ConfigStatus } from '../control/config-status.ts';
import { createInventory } from '../control/inventory.ts';
import { statusOfStore } from '../control/status.ts';
import { UsageError } from '../options.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { offlineFacts } from './facts.ts';
import { Unavailable } from './failure.ts';
import { publish } from './publish.ts';
import { ownPlanOnServer, statusOnServer } from './remote.ts';
import { isNotReady } from './report.ts';
import { followStatus } from './status-follow.ts';
import { waitForStatus } from './status-wait.ts';
import { readTreeAt } from './tree.ts';
import { type Invocation, serverFlags, type Verb } from './verb.ts';
import { openStoreAt } from './workbench.ts';

export const status: Verb = {
  usage: '[DIR]',
  words: { least: 0, most: 1 },
  options: ['env', 'store', 'secretKeyFile', ...serverFlags, 'watch', 'wait', 'quiet', 'output'],
  notes: {
    env: 'the environment in which the tree at DIR is read',
    watch: 'prints again whenever it changes, until it is interrupted; a line each where stdout is no terminal',
    wait: 'waits until Ready is True and the current tree was attempted, 300 seconds at most unless it says otherwise',
  },
  details: `Reads the last durable state, and takes no lock: it may be run beside a server. With --server it asks that one. Exits 1 while Ready is False.
With --wait it exits 1 when the time is up. The current tree is the one at DIR; without DIR it is what the server has on its disk (a token of
scope "plan" may not ask for that: name DIR), and for a store whatever was attempted last.`,
  examples: [
    'weir status',
    'weir status --server https://weir.example.com --token-file token --output json',
    'weir status config --wait=60 --server https://weir.example.com --token-file token',
    'weir status --watch',
  ],
  async run(invocation) {
    const { args, options } = invocation;
    const { watch, wait } = options;
    if (watch && wait !== undefined) throw new UsageError('--watch and --wait cannot be given together: choose one');
    if (args[0] !== undefined && wait === undefined)
      throw new UsageError(`unexpected argument ${JSON.stringify(args[0])}: a folder is named with --wait only`);
    if (wait !== undefined && /^[\d.]+$/.test(args[0] ?? ''))
      throw new UsageError(`unexpected argument ${JSON.stringify(args[0])}: did you mean --wait=${args[0]}?`);
    if (watch)
      return followStatus(
        options.server === undefined ? onChange(invocation) : () => statusNow(invocation),
        invocation,
      );
    if (wait !== undefined) return waited(invocation, wait);
    return tell(await statusNow(invocation), invocation);
  },
};

function tell(found: ConfigStatus, { options, io }: Pick<Invocation, 'options' | 'io'>): ExitCode {
  publish({ type: 'status', status: found }, options.output, io);
  return isNotReady(found) ? exitCodes.invalid : exitCodes.fine;
}

async function waited(invocation: Invocation, seconds: number): Promise<ExitCode> {
  const { args, options, io } = invocation;
  const [folder] = args;
  const wanted =
    folder === undefined
      ? undefined
      : (await readTreeAt(folder, offlineFacts(), io, { git: false, env: options.env })).source.digest;
  const {
    status: found,
    problem,
    hopeless,
  } = await waitForStatus(seconds, io, {
    statusWithin: (left) => statusNow(within(left, invocation)),
    treeWithin: async (left) =>
      wanted ?? (options.server === undefined ? undefined : await treeOfServer(within(left, invocation))),
  });
  const code = tell(found, invocation);
  if (problem === undefined) return code;
  const when = hopeless ? '' : ` after ${seconds} second${seconds === 1 ? '' : 's'}`;
  io.stderr.write(`weir: gave up${when}, because ${problem}\n`);
  return exitCodes.invalid;
}

function within(seconds: number, { options, ...rest }: Invocation): Invocation {
  return { ...rest, options: { ...options, timeout: Math.min(options.timeout, seconds) } };
}

/** The revision that the server has on its disk; `invalid` where that cannot be applied, and nothing where the token may not know. */
async function treeOfServer({ options, io }: Invocation): Promise<string | undefined> {
  try {
    const own = await ownPlanOnServer(options, io);
    return 'plan' in own ? own.plan.source.digest : 'invalid';
  } catch (error) {
    if (error instanceof Unavailable && error.code === 'token_refused') return undefined;
    throw error;
  }
}

function statusNow({ options, io }: Invocation): Promise<ConfigStatus> {
  return options.server === undefined ? statusHere(options, io) : statusOnServer(options, io);
}

/** Opens the store anew only where its files are others: a large one takes long to read. */
function onChange({ options, io }: Invocation): () => Promise<ConfigStatus> {
  let known: { readonly files: string; readonly status: ConfigStatus } | undefined;
  return async () => {
    const files = filesOf(resolve(io.cwd, options.store));
    if (known && files !== undefined && files === known.files) return known.status;
    const found = await statusHere(options, io);
    known = files === undefined ? undefined : { files, status: found };
    return found;
  };
}

/** Names, sizes and times of the files of a store; nothing where they cannot be looked at. */
function filesOf(folder: string): string | undefined {
  try {
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    return files
      .map(({ name }) => {
        const { size, mtimeMs } = statSync(join(folder, name));
        return `${name} ${size} ${mtimeMs}`;
      })
      .toSorted()
      .join('\n');
  } catch {
    return undefined;
  }
}

async function statusHere(options: Invocation['options'], io: Invocation['io']): Promise<ConfigStatus> {
  const store = await openStoreAt(options, io, { create: false, readOnly: true });
  try {
    return await statusOfStore(store, createInventory());
  } finally {
    await store.close();
  }
}
