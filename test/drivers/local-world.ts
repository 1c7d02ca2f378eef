// A local driver in a folder of its own, over runtimes that tests can have behave badly.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DriverFailed, type Reason, type Run } from '../../src/drivers/driver.ts';
import { beganAt } from '../../src/drivers/local/process-table.ts';
import { type LocalPlace, localDriver } from '../../src/drivers/local.ts';
import { type Behaviour, fakeStacks } from '../support/fake-runtime.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export type Local = ReturnType<typeof localDriver>;

export interface LocalWorld {
  readonly instances: string;
  readonly driver: Local;
  readonly logged: string[];
  /** Another driver at the same place, as after a restart of Weir: those before it look after nothing any more. */
  again(more?: Partial<LocalPlace>): Local;
  /** Where something of an instance is. */
  at(id: string, name?: string): string;
  pidOf(id: string): number;
  /** What the runtime saw when it was started. */
  seenBy(id: string): {
    readonly env: NodeJS.ProcessEnv;
    readonly argv: string[];
    readonly settings: Record<string, unknown>;
  };
  close(): Promise<void>;
}

const patience = { startMs: 20_000, stopMs: 2000, answerMs: 300, lookMs: 50 };

/** Makes one. */
export async function localWorld(wishes: Partial<LocalPlace> = {}): Promise<LocalWorld> {
  const folder = temporaryFolder();
  const stacks = await fakeStacks(folder.path);
  const instances = join(folder.path, 'instances');
  const logged: string[] = [];
  const drivers: Local[] = [];
  // The driver alone keeps no process going.
  const awake = setInterval(() => {}, 1000);
  const again = (more: Partial<LocalPlace> = {}) => {
    // Of two, one would end by its user what the other has just started.
    for (const one of drivers) one.close();
    const driver = localDriver({
      instances,
      store: folder.path,
      stacks: () => stacks,
      env: { ...process.env, WEIR_SECRET_X: 'of Weir', AWS_SECRET_ACCESS_KEY: 'of Weir' },
      secretOf: (secret) => ('value' in secret ? secret : { message: 'the variable is not set' }),
      log: (_level, message) => logged.push(message),
      ...wishes,
      ...more,
      patience: { ...patience, ...wishes.patience },
    });
    drivers.push(driver);
    return driver;
  };
  const at = (id: string, name = '') => join(instances, id, name);
  const driver = again();
  return {
    instances,
    driver,
    logged,
    again,
    at,
    pidOf: (id) => JSON.parse(readFileSync(at(id, 'run.json'), 'utf8')).pid,
    seenBy: (id) => JSON.parse(readFileSync(at(id, 'home/seen.json'), 'utf8')),
    close: async () => {
      const last = drivers.at(-1) ?? driver;
      for (const one of drivers) one.close();
      for (const id of await last.runner.running()) await last.runner.stop(id);
      for (const one of drivers) one.close();
      clearInterval(awake);
      await folder.remove();
    },
  };
}

/** An instance that behaves in some way. */
export function runOf(id: string, runtime: Behaviour | string = 'good', options: Run['options'] = {}): Run {
  return {
    id,
    name: id,
    team: 'core',
    runtime,
    resources: {},
    options,
    environment: [],
    credentialSecret: 'the credential secret',
  };
}

/** Never aborted. */
export const never = new AbortController().signal;

/** Why it was refused. */
export async function reasonOf(work: Promise<unknown>): Promise<Reason> {
  try {
    await work;
  } catch (error) {
    if (error instanceof DriverFailed) return { reason: error.reason, message: error.message };
    throw error;
  }
  throw new Error('it was not refused');
}

/** Whether a process runs; one that has ended may wait for its parent still. */
export async function lives(pid: number): Promise<boolean> {
  return (await beganAt(pid)) !== undefined;
}
