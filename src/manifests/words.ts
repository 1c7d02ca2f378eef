// Words for what strict YAML refuses in a text: numbers that cannot be kept, characters that cannot stand there.

/** Text of a file as a message may show it: on one line, at most 60 characters, without control characters. */
export function shown(text = ''): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/** The same between double quotes. */
export function quoted(text = ''): string {
  return `"${shown(text)}"`;
}

/** Why a number cannot be kept, or `undefined`. `source` is the number as written: past 2^53 only the text still knows the digits. */
export function numberProblem(value: number, source: string): string | undefined {
  if (!Number.isFinite(value)) {
    return `${shown(source)} cannot be used, because a number must be finite: write a finite number, or quote ${quoted(source)} if it is text`;
  }
  if (!isInteger.test(source) || !isPastLimit(value, source)) return undefined;
  return `the integer ${shown(source)} cannot be kept exactly, because it is past 2^53: quote ${quoted(source)} if it is text`;
}

const isInteger = /^(?:[-+]?\d+|0x[\da-fA-F]+|0o[0-7]+)$/;

function isPastLimit(value: number, source: string): boolean {
  if (Math.abs(value) !== 2 ** 53) return Math.abs(value) > 2 ** 53;
  return BigInt(source.replace(/^[-+]/, '')) !== 2n ** 53n;
}

/** Why the braces of a template cannot stand in a document. */
export const unrendered =
  'a template was not rendered: YAML reads {{ … }} as mappings in braces: render it first (helm template, envsubst), or quote it if it is text';
