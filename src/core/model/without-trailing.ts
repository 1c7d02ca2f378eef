// Text without what it ends in.

/** A text without any of these characters at its end. An expression such as `/\/+$/` takes the square of a run that is not at the end. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
