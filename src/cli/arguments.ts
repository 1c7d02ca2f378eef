// Takes a command line apart: which command, which flags, and what stands beside them.
import { parseArgs } from 'node:util';
import { suggest } from '../core/model/suggest.ts';
import { flagName, flagNote, type TypedFlags, UsageError } from '../options.ts';
import type { Verb } from './verb.ts';

/** The command that a line calls, with the rest of the line; nothing where the line names none. */
export interface Called {
  readonly name: string;
  readonly rest: readonly string[];
}

/** Finds the command at the start of a line. Throws `UsageError` for one that does not exist. */
export function calledIn(line: readonly string[], names: readonly string[]): Called | undefined {
  const [first, second] = line;
  if (first === undefined) return undefined;
  const pair = `${first} ${second}`;
  if (names.includes(pair)) return { name: pair, rest: line.slice(2) };
  if (names.includes(first)) return { name: first, rest: line.slice(1) };
  // `weir admin --help` helps, where only one command begins so.
  const [only, ...others] = names.filter((name) => name.startsWith(`${first} `));
  if (only !== undefined && others.length === 0 && (second === '--help' || second === '-h'))
    return { name: only, rest: line.slice(1) };
  throw new UsageError(unknownVerb(first, second, names));
}

function unknownVerb(first: string, second: string | undefined, names: readonly string[]): string {
  if (first.startsWith('-')) return `there is no ${first} here: name a command first`;
  const parts = names.filter((name) => name.startsWith(`${first} `));
  if (parts.length > 0 && (second === undefined || second.startsWith('-')))
    return `"${first}" is not whole: write ${parts.map((name) => `"weir ${name}"`).join(' or ')}`;
  const typed = parts.length > 0 ? `${first} ${second}` : first;
  const nearest = suggest(typed, names) ?? (parts.length === 1 ? parts[0] : undefined);
  return `there is no command ${JSON.stringify(typed)}${nearest === undefined ? '' : `: did you mean "${nearest}"?`}`;
}

/** The flags and words of a line after its command; `help` when that is asked for. */
export interface Typed {
  readonly flags: TypedFlags;
  readonly words: readonly string[];
  readonly help: boolean;
}

/** Takes the rest of a line apart. A flag that the command does not know is left for `readOptions` to refuse. */
export function typedIn(rest: readonly string[], verb: Verb): Typed {
  const config = Object.fromEntries(
    verb.options.map((name) => [
      flagName(name),
      { type: flagNote(name).value === undefined ? 'boolean' : 'string', multiple: true } as const,
    ]),
  );
  const options = { ...config, help: { type: 'boolean', short: 'h' } } as const;
  const { tokens } = parseArgs({ args: [...rest], options, strict: false, allowPositionals: true, tokens: true });
  const flags = new Map<string, (string | undefined)[]>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const swallowed = token.inlineValue === false && token.value?.startsWith('-') === true && token.value.length > 1;
    flags.set(token.name, [...(flags.get(token.name) ?? []), swallowed ? undefined : token.value]);
  }
  const help = flags.delete('help');
  return { flags, words, help };
}

/** Refuses too few or too many words beside the flags. */
export function checkWords(name: string, verb: Verb, words: readonly string[]): void {
  const form = `weir ${name}${verb.usage === '' ? '' : ` ${verb.usage}`}`;
  if (words.length < verb.words.least) throw new UsageError(`"${name}" needs more: write ${form}`);
  const empty = words.indexOf('');
  const instead = empty < verb.words.least ? '' : ', or leave it out';
  if (empty >= 0) throw new UsageError(`"${name}" cannot take "", because it names nothing: write ${form}${instead}`);
  const extra = words.slice(verb.words.most);
  if (extra.length > 0)
    throw new UsageError(
      `"${name}" does not take ${extra.map((word) => JSON.stringify(word)).join(' ')}: write ${form}`,
    );
}
