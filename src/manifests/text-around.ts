// Looking around in a text and in what the YAML engine made of it, to say where a mistake began.
import type { Node } from 'yaml';
import { isAlias, isMap, isSeq } from 'yaml';

/** The last node, deepest first, of which `test` holds. */
export function find(node: Node | null, test: (node: Node) => boolean): Node | undefined {
  if (node === null || isAlias(node)) return undefined;
  for (const child of childrenOf(node).toReversed()) {
    const found = find(child, test);
    if (found) return found;
  }
  return test(node) ? node : undefined;
}

function childrenOf(node: Node): (Node | null)[] {
  if (isMap<Node | null, Node | null>(node)) return node.items.flatMap((pair) => [pair.key, pair.value]);
  return isSeq<Node | null>(node) ? [...node.items] : [];
}

/** The offset at which the last child of a node ends, 0 for one without children. */
export function endOfLastChild(node: Node): number {
  return Math.max(
    0,
    ...childrenOf(node)
      .map((child) => child?.range?.[1] ?? 0)
      .slice(-2),
  );
}

/** The offset of the first thing from `start` on that is not white space; `start` itself where nothing follows. */
export function textFrom(text: string, start: number): number {
  const ahead = /^\s*/.exec(text.slice(start))?.[0].length ?? 0;
  return start + ahead < text.length ? start + ahead : start;
}

/** How long the word at an offset is: up to a space, a colon or the end of its line. */
export function wordLength(text: string, start: number): number {
  const line = restOfLine(text, start);
  return (/^[^\s:]+/.exec(line)?.[0] ?? line).length;
}

/** What stands from an offset to the end of its line. */
export function restOfLine(text: string, start: number): string {
  return text.slice(start, lineEnd(text, start));
}

/** What stands in the line of an offset before it. */
export function startOfLine(text: string, at: number): string {
  return text.slice(lineStart(text, at), at);
}

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

export function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' && end > start ? end - 1 : end;
}
