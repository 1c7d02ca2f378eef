// Text for Markdown as GitHub and GitLab read it: nothing of it is markup, a mention, a reference or a link.
import { escaped } from './escape.ts';

/**
 * Text as prose, also in the cell of a table. What would mention somebody, name an issue or become a link is shown as code, because
 * mentions and the like are looked for in the text that was rendered, where no escape is left to see.
 */
export function prose(text: string): string {
  return mapped(
    escaped(text),
    /\S+/g,
    (word) => (link.test(word) ? asCode(word) : mapped(word, active, asCode)),
    entities,
  );
}

/** A text, of which each part that a form finds is made into one thing, and what stands between them into another. */
function mapped(
  text: string,
  form: RegExp,
  ofPart: (part: string) => string,
  ofRest: (rest: string) => string = entities,
): string {
  let made = '';
  let at = 0;
  for (const { 0: found, index } of text.matchAll(form)) {
    made += ofRest(text.slice(at, index)) + ofPart(found);
    at = index + found.length;
  }
  return made + ofRest(text.slice(at));
}

/** Text as code: in tags and not in backticks, because no escape holds a backtick and a pipe within backticks in a table. */
export function code(text: string): string {
  return asCode(escaped(text));
}

// A link, an address or a @mention makes code of the whole word that it stands in.
const link = /:\/\/|@|\b(?:www\.|mailto:|xmpp:)/i;

// #1, !1, $1, %1, &1, ~label, ^alert, GH-1, :emoji:, digests that could be commits.
const active = /[#!$%&~^][\w"-]+|\bGH-\d+|:[\w+-]+:|\b[0-9a-f]{7,64}\b/gi;

function asCode(shown: string): string {
  return `<code>${entities(shown)}</code>`;
}

/** Characters that Markdown or HTML give a meaning anywhere in a line. Neither gives one to an entity. */
function entities(shown: string): string {
  return shown
    .replace(/[&<>`*_[\]\\~|!#$^{}@]|:(?=\/\/)|\.(?<=www\.)/gi, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/ {2,}/g, (gap) => '&nbsp;'.repeat(gap.length));
}
