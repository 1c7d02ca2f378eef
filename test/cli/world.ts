// What tests of commands start from: a folder with a small tree in it, and a way to run commands there.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Io, Screen } from '../../src/cli/io.ts';
import { run } from '../../src/cli/run.ts';
import type { CommandResult } from '../support/run-command.ts';
import { type TemporaryFolder, temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { type WeirOptions, weir } from '../support/weir.ts';

export const platform = 'kind: Platform\nmetadata: {name: platform}\n';
export const stack = 'kind: Stack\nmetadata: {name: nr-4}\nspec:\n  label: Node-RED 4\n  runtime: "4.1.15"\n';
export const size = 'kind: InstanceType\nmetadata: {name: small}\nspec:\n  stacks: [nr-4]\n';

/** A valid tree. */
export const files: Readonly<Record<string, string>> = {
  'config/weir.yaml': platform,
  'config/stacks.yaml': stack,
  'config/sizes.yaml': size,
  '.weir/stacks/4.1.15/.gitkeep': '',
};

/** How a command ended, and what it printed. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Both streams are terminals. */
  readonly terminal?: boolean;
  /** How wide they are then. */
  readonly columns?: number;
}

export interface Workspace extends TemporaryFolder {
  /** Runs a command line, whose words are separated by spaces, in this process. */
  weir(line: string, options?: RunOptions): Promise<Outcome>;
  /** Runs it as a process of its own. */
  spawn(line: string, options?: WeirOptions): Promise<CommandResult>;
  write(path: string, content: string): void;
  read(path: string): string;
}

/** A folder with a valid tree in `config`; it becomes the working directory of this process. */
export async function workspace(more: Readonly<Record<string, string>> = {}): Promise<Workspace> {
  const folder = temporaryFolder();
  await writeFiles(folder.path, { ...files, ...more });
  process.chdir(folder.path);
  return {
    ...folder,
    remove: async () => {
      process.chdir('/');
      await folder.remove();
    },
    weir: (line, options) => runHere(words(line), folder.path, options),
    spawn: (line, options) => weir(folder.path, words(line), options),
    write: (path, content) => writeFileSync(join(folder.path, path), content),
    read: (path) => readFileSync(join(folder.path, path), 'utf8'),
  };
}

function words(line: string): string[] {
  return line.split(' ').filter(Boolean);
}

/** Runs a command in this process, on screens that only remember. */
export async function runHere(
  line: readonly string[],
  cwd: string,
  { env = {}, terminal = false, columns = 80 }: RunOptions = {},
): Promise<Outcome> {
  const printed = { stdout: '', stderr: '' };
  const screen = (name: 'stdout' | 'stderr'): Screen => ({
    write: (text) => {
      printed[name] += text;
    },
    isTerminal: terminal,
    colours: terminal && (env.NO_COLOR ?? '') === '',
    columns: terminal ? columns : undefined,
  });
  const started = performance.now();
  const io: Io = {
    stdout: screen('stdout'),
    stderr: screen('stderr'),
    env,
    cwd,
    version: '1.2.3',
    elapsed: () => performance.now() - started,
    now: () => new Date().toISOString(),
    onStop: () => () => {},
    exit: (code) => {
      throw new Error(`exit ${code}`);
    },
  };
  return { code: await run(line, io), ...printed };
}
