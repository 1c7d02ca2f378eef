// What a command is: its words, its flags, and what it does.
import type { OptionName, Options } from '../options.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Io } from './io.ts';

/** One command line, taken apart. */
export interface Invocation {
  /** What stands beside the flags. */
  readonly args: readonly string[];
  readonly options: Options;
  readonly io: Io;
  /** Every command, for one that tells of all. */
  readonly verbs: Readonly<Record<string, VerbEntry>>;
}

/** A command that is not loaded yet. */
export interface VerbEntry {
  readonly summary: string;
  readonly load: () => Promise<Verb>;
}

/** One command. Its name and summary stand in the registry, so that help need not load it. */
export interface Verb {
  /** What may stand beside the flags, as help shows it: `[DIR]`. */
  readonly usage: string;
  /** How many such words there may be. */
  readonly words: { readonly least: number; readonly most: number };
  readonly options: readonly OptionName[];
  /** What `--out` names, where there is one: it is looked at before the work begins. `either`: the folder that is there, or else a file. */
  readonly out?: 'file' | 'folder' | 'either';
  /** What a flag does here, where it is not what it does elsewhere. */
  readonly notes?: Partial<Readonly<Record<OptionName, string>>>;
  /** What people should know beyond the summary, in lines. */
  readonly details?: string;
  readonly examples?: readonly string[];
  /** Throws `UsageError` and the failures that `failure.ts` knows; anything else is a bug. */
  run(invocation: Invocation): Promise<ExitCode>;
}

/** The flags that every command which reads or asks for a state has. */
export const serverFlags = ['server', 'tokenFile', 'timeout'] as const satisfies readonly OptionName[];
