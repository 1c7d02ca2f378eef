// Starts the process of a runtime, apart from Weir's own, so that it goes on when Weir ends.
import { chmod, chown, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Run } from '../driver.ts';
import { environmentOf, marker } from './environment.ts';
import type { Folder } from './folder.ts';
import type { Cell } from './isolation/isolation.ts';
import { processesOf, type Started, startWrapped } from './isolation/wrap.ts';
import type { Runtime } from './stack.ts';

/** What a process is started with. */
export interface Launch {
  readonly run: Run;
  readonly folder: Folder;
  readonly runtime: Runtime;
  readonly node: string;
  readonly env: NodeJS.ProcessEnv;
  /** How it is kept from others. */
  readonly cell: Cell;
  /** The value of the marker. */
  readonly nonce: string;
  /** Told once, on its standard input. */
  readonly secrets: object;
}

/** Starts it; it then leads a session of its own, and writes its log by itself. Rejects where the system does not let it. */
export async function launch(launch: Launch): Promise<Started> {
  const { folder, runtime, node, cell } = launch;
  // Weir's own, read by the user of the instance alone; at the level of namespaces it sees nothing else of this folder.
  if (cell.user !== undefined)
    for (const path of [folder.settings, folder.settingsData]) {
      await chown(path, 0, cell.user);
      await chmod(path, 0o640);
    }
  const program = {
    command: node,
    args: argumentsOf(launch),
    env: environmentFor(launch),
    cwd: folder.home,
    writable: [folder.home],
    readable: [join(runtime.path, '../..'), folder.settings, folder.settingsData],
  };
  const wrapped = cell.wrap(program, launch.nonce);
  const log = await open(folder.log, 'a', 0o600);
  try {
    const child = await startWrapped(wrapped, { stdio: ['pipe', log.fd, log.fd], detached: true });
    child.unref();
    child.stdin?.on('error', () => {}).end(JSON.stringify(launch.secrets));
    return await processesOf(child, wrapped);
  } finally {
    await log.close();
  }
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

function environmentFor({ run, folder, node, env, nonce }: Launch): NodeJS.ProcessEnv {
  const { timeZone } = run.options;
  return environmentOf(env, node, {
    HOME: folder.home,
    ...Object.fromEntries(run.environment.map(({ name, value }) => [name, value])),
    ...(timeZone === undefined ? {} : { TZ: timeZone }),
    [marker]: nonce,
  });
}
