// What can be completed: every command with its flags and words, from the tables that the commands themselves are made of.
import { declaredKindNames } from '../../core/kinds/index.ts';
import { flagName, flagNote, type OptionName } from '../../options.ts';
import { formatNames } from '../output/index.ts';
import { ruleIds } from '../output/rule-help.ts';
import type { Verb, VerbEntry } from '../verb.ts';

/** What a word may be: a file, a folder, one of some words (`open`: more may follow it), or anything. */
export type Values = 'files' | 'folders' | 'anything' | { readonly words: readonly string[]; readonly open?: true };

/** A flag; a switch has no values. */
export interface CompletedFlag {
  readonly name: string;
  readonly short?: string;
  readonly says: string;
  readonly values?: Values;
  /** The value stands behind `=`, and may be left out. */
  readonly isOptional: boolean;
}

/** A command, with what each of the words behind it may be. */
export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly CompletedFlag[];
  readonly words: readonly Values[];
}

/** All commands, loaded for their flags. */
export async function commandsToComplete(
  verbs: Readonly<Record<string, VerbEntry>>,
): Promise<readonly CompletedCommand[]> {
  const entries = Object.entries(verbs);
  const loaded = await Promise.all(
    entries.map(async ([name, { summary, load }]) => commandOf(name, summary, await load())),
  );
  const words = [{ words: [...new Set(entries.map(([name]) => name.split(' ')[0] ?? ''))] }];
  return [...loaded, { name: 'help', summary: 'says more of a command', flags: [], words }];
}

function commandOf(name: string, summary: string, verb: Verb): CompletedCommand {
  const flags = [...verb.options.map((option) => flagOf(option, verb)), help];
  // `[KIND[/NAME]] [DIR]`: one group a word.
  const groups = verb.usage.match(/\[(?:[^[\]]|\[[^\]]*\])*\]|\S+/g) ?? [];
  return { name, summary, flags, words: groups.slice(0, verb.words.most).map(valuesOf) };
}

const help: CompletedFlag = { name: 'help', short: 'h', says: 'says more of this command', isOptional: false };

function flagOf(option: OptionName, verb: Verb): CompletedFlag {
  const { value, short, says, bare } = flagNote(option);
  return {
    name: flagName(option),
    ...(short === undefined ? {} : { short }),
    says: verb.notes?.[option] ?? says,
    ...(value === undefined ? {} : { values: valuesOf(value) }),
    isOptional: bare !== undefined,
  };
}

/** What stands for a placeholder of help: `DIR`, `KIND/NAME`, `bash|zsh|fish`. */
export function valuesOf(form: string): Values {
  if (form.startsWith('FORMAT')) return { words: formatNames };
  if (form === 'KIND/NAME') return { words: declaredKindNames.map((kind) => `${kind}/`), open: true };
  if (form.includes('RULE')) return { words: [...declaredKindNames, ...ruleIds] };
  if (form.includes('KIND')) return { words: declaredKindNames };
  if (/FILE|PATH|\.json/.test(form)) return 'files';
  if (/DIR|STORE/.test(form)) return 'folders';
  const words = form.replace(/^\[|\]$/g, '').split('|');
  return words.length > 1 && words.every((word) => /^[a-z]+(?:-[a-z]+)*$/.test(word)) ? { words } : 'anything';
}

/** The first words of commands of two words, each with its second words. */
export function groupsOf(commands: readonly CompletedCommand[]): ReadonlyMap<string, readonly CompletedCommand[]> {
  const groups = new Map<string, CompletedCommand[]>();
  for (const command of commands) {
    const [first = '', second] = command.name.split(' ');
    if (second !== undefined) groups.set(first, [...(groups.get(first) ?? []), command]);
  }
  return groups;
}

/** The words that stand right behind `weir`, each with what it does. */
export function firstWords(commands: readonly CompletedCommand[]): readonly (readonly [string, string])[] {
  const groups = groupsOf(commands);
  const singles = commands
    .filter(({ name }) => !name.includes(' '))
    .map(({ name, summary }) => [name, summary] as const);
  return [
    ...singles,
    ...[...groups].map(
      ([word, below]) => [word, below.map(({ name }) => name.slice(word.length + 1)).join(', ')] as const,
    ),
  ];
}

/** Every flag of any command that takes a value, once: what it takes does not depend on the command. */
export function valuedFlags(commands: readonly CompletedCommand[]): readonly CompletedFlag[] {
  const flags = new Map(commands.flatMap((command) => command.flags.map((flag) => [flag.name, flag] as const)));
  return [...flags.values()].filter(({ values }) => values !== undefined);
}

/** A text between single quotes, as bash and zsh read it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
