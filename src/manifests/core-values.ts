// What a plain scalar means in YAML 1.2 core (chapter 10.3.2), for the scalars that mean it beyond doubt.

/** Stands for "ask the YAML engine": the scalar is refused, or hard to tell. */
export const unsure: unique symbol = Symbol('unsure');

/** The value of a plain scalar, as `yaml` would resolve it. Numbers that cannot be kept exactly are `unsure`. */
export function coreValue(source: string): string | number | boolean | null | typeof unsure {
  if (!maySpell.test(source)) return source;
  const word = words.get(source);
  if (word !== undefined) return word;
  return isNumber.test(source) ? numberOf(source) : isOther.test(source) ? unsure : source;
}

// Everything that is not text begins like this.
const maySpell = /^[-+.\d~tTfFnN]/;

const words: ReadonlyMap<string, boolean | null> = new Map([
  ...['~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);

const isNumber = /^[-+]?(?:\d+|\.\d+|\d+\.\d*)$/;

/** Exponents, octal and hexadecimal numbers, infinity: rare enough to leave to the engine. */
const isOther =
  /^(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)[eE][-+]?\d+|0o[0-7]+|0x[\da-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;

function numberOf(source: string): number | typeof unsure {
  const value = Number.parseFloat(source);
  return Math.abs(value) < 2 ** 53 ? value + 0 : unsure;
}
