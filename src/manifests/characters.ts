// Characters that YAML does not allow, found before anything is parsed.
import type { Problem } from './compose.ts';
import { MAX_PROBLEMS } from './compose.ts';

/**
 * The refused characters of a text, and the text with others in their place (U+FFFD; a line feed for a lone carriage return), so that the rest
 * can be checked in the same run and every offset stays what it was.
 */
export function refusedCharacters(text: string): { readonly readable: string; readonly problems: Problem[] } {
  const problems: Problem[] = [];
  if (text.isWellFormed() && !refused.test(text)) return { readable: text, problems };
  let carriageReturns = 0;
  const readable = text.replace(everyRefused, (character, start: number) => {
    if (character === '\r') carriageReturns += 1;
    if (problems.length < MAX_PROBLEMS && (character !== '\r' || carriageReturns === 1))
      problems.push(problemAt(character, start));
    return character === '\r' ? '\n' : '\uFFFD';
  });
  return { readable, problems };
}

function problemAt(character: string, start: number): Problem {
  return { start, end: start + 1, message: messages[character] ?? other(character) };
}

const messages: { readonly [character: string]: string } = {
  '\0': 'the character U+0000 (NUL) cannot stand in YAML, not even as an escape: remove it',
  '\r': 'a line cannot end with a carriage return alone: end lines with a line feed, or with both',
  '\uFEFF': 'a byte order mark cannot stand inside a file, only at its start: remove it',
};

function other(character: string): string {
  const code = character.charCodeAt(0);
  const name = code === 0x1b ? ' (escape)' : code === 0x7f ? ' (delete)' : '';
  const hexadecimal = code.toString(16).toUpperCase().padStart(4, '0');
  // Half of a character is none, however it is written.
  const way = code >= 0xd800 && code < 0xe000 ? 'remove it' : 'remove it, or write it as an escape in double quotes';
  return `the character U+${hexadecimal}${name} cannot stand in YAML: ${way}`;
}

// What YAML 1.2 calls not printable (5.1), and lone surrogates.
const pattern = '[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x84\\x86-\\x9F\\uFEFF\\uFFFE\\uFFFF]|\\r(?!\\n)';
const refused = new RegExp(pattern);
const everyRefused = new RegExp(
  `${pattern}|[\\uD800-\\uDBFF](?![\\uDC00-\\uDFFF])|(?<![\\uD800-\\uDBFF])[\\uDC00-\\uDFFF]`,
  'g',
);
