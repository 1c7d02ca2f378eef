// Starts the process of a runtime, apart from Weir's own, so that it goes on when Weir ends.
import { chmod, chown, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Run } from '../driver.ts';
import { makeGroups } from './control-group.ts';
import { environmentOf, leftOutLine, marker, variablesOf } from './environment.ts';
import type { Folder } from './folder.ts';
import type { Cell } from './isolation/isolation.ts';
import { type Started, startedBy, startWrapped } from './isolation/wrap.ts';
import { type Tree, withTag } from './process-tree.ts';
import type { RegistryAccess } from './registry-access.ts';
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
  /** Its run: the value of the marker, and the control groups. */
  readonly tree: Tree;
  /** How its npm reaches a registry. */
  readonly registry: RegistryAccess;
  /** Told once, on its standard input. */
  readonly secrets: object;
}

/** Starts it; it then leads a session of its own, and writes its log by itself. Rejects where the system does not let it. */
export async function launch(launch: Launch): Promise<Started> {
  const { folder, runtime, node, cell, registry } = launch;
  const readable = [folder.settings, folder.settingsData, ...registry.files];
  // Weir's own, read by the user of the instance alone; at the level of namespaces it sees nothing else of this folder.
  if (cell.user !== undefined)
    for (const path of readable) {
      await chown(path, 0, cell.user);
      await chmod(path, 0o640);
    }
  const program = {
    command: node,
    args: argumentsOf(launch),
    env: environmentFor(launch),
    cwd: folder.home,
    writable: [folder.home],
    readable: [join(runtime.path, '../..'), ...readable],
    memoryMb: launch.run.resources.memoryMb,
  };
  const wrapped = cell.wrap(program, launch.tree.run);
  const groups = await makeGroups(launch.tree.groups ?? [], launch.run.resources);
  const [command = wrapped.command, ...args] = withTag(launch.tree.run, [wrapped.command, ...wrapped.args], {
    groups,
    mostFileMb: launch.run.resources.diskMb,
  });
  const log = await open(folder.log, 'a', 0o600);
  try {
    const { left } = variablesOf(launch.run.environment);
    if (left.length > 0) await log.appendFile(leftOutLine(left));
    const tagged = { ...wrapped, command, args };
    const child = await startWrapped(tagged, { stdio: ['pipe', log.fd, log.fd], detached: true });
    child.unref();
    child.stdin?.on('error', () => {}).end(JSON.stringify(launch.secrets));
    return await startedBy(child, wrapped);
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
    ...(run.safe ? ['--safe'] : []),
  ];
}

function environmentFor({ run, folder, node, env, tree, registry }: Launch): NodeJS.ProcessEnv {
  const { timeZone } = run.options;
  return environmentOf(env, node, {
    HOME: folder.home,
    ...registry.variables,
    ...variablesOf(run.environment).given,
    ...(timeZone === undefined ? {} : { TZ: timeZone }),
    [marker]: tree.run,
  });
}
