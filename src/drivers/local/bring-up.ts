// Brings a runtime up: its folder, settings and modules, its process, and its first answer.
import { randomBytes } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DriverFailed, type Run } from '../driver.ts';
import { askAlive } from './alive.ts';
import { type Folder, makeFolder, textIn, writePrivate } from './folder.ts';
import { launch } from './launch.ts';
import { installModules } from './modules.ts';
import { freePort, isFree } from './ports.ts';
import { beganAt } from './process-table.ts';
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
  readonly env: NodeJS.ProcessEnv;
  readonly node: string;
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
  const runtime = await runtimeIn(machine.stacks(), run.runtime);
  await makeFolder(folder);
  await finishWriting(folder);
  await installModules(run, folder, secrets, { env, node, signal });
  const port = await wanted.takePort();
  await copyFile(settingsScript, folder.settings);
  const settings = settingsFor(run, { folder, runtime: runtime.path, port });
  await writePrivate(folder.settingsData, `${JSON.stringify(settings, null, 2)}\n`);
  const token = randomBytes(32).toString('base64url');
  await writePrivate(folder.token, `${token}\n`);
  const record = {
    folder: folder.path,
    run: randomBytes(16).toString('hex'),
    port,
    digest: wanted.digest,
    healthCheckIntervalMs: run.options.healthCheckIntervalMs ?? usualHealthCheckIntervalMs,
    path: run.path ?? '',
    editorPath: `${run.path ?? ''}${withSlash(run.options.editorPath ?? '/')}`,
  };
  // Written before it runs, so that it is found even if Weir ends right now.
  await writeRecord(folder, record);
  const registry = await giveRegistryAccess(folder, env);
  giveUpOn(signal);
  const told = toldSecrets(secrets, token);
  const child = await launch({ run, folder, runtime, node, env, nonce: record.run, registry, secrets: told });
  const process = { pid: child.pid, began: (await beganAt(child.pid)) ?? '' };
  const made: Runtime = { ...record, id: run.id, folder, token, process, child };
  try {
    await writeRecord(folder, { ...record, ...process });
    return { ...made, flows: await firstAnswer(made, machine.patience, signal) };
  } catch (error) {
    await end(made, 0);
    await forgetRecord(folder);
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
    if (exitCode !== null || signalCode !== null) throw await endedAtOnce(runtime, endOf(exitCode, signalCode).message);
    const flows = (await askAlive(runtime, 1000))?.flows;
    const now = performance.now();
    if (flows !== undefined) answeredAt ??= now;
    if (flows !== undefined && answeredAt !== undefined && (flows !== 'starting' || now - answeredAt > flowsMs))
      return flows;
    if (now > deadline) throw new DriverFailed('NoAnswer', `it did not answer within ${startMs / 1000} s`);
  }
}

async function endedAtOnce({ port, folder }: Runtime, message: string): Promise<DriverFailed> {
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
  return new DriverFailed('PortTaken', `its port ${port} is taken by another program; it gets another one next`);
}

/** The port that an instance keeps, or a new one where it has none. One that is taken by now is given up, for another at the next try. */
export async function portFor(id: string, folder: Folder, kept: Map<string, number>): Promise<number> {
  const known = kept.get(id) ?? portIn(await textIn(folder.port));
  if (known !== undefined && (await isSoonFree(known))) {
    kept.set(id, known);
    return known;
  }
  kept.delete(id);
  if (known !== undefined) {
    await writePrivate(folder.port, '');
    throw portTaken(known);
  }
  const port = await freePort(new Set(kept.values()));
  if (port === undefined) throw new DriverFailed('NoPort', 'this machine has no free port left for it');
  kept.set(id, port);
  await writePrivate(folder.port, `${port}\n`);
  return port;
}

/** Somebody may just be leaving it. */
async function isSoonFree(port: number): Promise<boolean> {
  for (let tries = 0; tries < 20; tries++) {
    if (await isFree(port)) return true;
    await sleep(pollMs);
  }
  return false;
}

/** The port that is written in a text. */
export function portIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{4,5}\n?$/.test(text) ? Number(text) : undefined;
}
