// What the YAML parser found wrong, in our own words: what cannot be, because what, what to do.
import type { Node, YAMLError } from 'yaml';
import { isMap, isScalar, isSeq } from 'yaml';
import type { Problem } from './compose.ts';
import {
  endOfLastChild,
  find,
  lineEnd,
  lineStart,
  restOfLine,
  startOfLine,
  textFrom,
  wordLength,
} from './text-around.ts';
import { quoted, shown, unrendered } from './words.ts';

/** Turns an error or warning of `yaml` into a problem; `contents` is what it made of the document, for the place where something was opened. */
export function explain(error: YAMLError, text: string, contents: Node | null): Problem {
  const [start, end] = error.pos;
  const about = { error, text, contents, start, end: Math.max(end, start + 1) };
  return (
    conflictMarker(about) ??
    placeholder(about) ??
    explanations[error.code]?.(about) ?? { ...at(about, generic(error.message)), vague: true }
  );
}

interface About {
  readonly error: YAMLError;
  readonly text: string;
  readonly contents: Node | null;
  readonly start: number;
  readonly end: number;
}

type Explanation = (about: About) => Problem | undefined;

const explanations: { readonly [code: string]: Explanation } = {
  TAB_AS_INDENT: (about) =>
    at(about, 'a tab cannot indent a line, because YAML counts spaces only: indent with spaces'),
  MISSING_CHAR: missing,
  BAD_INDENT: badIndent,
  MULTILINE_IMPLICIT_KEY: multilineKey,
  BLOCK_AS_IMPLICIT_KEY: keyInside,
  BAD_SCALAR_START: (about) =>
    at(
      about,
      `a value cannot begin with ${quoted(about.text[about.start])}, because YAML keeps that sign for itself: put the value into quotes`,
    ),
  BAD_DQ_ESCAPE: (about) => {
    const written = about.text.slice(about.start, about.start + 2);
    return at(
      about,
      `${shown(written)} is no escape in double quotes: write \\${shown(written)} for a backslash, or use single quotes`,
      2,
    );
  },
  TAG_RESOLVE_FAILED: tag,
  BAD_COLLECTION_TYPE: tag,
  MULTIPLE_TAGS: (about) => at(about, 'a value cannot have two tags: keep one, or none'),
  MULTIPLE_ANCHORS: (about) => at(about, 'a value cannot have two anchors: keep one'),
  ALIAS_PROPS: (about) => at(about, 'an alias cannot have an anchor or a tag of its own: write the alias alone'),
  BAD_ALIAS: (about) =>
    at(about, 'an anchor or alias needs a name that does not end with a colon: write &name or *name'),
  BLOCK_IN_FLOW: (about) =>
    at(
      about,
      about.text.slice(about.start, about.end).includes('\n')
        ? 'an indented mapping or list cannot stand inside { } or [ ]: use one style for all of it'
        : commaMissing,
    ),
  KEY_OVER_1024_CHARS: (about) =>
    at(about, 'a key cannot be longer than 1024 characters: is a colon or a quote missing?'),
  BAD_PROP_ORDER: (about) => at(about, 'an anchor or tag cannot stand before the indicator: write it after it'),
  UNEXPECTED_TOKEN: unexpected,
};

const commaMissing = 'two entries inside { } or [ ] need a comma between them: write it, or close the bracket before';

function conflictMarker(about: About): Problem | undefined {
  const line = restOfLine(about.text, lineStart(about.text, about.start));
  if (!/^(?:<{7}|={7}|>{7}|\|{7})(?: |$)/.test(line)) return undefined;
  const message = 'a conflict marker of Git stands here: settle the conflict and remove the marker';
  return at({ ...about, start: lineStart(about.text, about.start) }, message, line.length);
}

/** `{{ .Values.x }}`, where nothing before it on its line opens a quote or a comment. */
function placeholder(about: About): Problem | undefined {
  const begin = lineStart(about.text, about.start);
  const line = restOfLine(about.text, begin);
  const [, before] = /^([^"'#{]*)\{\{.*\}\}/.exec(line) ?? [];
  if (before === undefined) return undefined;
  return at({ ...about, start: begin + before.length }, unrendered, line.slice(before.length).trimEnd().length);
}

function missing(about: About): Problem | undefined {
  const { message } = about.error;
  if (/closing ["']quote/.test(message)) return unclosedQuote(about);
  if (/must end with a/.test(message)) return unclosedFlow(about);
  if (/followed by map values/.test(message)) return keyWithoutColon(about);
  if (/Missing space after :/.test(message)) return at(about, 'a colon needs a space after it: write `key: value`');
  if (/^Missing ,/.test(message)) return at(about, commaMissing);
  if (/Comments must be/.test(message))
    return at(about, 'a comment needs a space before its #: write one, or quote the value that holds the #');
  if (/without - indicator/.test(message))
    return at(about, 'an entry of a list cannot be without "- ": write it, or mend the indentation');
  if (/on same line with directives-end/.test(message))
    return at(about, 'a mapping or list cannot begin on the line of "---": begin it on the next line');
  if (/directives-end/.test(message))
    return at(about, 'a directive needs a line "---" after it: write it, or leave the directive out');
  return undefined;
}

function keyInside(about: About): Problem {
  if (!/compact mappings/.test(about.error.message)) return at(onText(about), misplacedEntry);
  const line = restOfLine(about.text, about.start);
  if (/:(?=\s|$)/.test(line)) {
    return at(
      about,
      'a value cannot hold ": " without quotes, because it reads as one more key: put the value into quotes',
      line.trimEnd().length,
    );
  }
  return deeperLine(about);
}

function deeperLine(about: About): Problem {
  const next = onText({ ...about, start: lineEnd(about.text, about.start) });
  const message =
    'this line cannot stand here, because it is indented deeper than the key before it, which has a value already';
  return at(next, `${message}: begin it where that key begins`, wordLength(next.text, next.start));
}

const misplacedKey =
  'this key cannot stand here, because it is not indented like the keys before it: begin all keys of a mapping in one column';
const misplacedEntry =
  'this entry cannot stand here, because it is not indented like the entries before it: begin all "- " of a list in one column';

function badIndent(source: About): Problem | undefined {
  const { message } = source.error;
  const about = onText(source);
  if (/must be sufficiently indented/.test(message)) return unclosedFlow(source);
  if (/mapping items/.test(message)) return at(about, misplacedKey, wordLength(about.text, about.start));
  if (/sequence items/.test(message)) return at(about, misplacedEntry, wordLength(about.text, about.start));
  return at(
    about,
    'this line cannot stand here, because it is not indented deep enough: indent it deeper than the key that it belongs to',
    wordLength(about.text, about.start),
  );
}

function multilineKey(about: About): Problem {
  const first = restOfLine(about.text, about.start);
  if (/:[ \t]+$/.test(startOfLine(about.text, about.start))) return deeperLine(about);
  const glued = /^[^\s:"'[{]+:(?=\S)/.exec(first);
  if (glued)
    return at(
      about,
      `a colon needs a space after it: write \`${shown(glued[0])} ${shown(first.slice(glued[0].length))}\``,
      first.trimEnd().length,
    );
  return at(
    about,
    `${quoted(first.trimEnd())} cannot be a key, because a key ends on its own line: write \`key: value\`, or mend the indentation`,
    first.trimEnd().length,
  );
}

function keyWithoutColon(about: About): Problem {
  const written = restOfLine(about.text, about.start).trimEnd();
  const glued = /^[^\s:"'[{]+:(?=\S)/.exec(written);
  if (glued)
    return at(
      about,
      `a colon needs a space after it: write \`${shown(glued[0])} ${shown(written.slice(glued[0].length))}\``,
      written.length,
    );
  return at(
    about,
    `${quoted(written)} cannot stand alone, because a mapping holds entries: write \`key: value\`, or mend the indentation`,
    written.length,
  );
}

function unclosedQuote(about: About): Problem {
  const open = find(
    about.contents,
    (node) =>
      isScalar(node) &&
      node.range?.[1] === about.start &&
      /^["']/.test(about.text.slice(node.range[0], node.range[0] + 1)),
  );
  const start = open?.range?.[0] ?? about.start;
  const kind = about.text[start] === "'" ? 'single' : 'double';
  const message = `the ${kind} quote that opens here is never closed: close it, or quote the other way if it belongs to the text`;
  return { start, end: Math.max(start + 1, lineEnd(about.text, start)), message };
}

function unclosedFlow(about: About): Problem {
  const open = find(
    about.contents,
    (node) =>
      (isMap(node) || isSeq(node)) &&
      node.flow === true &&
      (node.range?.[0] ?? 0) < about.start &&
      (node.range?.[1] ?? 0) >= about.start &&
      !isClosed(node, about.text),
  );
  const start = open?.range?.[0] ?? about.start;
  const bracket = about.text[start] === '{' ? '{' : '[';
  const message = `the ${bracket} that opens here is never closed: close it with ${bracket === '{' ? '}' : ']'}, deeper than the key that it belongs to`;
  return { start, end: start + 1, message };
}

function tag(about: About): Problem {
  const core = /tag:yaml\.org,2002:(?:int|float|bool|null|str|map|seq)\b/.test(about.error.message);
  const written = /^!\S*/.exec(about.text.slice(about.start, about.end))?.[0] ?? '';
  const why = core ? 'the value is of another type' : 'only plain YAML 1.2 values are read';
  return at(
    about,
    `the tag ${shown(written)} cannot be used, because ${why}: leave it out`,
    Math.max(1, written.length),
  );
}

const afterQuote =
  'text cannot follow a closing quote: put all of it between the quotes (in single quotes a quote is written twice, in double quotes \\")';
const blockHeader = 'text cannot follow | or > on its line: begin it on the next line, indented';

function unexpected(about: About): Problem | undefined {
  const { message } = about.error;
  if (/(?:Unexpected ,|empty item) in flow/.test(message))
    return at(about, 'a comma cannot stand here, because no entry is before it: leave it out');
  if (/doc-end without/.test(message))
    return at(about, '"..." cannot stand here, because no document is before it: leave it out');
  if (/block-seq-ind on same line/.test(message))
    return at(about, 'a list cannot begin on the line of its key: begin its first "- " on the next line');
  if (/Block scalar header/.test(message)) return at(about, blockHeader);
  if (/flow-(map|seq)-end|flow-error-end/.test(message))
    return at(
      about,
      `${quoted(about.text[about.start])} cannot stand here, because nothing is open that it could close: leave it out`,
    );
  const rest = about.text.slice(about.start, Math.min(about.end, lineEnd(about.text, about.start))).trim();
  if (/^[|>][-+0-9]*[ \t]+$/.test(about.text.slice(about.text.lastIndexOf(' ', about.start - 2) + 1, about.start)))
    return at(about, blockHeader, rest.length);
  if (rest === '') return undefined;
  if (/["'][ \t]*$/.test(startOfLine(about.text, about.start))) return at(about, afterQuote, rest.length);
  return {
    ...at(
      about,
      `${quoted(rest)} cannot stand here: is a quote, a colon or a line break missing before it?`,
      rest.length,
    ),
    vague: true,
  };
}

function generic(message: string): string {
  return `this cannot be read as YAML (${shown(message.replace(/\.$/, ''))}): mend it, or quote the value`;
}

function at({ start, end, text }: About, message: string, length?: number): Problem {
  return {
    start,
    end: Math.min(length === undefined ? end : start + length, Math.max(start + 1, lineEnd(text, start))),
    message,
  };
}

function onText(about: About): About {
  const start = textFrom(about.text, about.start);
  return { ...about, start, end: Math.max(about.end, start + 1) };
}

/** Whether a flow collection ends with a bracket of its own, not with one that belongs to the last thing in it. */
function isClosed(node: Node, text: string): boolean {
  const [start, end] = node.range ?? [0, 0];
  return endOfLastChild(node) < end && text[end - 1] === (text[start] === '{' ? '}' : ']');
}
