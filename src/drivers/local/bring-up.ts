// Brings a runtime up: its folder, settings and modules, its process, and its first answer.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DriverFailed, type Reason, type Run } from '../driver.ts';
import { askAlive } from './alive.ts';
import { sweepHome } from './beneath.ts';
import { groupsFor } from './control-group.ts';
import { doorForm } from './door.ts';
import { type Folder, makeFolder, writePrivate } from './folder.ts';
import type { Isolation } from './isolation/isolation.ts';
import { launch } from './launch.ts';
import { endedForMemory } from './memory-guard.ts';
import { installModules } from './modules.ts';
import { isFree } from './ports.ts';
import { readLog } from './read-log.ts';
import { forgetRecord, writeRecord } from './record.ts';
import { giveRegistryAccess } from './registry-access.ts';
import { end, endOf, type Patience, type Runtime } from './runtimes.ts';
import { type Secrets, settingsFor, toldSecrets, withSlash } from './settings.ts';
import { runtimeIn } from './stack.ts';
import { finishWriting } from './stored.ts';

/** What bringing up needs of the machine. */
export interface Machine {
  /** The stacks directory. */
  readonly stacks: () => string;
  /** What a command needs to find the store: ` --store DIR`; nothing where it finds it by itself. */
  readonly storeFlag?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly node: string;
  readonly isolation: Isolation;
  /** Whether runs get control groups, where Weir may make some. */
  readonly controlGroups: boolean;
  readonly patience: Patience;
}

/** What to bring up. */
export interface Wanted {
  readonly run: Run;
  readonly folder: Folder;
  readonly secrets: Secrets;
  readonly digest: string;
  /** Takes a port for it, and answers it. */
  readonly takePort: () => Promise<number>;
}

const usualHealthCheckIntervalMs = 10_000;
const settingsScript = fileURLToPath(new URL('./runtime-settings.cjs', import.meta.url));

/** Resolves when it answers. Rejects with `DriverFailed`; nothing of it runs then. */
export async function bringUp(wanted: Wanted, machine: Machine, signal: AbortSignal): Promise<Runtime> {
  const { run, folder, secrets } = wanted;
  const { env, node } = machine;
  const runtime = await runtimeIn(machine.stacks(), run.runtime, machine.storeFlag);
  await makeFolder(folder);
  await finishWriting(folder);
  await sweepHome(folder.home);
  const cell = await machine.isolation.cellOf(run.id, folder);
  await installModules(run, folder, secrets, { env, node, signal, cell });
  const port = await wanted.takePort();
  await writePrivate(folder.settings, await readFile(settingsScript, 'utf8'));
  const settings = settingsFor(run, { folder, runtime: runtime.path, port });
  await writePrivate(folder.settingsData, `${JSON.stringify(settings, null, 2)}\n`);
  const token = randomBytes(32).toString('base64url');
  await writePrivate(folder.token, `${token}\n`);
  const nonce = randomBytes(16).toString('hex');
  const groups = machine.controlGroups ? await groupsFor(nonce) : [];
  const record = {
    folder: folder.path,
    run: nonce,
    ...(groups.length === 0 ? {} : { groups }),
    ...(cell.user === undefined ? {} : { user: cell.user }),
    port,
    digest: wanted.digest,
    ...(run.resources.memoryMb === undefined ? {} : { memoryMb: run.resources.memoryMb }),
    healthCheckIntervalMs: run.options.healthCheckIntervalMs ?? usualHealthCheckIntervalMs,
    path: run.path ?? '',
    editorPath: `${run.path ?? ''}${withSlash(run.options.editorPath ?? '/')}`,
    door: doorForm,
  };
  // Written before it runs, so that it is found even if Weir ends right now.
  await writeRecord(folder, record);
  const registry = await giveRegistryAccess(folder, env);
  giveUpOn(signal);
  const told = toldSecrets(secrets, token);
  const started = await launch({ run, folder, runtime, node, env, cell, tree: record, registry, secrets: told });
  const { child, leader: process, init } = started;
  const inside = init ? { init } : {};
  const made: Runtime = { ...record, ...inside, id: run.id, folder, token, process, child };
  try {
    await writeRecord(folder, { ...record, ...process, ...inside });
    return { ...made, flows: await firstAnswer(made, machine.patience, signal) };
  } catch (error) {
    await end(made, 0);
    await forgetRecord(folder, nonce);
    throw error;
  }
}

/** How long flows may take to start after the runtime answers, before that is taken for good: they may wait for something. In milliseconds. */
const flowsMs = 5000;
const pollMs = 25;

/** How its flows are when it answers. */
async function firstAnswer(runtime: Runtime, { startMs }: Patience, signal: AbortSignal): Promise<string> {
  const deadline = performance.now() + startMs;
  for (let answeredAt: number | undefined; ; await sleep(pollMs)) {
    giveUpOn(signal);
    const { exitCode = null, signalCode = null } = runtime.child ?? {};
    if (exitCode !== null || signalCode !== null) throw await endedAtOnce(runtime, endOf(exitCode, signalCode));
    const flows = (await askAlive(runtime, 1000, signal))?.flows;
    const now = performance.now();
    if (flows !== undefined) answeredAt ??= now;
    if (flows !== undefined && answeredAt !== undefined && (flows !== 'starting' || now - answeredAt > flowsMs))
      return flows;
    if (now > deadline) throw new DriverFailed('NoAnswer', `it did not answer within ${startMs / 1000} s`);
  }
}

async function endedAtOnce(runtime: Runtime, why: Reason): Promise<DriverFailed> {
  const { port, folder } = runtime;
  const { reason, message } = await endedForMemory(runtime, why);
  if (reason === 'MemoryExceeded') return new DriverFailed(reason, message);
  if (!(await isFree(port))) return portTaken(port);
  const last = await lastWords(folder.log);
  return new DriverFailed('StartFailed', last === undefined ? message : `${message}: ${last}`);
}

/** What a runtime said last that is an error, or else what it said last at all. */
async function lastWords(log: string): Promise<string | undefined> {
  const { lines } = await readLog(log, { limit: 50 });
  const grave = lines.findLast(({ level, message }) => /^(fatal|error)$/.test(level ?? '') || /Error: /.test(message));
  return (grave ?? lines.at(-1))?.message.trim().slice(0, mostWords);
}

/** In characters. */
const mostWords = 300;

function giveUpOn(signal: AbortSignal): void {
  if (signal.aborted) throw new DriverFailed('Aborted', 'its start was given up');
}

function portTaken(port: number): DriverFailed {
  return new DriverFailed(
    'PortTaken',
    `its port ${port} is taken by another program; it gets another one at the next try`,
  );
}
