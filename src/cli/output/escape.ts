// Makes text from files safe to print: what would steer a terminal, or turn the order of letters round, is shown as an escape.

// Control characters (C0, DEL, C1), lone surrogates, line separators, and what changes direction or is not to be seen at all.
const unsafe = new RegExp(
  '[\\0-\\x1f\\x7f-\\x9f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb]' +
    '|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]',
  'g',
);

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The text on one line, with escapes such as `\n` and `\u001b` for what must not reach a terminal. */
export function escaped(text: string): string {
  return text.replace(unsafe, (character) => short[character] ?? unicode(character));
}

/** JSON that is safe on a terminal too: its escapes mean the same. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(/[^\n]+/g, (line) => line.replace(unsafe, unicode));
}

function unicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
