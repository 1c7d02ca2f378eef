// npm, as it comes with the machine, run by Weir's own Node: finds it, and runs it to its end.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { groupsFor, makeGroups } from './control-group.ts';
import { environmentOf, marker } from './environment.ts';
import type { Cell } from './isolation/isolation.ts';
import { startWrapped } from './isolation/wrap.ts';
import { failureOf, NpmFailed } from './npm-failure.ts';
import { endTree, type Tree, withTag } from './process-tree.ts';

/** How npm is run. */
export interface NpmCall {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly node: string;
  /** Its own variables over those that every program has. */
  readonly own?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** How it is kept from others, where it runs what others wrote. */
  readonly cell?: Cell;
  /** Marks it and all that it starts, so that it is found again; a random one where nothing is said. */
  readonly mark?: string;
  /** Texts that nothing may be shown with. */
  readonly secrets?: readonly string[];
}

/** What marks an npm, and is no mark of a runtime. */
export function newMark(): string {
  return `install-${randomBytes(16).toString('hex')}`;
}

/** Runs npm to its end, or until `signal` ends it: nothing of it runs any more then. Rejects with `NpmFailed`, or with why it was ended. */
export async function npm(args: readonly string[], call: NpmCall): Promise<void> {
  const { folder, env, node, own = {}, signal, cell, mark = newMark(), secrets } = call;
  signal?.throwIfAborted();
  const script = scriptOf(env);
  if (script === undefined)
    throw new NpmFailed('missing', 'there is no npm on the PATH: install it (it comes with Node.js)');
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress', '--loglevel=error'];
  // Whoever has no network should hear of it soon.
  const flags = [...quiet, '--fetch-retries=1', '--fetch-retry-mintimeout=1000'];
  const program = {
    command: node,
    args: [script, ...args, ...flags],
    env: environmentOf(env, node, { HOME: env.HOME, ...proxies(env), ...own, [marker]: mark }),
    cwd: folder,
    writable: [folder],
    readable: [join(script, '../..'), ...certificatesIn(env)],
  };
  const wrapped = cell ? cell.wrap(program, mark) : { ...program, inputs: [], tells: false };
  // What it needs of memory has nothing to do with what the instance may have.
  const groups = cell?.controlGroups ? await makeGroups(await groupsFor(mark), {}) : [];
  const [command = wrapped.command, ...tagged] = withTag(mark, [wrapped.command, ...wrapped.args], { groups });
  // A group of its own, which is ended as a whole.
  const how = { stdio: ['ignore', 'ignore', 'pipe'], detached: true } as const;
  const child = await startWrapped({ ...wrapped, command, args: tagged }, how);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-mostSaid);
  });
  const code = await endOf(child, { run: mark, groups, user: cell?.user }, signal);
  signal?.throwIfAborted();
  if (code !== 0) throw failureOf(said, secrets);
}

/** Its exit code, once it and all that it started have ended. */
async function endOf(child: ChildProcess, tree: Tree, signal?: AbortSignal): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('exit', resolve);
  const end = () => killGroup(child);
  signal?.addEventListener('abort', end, { once: true });
  // It may have been aborted while it was started.
  if (signal?.aborted) end();
  try {
    return await promise;
  } finally {
    signal?.removeEventListener('abort', end);
    end();
    await endTree(tree);
    await drained(child);
  }
}

/** What it said last may still be on its way; whoever holds the other end without a mark is not waited for. */
async function drained({ stderr }: ChildProcess): Promise<void> {
  if (!stderr || stderr.closed) return;
  await Promise.race([once(stderr, 'close'), sleep(1000, undefined, { ref: false })]);
  stderr.destroy();
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

const mostSaid = 16_384;

/** How npm reaches its registry is the machine's affair. */
function proxies(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const wanted =
    /^(https?_proxy|no_proxy|node_extra_ca_certs|npm_config_(registry|cafile|cache|userconfig|offline|proxy|https_proxy|noproxy|strict_ssl))$/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => wanted.test(name)));
}

/** Files that its variables name: certificates of the machine. */
function certificatesIn(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(proxies(env)).flatMap(([name, path]) =>
    /^(node_extra_ca_certs|npm_config_cafile)$/i.test(name) && path && realFile(path) ? [path] : [],
  );
}

/** The script behind the command `npm`. */
export function scriptOf(env: NodeJS.ProcessEnv): string | undefined {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder === '') continue;
    for (const script of [join(folder, 'npm'), join(folder, 'node_modules/npm/bin/npm-cli.js')]) {
      const real = realFile(script);
      if (real?.endsWith('npm-cli.js')) return real;
      const beside = real && realFile(join(real, '../../lib/node_modules/npm/bin/npm-cli.js'));
      if (beside) return beside;
    }
  }
  return undefined;
}

function realFile(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}
