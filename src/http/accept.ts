// What a client takes: the header Accept (RFC 9110, 12.5.1).

/** Whether Accept names a media type itself, not by a wildcard, with a weight above 0. `type` is in lower case. */
export function accepts(header: string | undefined, type: string): boolean {
  return split(header ?? '', ',').some((range) => {
    const [name = '', ...parameters] = split(range, ';');
    return name.trim().toLowerCase() === type && weightOf(parameters) > 0;
  });
}

/** 1 where none is given, or none that can be read. */
function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [, weight] = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(parameter) ?? [];
    if (weight !== undefined) return Number(weight);
  }
  return 1;
}

/** The parts between separators that stand outside quotes. */
function split(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') quoted = !quoted;
    else if (quoted && text[at] === '\\') at++;
    else if (!quoted && text[at] === separator) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}
