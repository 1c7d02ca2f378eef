// A finding about a document, at its place, and how values are shown in its words.
import type { Finding } from '../model/finding.ts';
import { pointer, readable } from '../model/pointer.ts';
import { printable, quoted, withoutPassword } from '../model/printable.ts';
import type { Subject } from './desired.ts';

/** Steps from the top of a document to what a finding speaks of. */
export type Path = readonly (string | number)[];

/** A finding of rule `schema`. `part`: whether the key or the value at the path is meant; `what` follows the address. */
export function findingIn(at: Subject, path: Path, part: 'key' | 'value', what: string, suggestion?: string): Finding {
  const id = pointer(...path);
  const { kind, name } = at;
  const who = name === undefined ? { kind } : { kind, name };
  const message = printable(`${kind}/${name === undefined ? '?' : name.slice(0, 100)}: ${what}`);
  const found: Finding = {
    rule: 'schema',
    severity: 'error',
    message,
    ...who,
    path: id,
    source: at.document.locate(id, part),
  };
  return suggestion === undefined ? found : { ...found, suggestion };
}

/** How people read a path. */
export function shown(path: Path): string {
  return readable(pointer(...path)) || 'the document';
}

/** A value as people are shown it: cut short, and without a password that an address may carry. */
export function shownValue(value: unknown): string {
  return printable(quoted(withoutPassword(value)));
}
