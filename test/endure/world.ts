// What a run stands on: folders, a tree, a store, and the real server as a process that can be ended and started again.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandResult, type RunningCommand, startCommand } from '../support/run-command.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { launcher, plainEnvironment, weir } from '../support/weir.ts';
import { inspectable } from './live-memory.ts';
import { treeFiles } from './tree.ts';

/** Longer than this, in milliseconds, nothing may take: a start, a recovery, an answer. */
export const patienceMs = 60_000;

/** One life of the server. */
export interface Life {
  readonly pid: number;
  readonly url: string;
  readonly command: RunningCommand;
  /** Milliseconds from the start of the process until it was ready. */
  readonly startedInMs: number;
  hasEnded(): boolean;
}

/** How a server is started otherwise than always. */
export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A command line to run the server under, such as that of a tracer. */
  readonly under?: readonly string[];
}

export interface World {
  readonly folder: string;
  /** A link to the folder that holds the tree now. */
  readonly tree: string;
  /** A link to the folder that holds the store now. */
  readonly store: string;
  /** The token of an admin. */
  readonly admin: string;
  /** Everything that went wrong so far, in words. */
  readonly violations: string[];
  /** Says that something went wrong. */
  blame(problem: string): void;
  life(): Life;
  /** Starts the server and waits until it is ready. Throws with what it said where it is not. */
  start(options?: StartOptions): Promise<Life>;
  /** Starts one that is expected to give up, or to be killed. */
  attempt(options?: StartOptions): RunningCommand;
  /** Ends the server by a signal; answers how it ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<CommandResult>;
  remove(): Promise<void>;
}

/** Makes the folders, a tree, and a store with an admin; starts nothing. `lifetimeMs`: no process outlives it. */
export async function createWorld(lifetimeMs: number): Promise<World> {
  const home = temporaryFolder();
  const world = { folder: home.path, tree: join(home.path, 'tree'), store: join(home.path, 'store') };
  for (const folder of ['tree-1', 'store-1', 'empty']) mkdirSync(join(home.path, folder));
  symlinkSync('tree-1', world.tree);
  symlinkSync('store-1', world.store);
  for (const [file, text] of Object.entries(treeFiles)) writeFileSync(join(world.tree, file), text);
  const made = await weir(home.path, ['bootstrap', '--store', world.store]);
  if (made.code !== 0) throw new Error(`there is no admin: ${made.stderr}`);
  return servedFrom({ ...world, admin: JSON.parse(made.stdout).token }, home, lifetimeMs);
}

type Places = Pick<World, 'folder' | 'tree' | 'store' | 'admin'>;

function servedFrom(places: Places, home: TemporaryFolder, lifetimeMs: number): World {
  let current: Life | undefined;
  const violations: string[] = [];
  const serving = [
    launcher,
    'serve',
    places.tree,
    '--store',
    places.store,
    '--port',
    '0',
    '--on-store-failure',
    'read-only',
  ];

  function attempt({ env = {}, under = [] }: StartOptions = {}): RunningCommand {
    const [file = process.execPath, ...args] = [...under, process.execPath, ...serving];
    return startCommand(file, args, {
      cwd: places.folder,
      env: { ...plainEnvironment(), ...inspectable, ...env },
      timeoutMs: lifetimeMs,
    });
  }

  async function start(options?: StartOptions): Promise<Life> {
    for (let tries = 0; ; tries += 1) {
      const begun = performance.now();
      const command = attempt(options);
      const url = await addressOf(command);
      if (url !== undefined) {
        current = lifeOf(command, url, begun);
        return current;
      }
      const { stderr } = command.output();
      // The port was free, and somebody else was faster.
      if (tries > 4 || !/is taken by another process/.test(stderr)) throw new Error(`weir does not serve:\n${stderr}`);
    }
  }

  return {
    ...places,
    violations,
    blame: (problem) => violations.push(problem),
    life: () => {
      if (!current) throw new Error('no server was started');
      return current;
    },
    start,
    attempt,
    end: (signal) => {
      if (!current) throw new Error('no server was started');
      if (!current.hasEnded()) current.command.child.kill(signal);
      return current.command.ended;
    },
    remove: () => home.remove(),
  };
}

function lifeOf(command: RunningCommand, url: string, begun: number): Life {
  const { child } = command;
  return {
    pid: child.pid ?? 0,
    url,
    command,
    startedInMs: performance.now() - begun,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
  };
}

/** Where a server listens, once it is ready; nothing where it ended before. */
async function addressOf({ child, output }: RunningCommand): Promise<string | undefined> {
  for (const begun = performance.now(); performance.now() - begun < patienceMs; await sleep(20)) {
    const [, url] = / on (http:\/\/\S+)\n/.exec(output().stdout) ?? [];
    if (url && (await isReady(url))) return url;
    if (child.exitCode !== null || child.signalCode !== null) return undefined;
  }
  child.kill('SIGKILL');
  return undefined;
}

/** Whether `/readyz` says so. */
export async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** Looks until there is something to see, for at most a minute; answers the milliseconds that it took, or nothing where it was in vain. */
export async function waitFor(
  look: () => boolean | Promise<boolean>,
  limitMs = patienceMs,
): Promise<number | undefined> {
  const begun = performance.now();
  for (; performance.now() - begun < limitMs; await sleep(25)) if (await look()) return performance.now() - begun;
  return undefined;
}
