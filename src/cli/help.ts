// The texts of --help: of Weir, and of one command.
import { flagName, flagNote, type OptionName, variableName } from '../options.ts';
import type { VerbEntry } from './index.ts';
import { formatNames } from './output/index.ts';
import type { Verb } from './verb.ts';

/** What `weir --help` prints. */
export function generalHelp(verbs: Readonly<Record<string, VerbEntry>>): string {
  const lines = table(Object.entries(verbs).map(([name, { summary }]) => [name, summary]));
  return `Weir keeps a flow-runtime platform as a folder of YAML declares it.

usage: weir COMMAND [ARGUMENTS]

commands
${lines}

weir COMMAND --help says more of one. weir --version prints the version.
Each flag is also an environment variable: --base-url is WEIR_BASE_URL.

exit codes
  0  fine                                 4   the plan is stale, or the store moved
  1  the configuration is invalid         5   tree, store or server cannot be read or reached
  2  changes are pending (plan            64  wrong usage
     --detailed-exitcode)                 70  a bug in Weir
  3  refused by the live state, a guard
     or protection
`;
}

/** What `weir VERB --help` prints. */
export function verbHelp(name: string, summary: string, verb: Verb): string {
  const usage = `usage: weir ${name}${verb.usage === '' ? '' : ` ${verb.usage}`}${verb.options.length > 0 ? ' [FLAGS]' : ''}`;
  const head = `weir ${name} ${summary}.`;
  const details = verb.details === undefined ? [] : [verb.details.trim()];
  const flags = verb.options.length > 0 ? [`flags\n${table(verb.options.map((option) => flagRow(option, verb)))}`] : [];
  const examples = verb.examples ? [`examples\n${verb.examples.map((line) => `  ${line}`).join('\n')}`] : [];
  return `${[head, usage, ...details, ...flags, ...examples].join('\n\n')}\n`;
}

function flagRow(name: OptionName, verb: Verb): [string, string] {
  const { value, says } = flagNote(name);
  const typed = `--${flagName(name)}${value === undefined ? '' : ` ${value}`}`;
  const formats = name === 'output' ? ` (${formatNames.join(', ')})` : '';
  return [typed, `${verb.notes?.[name] ?? says}${formats} [${variableName(name)}]`];
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
