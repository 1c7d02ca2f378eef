// What src/ says twice, and what it offers and nobody there takes.
import { posix } from 'node:path';
import type { SourceTree } from './architecture.ts';
import { scanSource } from './scan-source.ts';

/** `path: name` of every exported function, constant and class that no file of the tree uses: neither another one by an import, nor its own. */
export function deadExports(tree: SourceTree): string[] {
  const files = [...tree].map(([path, text]) => ({ path, ...scanSource(text) }));
  const taken = new Set(files.flatMap(({ path, code, texts }) => takenBy(path, code, texts)));
  return files.flatMap(({ path, code }) =>
    [...code.matchAll(exported)]
      .map(([, name = '']) => name)
      .filter((name) => !taken.has(`${path} *`) && !taken.has(`${path} ${name}`) && usesOf(name, code) < 2)
      .map((name) => `${path}: ${name}`),
  );
}

const exported = /^export (?:async )?(?:function\*?|const|let|class) ([\w$]+)/gm;
const clauses =
  /(?<![\w$.])(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?(\{[^}]*\}|\*(?:\s*as\s+[\w$]+)?|[\w$]+)\s*from\s*"(\d+)"/g;
/** What is imported when it is needed: any name of it may be taken. */
const dynamic = /(?<![\w$.])import\s*\(\s*"(\d+)"/g;

function takenBy(path: string, code: string, texts: readonly string[]): string[] {
  const target = (at: string | undefined) => posix.join(posix.dirname(path), texts[Number(at)] ?? '');
  const named = [...code.matchAll(clauses)].flatMap(([, names = '', at]) =>
    namesIn(names).map((name) => `${target(at)} ${name}`),
  );
  return [...named, ...[...code.matchAll(dynamic)].map(([, at]) => `${target(at)} *`)];
}

function namesIn(clause: string): string[] {
  if (!clause.startsWith('{')) return ['*'];
  const items = clause.slice(1, -1).split(',');
  return items.flatMap((item) => /^\s*(?:type\s+)?([\w$]+)/.exec(item)?.[1] ?? []);
}

function usesOf(name: string, code: string): number {
  return [...code.matchAll(/[\w$]+/g)].filter(([word]) => word === name).length;
}

/** `name: path, path` of every function at the top of files that has one name and one body in several of them. */
export function twinFunctions(tree: SourceTree): string[] {
  const places = new Map<string, string[]>();
  for (const [path, text] of tree)
    for (const [whole, called, constant = ''] of text.matchAll(topFunction)) {
      const name = called ?? constant;
      const body = `${name} ${whole.replace(/^export /, '').replaceAll(/\s+/g, ' ')}`;
      places.set(body, [...(places.get(body) ?? []), path]);
    }
  return [...places].flatMap(([body, paths]) =>
    paths.length > 1 ? [`${body.slice(0, body.indexOf(' '))}: ${paths.join(', ')}`] : [],
  );
}

/** As the formatter leaves it: what stands at the top of a file ends where a line begins with its bracket, or with the statement. */
const topFunction =
  /^(?:export )?(?:async )?function\*? ([\w$]+)[\s\S]*?\n\}$|^(?:export )?const ([\w$]+) = (?:async )?\([^\n]*=>[^\n]*;$/gm;
