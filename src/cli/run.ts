// Runs one command line from end to end: finds the command, reads its flags, runs it, and turns failures into words and a code.
import {
  flagName,
  ignoredConsents,
  type OptionName,
  type Options,
  readOptions,
  type TypedFlags,
  UsageError,
  variableName,
} from '../options.ts';
import { calledIn, checkWords, commandsBelow, type Typed, typedIn } from './arguments.ts';
import { checkOutputs } from './check-outputs.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { failureOf, Unavailable } from './failure.ts';
import { generalHelp, groupHelp, verbHelp } from './help.ts';
import { verbs } from './index.ts';
import type { Io, Screen } from './io.ts';
import { escaped } from './output/escape.ts';
import { targetsOf } from './output/targets.ts';
import { publish } from './publish.ts';
import type { ProblemReport } from './report.ts';
import { checkToken } from './token.ts';
import type { Verb, VerbEntry } from './verb.ts';

const names = Object.keys(verbs);

/** How far a line got before it failed: who has to be told in which format, and what helps. */
interface Progress {
  outputs?: readonly string[] | undefined;
  hint: string;
}

/** Runs `weir LINE`. Throws only what is a bug in Weir. */
export async function run(line: readonly string[], io: Io): Promise<ExitCode> {
  const progress: Progress = { hint: hintFor('') };
  try {
    return await runLine(line, io, progress);
  } catch (error) {
    return fail(error, progress, io);
  }
}

function runLine(line: readonly string[], io: Io, progress: Progress): Promise<ExitCode> {
  const [first = '', ...rest] = line;
  if (['help', '--help', '-h'].includes(first)) return helpFor(rest, io, progress);
  // `weir sso --help` lists the commands that begin so.
  if (rest.length === 1 && (rest[0] === '--help' || rest[0] === '-h') && !names.includes(first))
    return helpFor([first], io, progress);
  return runCommand(['--version', '-v', '-V'].includes(first) ? ['version', ...rest] : line, io, progress);
}

/** `weir help`, `weir help plan`, `weir help sso`. */
async function helpFor(words: readonly string[], io: Io, progress: Progress): Promise<ExitCode> {
  const [first = ''] = words;
  const below = words.length === 1 ? commandsBelow(first, names) : [];
  if (words.length === 0) io.stdout.write(generalHelp(verbs));
  else if (below.length > 1) io.stdout.write(groupHelp(first, below, verbs));
  else await helpOf(below.length === 1 ? (below[0] ?? '').split(' ') : words, io, progress);
  return exitCodes.fine;
}

async function helpOf(words: readonly string[], io: Io, progress: Progress): Promise<void> {
  const { name, rest } = calledIn(words, names);
  progress.hint = hintFor(name);
  if (rest.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}: write weir help ${name}`);
  const { summary, load } = verbs[name] as VerbEntry;
  io.stdout.write(verbHelp(name, summary, await load()));
}

async function runCommand(line: readonly string[], io: Io, progress: Progress): Promise<ExitCode> {
  const called = calledIn(line, names);
  progress.hint = hintFor(called.name);
  const { summary, load } = verbs[called.name] as VerbEntry;
  const verb = await load();
  const typed = typedIn(called.rest, called.name, verb);
  if (typed.help && typed.problems.length === 0) {
    io.stdout.write(verbHelp(called.name, summary, verb));
    return exitCodes.fine;
  }
  // Whoever asked for a format gets a document of it, even where the rest of the line is wrong.
  progress.outputs = outputsIn(verb, typed.flags, io);
  const options = optionsIn(typed, verb, io);
  checkWords(called.name, verb, typed.words);
  checkTogether(verb, options, typed.flags, io);
  warnOfConsents(verb.options, io);
  const { outputs } = progress;
  // Where nothing is to be written, nobody is told that either.
  progress.outputs = undefined;
  checkOutputs(verb, { args: typed.words, options, io });
  progress.outputs = outputs;
  progress.hint = '';
  return verb.run({ args: typed.words, options, verbs, io: options.quiet ? quietened(io, verb) : io });
}

/** Reports are left out by `publish`, which knows what they say; what other commands print says only that all is well. */
function quietened(io: Io, { options }: Verb): Io {
  const mute: Screen = { ...io.stdout, write: () => {} };
  return { ...io, quiet: true, stdout: options.includes('output') ? io.stdout : mute };
}

/** Everything that is wrong with the flags, at once. */
function optionsIn({ flags, problems }: Typed, verb: Verb, io: Io): Options {
  const found = [...problems];
  try {
    const options = readOptions(verb.options, flags, io.env);
    if (found.length === 0) return options;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    found.push(error.message);
  }
  throw new UsageError(found.join('\n'));
}

/** What two flags say together. */
function checkTogether(verb: Verb, options: Options, flags: TypedFlags, io: Io): void {
  if (verb.options.includes('output')) targetsOf(options.output, io);
  if (verb.options.includes('server')) checkToken(options, flags, io.env);
}

/** A variable stays set, and would consent to what nobody has seen yet. */
function warnOfConsents(known: readonly OptionName[], io: Io): void {
  for (const name of ignoredConsents(known, io.env))
    io.stderr.write(
      `weir: ${variableName(name)} is ignored, because consent is never read from the environment: type --${flagName(name)}\n`,
    );
}

function hintFor(name: string): string {
  return name === ''
    ? '      Run "weir --help" for the commands.\n'
    : `      Run "weir ${name} --help" for its arguments and flags.\n`;
}

/** What `--output` asks for; nothing where it does not exist, or is wrong itself. */
function outputsIn(verb: Verb, flags: TypedFlags, io: Io): readonly string[] | undefined {
  if (!verb.options.includes('output')) return undefined;
  try {
    const typed = flags.get('output');
    const { output } = readOptions(['output'], new Map(typed && [['output', typed]]), io.env);
    targetsOf(output, io);
    return output;
  } catch {
    return undefined;
  }
}

function fail(error: unknown, { outputs, hint }: Progress, io: Io): ExitCode {
  const failure = failureOf(error);
  if (!failure) throw error;
  const { report, exitCode } = failure;
  io.stderr.write(
    `weir: ${report.message.split('\n').map(escaped).join('\n      ')}\n${report.code === 'usage' ? hint : ''}`,
  );
  if (outputs && report.code !== 'output_not_written') publishFailure(report, outputs, io);
  return exitCode;
}

/** What went wrong decides about the exit code, also where it cannot be written to a file. */
function publishFailure(report: ProblemReport, outputs: readonly string[], io: Io): void {
  try {
    publish(report, outputs, io);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    io.stderr.write(`weir: ${error.message.split('\n').map(escaped).join('\n      ')}\n`);
  }
}
