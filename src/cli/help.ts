// The texts of --help: of Weir, and of one command.
import { flagForm, flagNote, type OptionName, variableName } from '../options.ts';
import { formatNames } from './output/index.ts';
import type { Verb, VerbEntry } from './verb.ts';

/** What `weir --help` prints. */
export function generalHelp(verbs: Readonly<Record<string, VerbEntry>>): string {
  const lines = table(Object.entries(verbs).map(([name, { summary }]) => [name, summary]));
  return `Weir keeps a flow-runtime platform as a folder of YAML declares it.

usage: weir COMMAND [ARGUMENTS]

commands
${lines}

weir COMMAND --help says more of one. weir --version prints the version.
Each flag is also an environment variable: --base-url is WEIR_BASE_URL. Flags that consent to something are not: they are typed each time.

exit codes
  0  fine                                 4   the plan is stale, or the store moved
  1  the configuration is invalid         5   tree, store or server cannot be read or reached
  2  changes are pending (plan            64  wrong usage
     --detailed-exitcode)                 70  a bug in Weir
  3  refused by the live state, a guard
     or protection
`;
}

/** What `weir help sso` prints: the commands that begin with that word. */
export function groupHelp(word: string, names: readonly string[], verbs: Readonly<Record<string, VerbEntry>>): string {
  const lines = table(names.map((name) => [name, verbs[name]?.summary ?? '']));
  return `usage: weir ${word} COMMAND [ARGUMENTS]\n\ncommands\n${lines}\n\nweir ${word} COMMAND --help says more of one.\n`;
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
  const { short, says, consent } = flagNote(name);
  const formats = name === 'output' ? ` (${formatNames.join(', ')})` : '';
  const variable = consent ? '' : ` [${variableName(name)}]`;
  return [
    `${short === undefined ? '' : `-${short}, `}${flagForm(name)}`,
    `${verb.notes?.[name] ?? says}${formats}${variable}`,
  ];
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
