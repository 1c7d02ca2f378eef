// Starts the process of a runtime, apart from Weir's own, so that it goes on when Weir ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { Run } from '../driver.ts';
import { environmentOf, marker } from './environment.ts';
import type { Folder } from './folder.ts';
import type { Runtime } from './stack.ts';

/** What a process is started with. */
export interface Launch {
  readonly run: Run;
  readonly folder: Folder;
  readonly runtime: Runtime;
  readonly node: string;
  readonly env: NodeJS.ProcessEnv;
  /** The value of the marker. */
  readonly nonce: string;
  /** How its npm reaches a registry. */
  readonly registry: Readonly<Record<string, string>>;
  /** Told once, on its standard input. */
  readonly secrets: object;
}

/** Starts it; it then leads a session of its own, and writes its log by itself. Rejects where the system does not let it. */
export async function launch(launch: Launch): Promise<ChildProcess & { readonly pid: number }> {
  const log = await open(launch.folder.log, 'a', 0o600);
  try {
    const child = spawn(launch.node, argumentsOf(launch), {
      cwd: launch.folder.home,
      env: environmentFor(launch),
      detached: true,
      stdio: ['pipe', log.fd, log.fd],
    });
    await once(child, 'spawn');
    child.unref();
    child.stdin?.on('error', () => {}).end(JSON.stringify(launch.secrets));
    return hasPid(child) ? child : Promise.reject(new Error('the process has no number'));
  } finally {
    await log.close();
  }
}

function hasPid(child: ChildProcess): child is ChildProcess & { readonly pid: number } {
  return child.pid !== undefined;
}

function argumentsOf({ run, folder, runtime }: Launch): string[] {
  const { memoryMb } = run.resources;
  const memory = memoryMb === undefined ? [] : [`--max-old-space-size=${memoryMb}`];
  return [
    ...memory,
    runtime.script,
    '--settings',
    folder.settings,
    '--userDir',
    folder.home,
    '--title',
    `node-red ${run.id}`,
  ];
}

function environmentFor({ run, folder, node, env, nonce, registry }: Launch): NodeJS.ProcessEnv {
  const { timeZone } = run.options;
  return environmentOf(env, node, {
    HOME: folder.home,
    ...registry,
    ...Object.fromEntries(run.environment.map(({ name, value }) => [name, value])),
    ...(timeZone === undefined ? {} : { TZ: timeZone }),
    [marker]: nonce,
  });
}
