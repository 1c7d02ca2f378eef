// Runs one command line from end to end: finds the command, reads its flags, runs it, and turns failures into words and a code.
import { flagName, type Options, readOptions, type TypedFlags, UsageError, variableName } from '../options.ts';
import { calledIn, checkWords, typedIn } from './arguments.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { failureOf, Unavailable } from './failure.ts';
import { generalHelp, verbHelp } from './help.ts';
import { type VerbEntry, verbs } from './index.ts';
import type { Io } from './io.ts';
import { escaped } from './output/escape.ts';
import { targetsOf } from './output/targets.ts';
import { publish } from './publish.ts';
import type { ProblemReport } from './report.ts';
import type { Verb } from './verb.ts';

/** Runs `weir LINE`. Throws only what is a bug in Weir. */
export async function run(line: readonly string[], io: Io): Promise<ExitCode> {
  const wanted = generalWish(line);
  if (wanted === 'version') io.stdout.write(`${io.version}\n`);
  else if (wanted === 'help') io.stdout.write(generalHelp(verbs));
  else return runCommand(line[0] === 'help' ? [...line.slice(1), '--help'] : line, io);
  return exitCodes.fine;
}

function generalWish(line: readonly string[]): 'version' | 'help' | undefined {
  const [first] = line;
  if (first === '--version' || first === '-V') return 'version';
  return first === '--help' || first === '-h' || (first === 'help' && line.length === 1) ? 'help' : undefined;
}

async function runCommand(line: readonly string[], io: Io): Promise<ExitCode> {
  let outputs: readonly string[] | undefined;
  let started = false;
  try {
    const called = calledIn(line, Object.keys(verbs));
    if (!called) throw new UsageError(`name a command: ${Object.keys(verbs).join(', ')}`);
    const entry = verbs[called.name] as VerbEntry;
    const verb = await entry.load();
    const typed = typedIn(called.rest, verb);
    if (typed.help) {
      io.stdout.write(verbHelp(called.name, entry.summary, verb));
      return exitCodes.fine;
    }
    // Whoever asked for a format gets a document of it, even where the rest of the line is wrong.
    outputs = outputsIn(verb, typed.flags, io);
    const options = readOptions(verb.options, typed.flags, io.env);
    checkWords(called.name, verb, typed.words);
    checkTogether(verb, options, io);
    started = true;
    return await verb.run({ args: typed.words, options, io });
  } catch (error) {
    return fail(error, outputs, io, started ? '' : usageHint);
  }
}

/** What two flags say together. */
function checkTogether(verb: Verb, options: Options, io: Io): void {
  if (verb.options.includes('output')) targetsOf(options.output, io);
  if (verb.options.includes('server') && options.server !== undefined && options.tokenFile === undefined)
    throw new UsageError(
      `--server needs a token: add --${flagName('tokenFile')} FILE (or ${variableName('tokenFile')})`,
    );
}

const usageHint = '      weir --help lists the commands, weir COMMAND --help the flags of one.\n';

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

function fail(error: unknown, outputs: readonly string[] | undefined, io: Io, hint: string): ExitCode {
  const failure = failureOf(error);
  if (!failure) throw error;
  const { report, exitCode } = failure;
  io.stderr.write(`weir: ${report.message.split('\n').map(escaped).join('\n      ')}\n${hint}`);
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
