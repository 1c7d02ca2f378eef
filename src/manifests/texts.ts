// A tree given as texts, as a pull request's files over the API, instead of a folder.
import { posix } from 'node:path';
import { publicPath } from './files.ts';
import { parse } from './parse.ts';
import { isDocumentName, isSkippedName } from './skip.ts';
import { digestOf, type FileEntry, type Missing, ROOT_MANIFEST, type Tree } from './tree.ts';

/** One file of such a tree; `path` is relative to its root, with `/`. */
export interface TextFile {
  readonly path: string;
  readonly content: string;
}

/** Reads texts as the folder that holds them would be read. Other texts than documents can be drawn in by them (`{fromFile}`). */
export function treeOfTexts(files: readonly TextFile[]): Tree | Missing {
  const texts = new Map(files.map(({ path, content }) => [posix.normalize(path), content]));
  if (!texts.has(ROOT_MANIFEST))
    return {
      root: '.',
      missing: 'weir.yaml',
      message: `the documents are not a tree, because there is no ${ROOT_MANIFEST} among them`,
    };
  const entries = [...texts].filter(([path]) => isDocumentPath(path)).map(([path, text]) => entryOf(path, text));
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    root: '.',
    real: '.',
    files: new Map(entries.map((entry) => [entry.path, entry])),
    documents: entries.flatMap(({ documents }) => documents),
    overlays: [],
    findings: entries.flatMap(({ findings }) => findings),
    exclude: [],
    digest: digestOf(entries.flatMap(({ path, digest }) => [path, digest]).join('\0')),
    unreadable: [],
    fresh: false,
    file: (document, path) => textOf(texts, publicPath(document.file, path)),
  };
}

function isDocumentPath(path: string): boolean {
  const steps = path.split('/');
  return isDocumentName(path) && steps[0] !== 'overlays' && !steps.some(isSkippedName) && !path.startsWith('/');
}

function entryOf(path: string, content: string): FileEntry {
  const { documents, findings, broken } = parse(path, content);
  const size = Buffer.byteLength(content);
  return {
    path,
    size,
    digest: digestOf(content),
    text: content,
    documents,
    findings,
    broken,
    draws: new Map(),
    fresh: false,
  };
}

function textOf(
  texts: ReadonlyMap<string, string>,
  path: string | undefined,
): { readonly text: string } | { readonly problem: string } {
  const text = path === undefined ? undefined : texts.get(path);
  return text === undefined ? { problem: 'there is no such file among the documents' } : { text };
}
