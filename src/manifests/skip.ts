// What below a tree is not read: leftovers of editors and tools, Kubernetes' own folders, and what the platform excludes.
import { matchesGlob } from 'node:path';

/** Whether a name (of a file or a folder, at any depth) is never read. Kubernetes' `..data` and `..2026_01_31_…` begin with a dot. */
export function isSkippedName(name: string): boolean {
  return name.charCodeAt(0) === dot || name.endsWith('~') || name === '4913' || name === 'node_modules';
}

/** Whether a file's name makes it a document. */
export function isDocumentName(name: string): boolean {
  return name.endsWith('.yaml') || name.endsWith('.yml');
}

/** Whether a name only looks like a document's: `Team.YAML`. It is not read, and somebody should be told. */
export function looksLikeDocument(name: string): boolean {
  return /\.ya?ml$/i.test(name) && !isDocumentName(name);
}

/**
 * Makes the test for `Platform.spec.exclude`. A glob is matched against the path relative to the tree, and one without `/` against the name
 * as well, at any depth. What matches a folder excludes all that is in it (`drafts`, `drafts/`, `drafts/**`).
 */
export function excluder(globs: readonly string[]): (path: string, name: string) => boolean {
  const patterns = globs
    .map((glob) => glob.replace(/^\.?\//, '').replace(/\/(?:\*\*\/?)?$/, ''))
    .filter((glob) => glob !== '');
  if (patterns.length === 0) return () => false;
  return (path, name) =>
    patterns.some((pattern) => matchesGlob(path, pattern) || (!pattern.includes('/') && matchesGlob(name, pattern)));
}

const dot = 0x2e;
