// A tree given as texts, as a pull request's files over the API, instead of a folder.
import { posix } from 'node:path';
import { environmentOf } from './environment.ts';
import { publicPath } from './files.ts';
import { parse } from './parse.ts';
import { isDocumentName, isSkippedName } from './skip.ts';
import { digestOf, type FileEntry, type Missing, ROOT_MANIFEST, type Tree } from './tree.ts';

/** One file of such a tree; `path` is relative to its root, with `/`. */
export interface TextFile {
  readonly path: string;
  readonly content: string;
}

/**
 * Reads texts as the folder that holds them would be read, with one of its overlays where it is named. Other texts than documents can be drawn in
 * by them (`{fromFile}`).
 */
export function treeOfTexts(files: readonly TextFile[], overlay?: string): Tree | Missing {
  const texts = new Map(files.map(({ path, content }) => [posix.normalize(path), content]));
  if (!texts.has(ROOT_MANIFEST))
    return {
      root: '.',
      missing: 'weir.yaml',
      message: `the documents are not a tree, because there is no ${ROOT_MANIFEST} among them`,
    };
  const inOverlay = `overlays/${overlay}/`;
  if (overlay !== undefined && ![...texts.keys()].some((path) => path.startsWith(inOverlay)))
    return { root: '.', missing: 'overlay', message: `the documents have no file below ${inOverlay}` };
  const entries = [...texts]
    .filter(([path]) => isDocumentPath(path, overlay === undefined ? undefined : inOverlay))
    .map(([path, text]) => entryOf(path, text));
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  const [over, base] = partition(entries, ({ path }) => path.startsWith('overlays/'));
  const overlays = over.flatMap(({ documents }) => documents);
  const { merges, ...environment } = environmentOf(
    base.flatMap(({ documents }) => documents),
    overlays,
  );
  return {
    root: '.',
    real: '.',
    ...(overlay === undefined ? {} : { overlay }),
    files: new Map(entries.map((entry) => [entry.path, entry])),
    documents: environment.documents,
    overlays,
    merges,
    findings: [...entries.flatMap(({ findings }) => findings), ...environment.findings],
    exclude: [],
    overlayExclude: [],
    digest: digestOf(entries.flatMap(({ path, digest }) => [path, digest]).join('\0')),
    unreadable: [],
    fresh: false,
    file: (document, path) => textOf(texts, publicPath(document.file, path)),
  };
}

function isDocumentPath(path: string, inOverlay: string | undefined): boolean {
  const steps = path.split('/');
  const isRead = steps[0] !== 'overlays' || (inOverlay !== undefined && path.startsWith(inOverlay));
  return isDocumentName(path) && isRead && !steps.some(isSkippedName) && !path.startsWith('/');
}

function partition<T>(items: readonly T[], is: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(is), items.filter((item) => !is(item))];
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
