// How large variables are in the environment of a process, and how large they may be: a system starts nothing with more.

/** Of all variables together: what Linux takes with its usual stack, with room for what Weir adds. In bytes. */
export const mostEnvironmentBytes = 1024 * 1024;

/** A variable by its name. */
export interface Variable {
  readonly name: string;
  readonly value: string;
}

/** Its bytes as a process gets it: `NAME=value`, and the NUL behind that. How long a value may be keeps one below what Linux takes (128 KiB). */
export function bytesOfVariable({ name, value }: Variable): number {
  return utf8Length(name) + utf8Length(value) + 2;
}

/** The bytes of variables together. */
export function bytesOfVariables(variables: readonly Variable[]): number {
  const known = sizes.get(variables);
  if (known !== undefined) return known;
  const size = variables.reduce((sum, one) => sum + bytesOfVariable(one), 0);
  sizes.set(variables, size);
  return size;
}

// A memo of a pure function over lists that never change.
const sizes = new WeakMap<readonly Variable[], number>();

function utf8Length(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) length += code < 0x800 ? 1 : 2;
    // A pair of units is four bytes: the second is counted by now.
    if (code >= 0xd800 && code < 0xdc00 && isLow(text.charCodeAt(at + 1))) at += 1;
  }
  return length;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
