// Takes a command line apart: which command, which flags, and what stands beside them. What it does not know, it refuses.
import { suggest } from '../core/model/suggest.ts';
import { flagName, flagNote, type OptionName, type TypedFlags, UsageError } from '../options.ts';
import type { Verb } from './verb.ts';

/** The command that a line calls, with the rest of the line. */
export interface Called {
  readonly name: string;
  readonly rest: readonly string[];
}

/** Finds the command at the start of a line. Throws `UsageError` for one that does not exist. */
export function calledIn(line: readonly string[], names: readonly string[]): Called {
  const [first, second] = line;
  if (first === undefined) throw new UsageError(`name a command: ${names.join(', ')}`);
  const pair = `${first} ${second}`;
  if (names.includes(pair)) return { name: pair, rest: line.slice(2) };
  if (names.includes(first)) return { name: first, rest: line.slice(1) };
  throw new UsageError(unknownVerb(first, second, names));
}

/** The commands that begin with a word: `sso` has two. */
export function commandsBelow(word: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => name.startsWith(`${word} `));
}

function unknownVerb(first: string, second: string | undefined, names: readonly string[]): string {
  if (looksLikeFlag(first))
    return `unknown flag ${shown(first)} for "weir": write the command first, and its flags behind it`;
  const parts = commandsBelow(first, names);
  if (parts.length > 0 && (second === undefined || looksLikeFlag(second)))
    return `"weir ${first}" is incomplete: write ${parts.map((name) => `"weir ${name}"`).join(' or ')}`;
  const typed = parts.length > 0 ? `${first} ${second}` : first;
  const nearest = suggest(typed, [...names, 'help']) ?? (parts.length === 1 ? parts[0] : undefined);
  return `unknown command ${JSON.stringify(typed)}${nearest === undefined ? '' : `: did you mean "${nearest}"?`}`;
}

/** The flags and words of a line after its command; `help` when that is asked for; `problems` are words that look like flags and are none. */
export interface Typed {
  readonly flags: TypedFlags;
  readonly words: readonly string[];
  readonly help: boolean;
  readonly problems: readonly string[];
}

/**
 * Takes the rest of a line apart: `--flag VALUE`, `--flag=VALUE`, `--switch`, `-o VALUE`, `-oVALUE`; behind `--` there are words only. A value
 * that begins with a dash is written behind `=`.
 */
export function typedIn(rest: readonly string[], name: string, verb: Verb): Typed {
  const flags = new Map<string, (string | undefined)[]>();
  const words: string[] = [];
  const problems: string[] = [];
  let help = false;
  const left = [...rest];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') {
      words.push(...left);
      break;
    }
    if (word === '--help' || word === '-h') help = true;
    else if (!looksLikeFlag(word)) words.push(word);
    else {
      const flag = flagIn(word, verb);
      if (!flag) problems.push(unknownFlag(word, name, verb));
      else flags.set(flagName(flag.name), [...(flags.get(flagName(flag.name)) ?? []), valueFor(flag, left)]);
    }
  }
  return { flags, words, help, problems };
}

/** A word that begins with a dash, also with one that a text program made of two hyphens. A dash alone is one, too, where no value is wanted. */
function looksLikeFlag(word: string): boolean {
  return /^[-\u2010-\u2015\u2212]/u.test(word);
}

/** A flag as it was typed, with what stands behind its `=`. */
interface TypedFlag {
  readonly name: OptionName;
  readonly value: string | undefined;
}

function flagIn(word: string, verb: Verb): TypedFlag | undefined {
  const [, long, , longValue] = /^--([^=]+)(=(.*))?$/s.exec(word) ?? [];
  if (long !== undefined) {
    const name = verb.options.find((option) => flagName(option) === long);
    return name && { name, value: longValue };
  }
  const [, letter, text = ''] = /^-([A-Za-z])(.*)$/s.exec(word) ?? [];
  const name = verb.options.find((option) => flagNote(option).short === letter && letter !== undefined);
  if (!name || (text !== '' && isLong(word.slice(1), verb))) return undefined;
  if (text === '') return { name, value: undefined };
  // `-qv` would be two switches in one word: each is written alone.
  if (text.startsWith('=')) return { name, value: text.slice(1) };
  return flagNote(name).value === undefined ? undefined : { name, value: text };
}

/** `-output`: whoever types that means `--output`. */
function isLong(text: string, verb: Verb): boolean {
  return verb.options.some((option) => flagName(option) === text.split('=')[0]);
}

/** The value of a flag: behind its `=`, or the next word, which it takes from the line. */
function valueFor({ name, value }: TypedFlag, left: string[]): string | undefined {
  const { value: form, bare } = flagNote(name);
  const [next] = left;
  if (value !== undefined || form === undefined || bare !== undefined || next === undefined) return value;
  // Whoever writes a dash alone means a stream, and is told of the flag that it is no value of.
  if (looksLikeFlag(next) && next !== '-') return undefined;
  return left.shift();
}

function unknownFlag(word: string, name: string, verb: Verb): string {
  if (word === '-')
    return `unexpected argument "-", because "weir ${name}" reads nothing from stdin: name a file or folder`;
  const bare = word.replace(/^[-\u2010-\u2015\u2212]+/u, '').replace(/=.*$/s, '');
  const known = [...verb.options.map(flagName), 'help'];
  const nearest = known.find((flag) => flag === bare) ?? suggest(bare, known);
  const instead = nearest === undefined ? '' : `: did you mean --${nearest}?`;
  return `unknown flag ${shown(word)} for "weir ${name}"${instead}`;
}

/** Without its value, which may be a secret that was put behind the wrong name. */
function shown(word: string): string {
  const flag = word.replace(/=.*$/s, '');
  return /^[-\w]+$/.test(flag) ? flag : JSON.stringify(flag);
}

/** Refuses too few or too many words beside the flags. */
export function checkWords(name: string, verb: Verb, words: readonly string[]): void {
  const form = `weir ${name}${verb.usage === '' ? '' : ` ${verb.usage}`}`;
  if (words.length < verb.words.least) throw new UsageError(`"weir ${name}" needs an argument: write ${form}`);
  const empty = words.indexOf('');
  const instead = empty < verb.words.least ? '' : ', or leave it out';
  if (empty >= 0)
    throw new UsageError(`an argument cannot be empty, because "" names nothing: write ${form}${instead}`);
  const extra = words.slice(verb.words.most);
  if (extra.length === 0) return;
  const many = extra.length === 1 ? 'argument' : 'arguments';
  throw new UsageError(`unexpected ${many} ${extra.map((word) => JSON.stringify(word)).join(' ')}: write ${form}`);
}
