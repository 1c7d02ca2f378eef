// A tree given as texts, as a pull request's files over the API, instead of a folder.
import { PUBLIC_FILE_LIMIT, publicFileOf } from './files.ts';
import type { Opened } from './open.ts';
import { plainPath } from './paths.ts';
import { type FileSource, isEnvironmentName, readSteps } from './read.ts';
import { digestOf, type Missing, type PublicFile, ROOT_MANIFEST, type Tree } from './tree.ts';
import { type Folder, type FolderEntry, type ListFolder, MAX_ENTRIES } from './walk.ts';

/** One file of such a tree; `path` is relative to its root, with `/`. */
export interface TextFile {
  readonly path: string;
  readonly content: string;
}

/** Reads texts as the folder that holds them would be read, with one of its overlays where it is named. */
export function treeOfTexts(files: readonly TextFile[], overlay?: string): Tree | Missing {
  const steps = treeOfTextsSteps(files, overlay);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same in steps, so that a large tree can be sliced. */
export function* treeOfTextsSteps(files: readonly TextFile[], overlay?: string): Generator<void, Tree | Missing> {
  return yield* readSteps(yield* textSource(files), { overlay });
}

/**
 * The files of a tree as texts that make the same tree: its documents, the public files that they draw in, and what is warned of because it is not
 * read. What cannot be read is left out.
 */
export function textsOf({ files, findings }: Tree): readonly TextFile[] {
  const texts = new Map<string, string>();
  for (const { draws } of files.values()) for (const [path, file] of draws) enterDrawn(texts, path, file);
  for (const { rule, severity, source } of findings)
    if (rule === 'syntax' && severity === 'warning' && source) texts.set(source.file, '');
  for (const { path, stat, text, digest } of files.values())
    if (stat) texts.set(path, digestOf(text) === digest ? text : `${byteOrderMark}${text}`);
  return [...texts].map(([path, content]) => ({ path, content }));
}

function enterDrawn(texts: Map<string, string>, path: string, file: PublicFile): void {
  if ('text' in file) texts.set(path, file.text);
}

const byteOrderMark = '\uFEFF';

function* textSource(files: readonly TextFile[]): Generator<void, FileSource> {
  const texts = new Map<string, string>();
  const folders: Folders = new Map();
  let [entries, looked] = [0, 0];
  for (const { path, content } of files) {
    const plain = plainPath(path);
    if (plain === undefined) continue;
    texts.set(plain, content);
    // What more there is, the walk refuses, as it does on a disk.
    if (entries <= MAX_ENTRIES) entries += enter(folders, plain);
    looked += plain.length;
    if (looked < lookedAtOnce) continue;
    looked = 0;
    yield;
  }
  return {
    root: '.',
    real: '.',
    manifest: () => (texts.has(ROOT_MANIFEST) ? { path: ROOT_MANIFEST, real: ROOT_MANIFEST } : noManifest),
    overlay: (name) => overlayIn(folders, name),
    list: listIn(folders),
    open: ({ path }, limit) => openText(texts.get(path), limit),
    publicFile: (documentFile, path) =>
      publicFileOf(documentFile, path, (inTree) =>
        folders.has(inTree) ? { reason: 'kind' } : openText(texts.get(inTree), PUBLIC_FILE_LIMIT),
      ),
  };
}

/** How many characters of paths are looked at between two slices. */
const lookedAtOnce = 16_384;

/** What each folder holds, by its path and by name. */
type Folders = Map<string, Map<string, FolderEntry>>;

/** Notes a file and the folders that lead to it; answers how many entries that are. */
function enter(folders: Folders, path: string): number {
  let at = path;
  let entered = 0;
  for (let isFile = true; at !== ''; isFile = false) {
    const slash = at.lastIndexOf('/');
    const parent = at.slice(0, Math.max(0, slash));
    const entries = folders.get(parent) ?? new Map<string, FolderEntry>();
    folders.set(parent, entries);
    const name = at.slice(slash + 1);
    // Whoever leads to a folder that is known has been here before.
    if (!isFile && entries.has(name)) return entered;
    entered += 1;
    entries.set(name, { name, isFile: () => isFile, isDirectory: () => !isFile, isSymbolicLink: () => false });
    at = parent;
  }
  return entered;
}

function listIn(folders: Folders): ListFolder {
  return ({ path }) => ({ entries: [...(folders.get(path)?.values() ?? [])], stat: undefined });
}

function overlayIn(folders: Folders, name: string): Folder | Missing {
  const path = `overlays/${name}`;
  if (isEnvironmentName(name) && folders.has(path)) return { path, real: path };
  return { root: '.', missing: 'overlay', message: `the documents have no file below ${path}/` };
}

const noManifest: Missing = {
  root: '.',
  missing: 'weir.yaml',
  message: `the documents are not a tree, because there is no ${ROOT_MANIFEST} among them`,
};

/** A text as the disk would give it, were it a file there that nobody has touched for long. */
function openText(text: string | undefined, limit: number): Opened {
  if (text === undefined) return { reason: 'gone' };
  // No character is less than a byte.
  if (text.length > limit) return { reason: 'size' };
  const bytes = Buffer.from(text);
  if (bytes.length > limit) return { reason: 'size' };
  return { bytes, stat: { size: bytes.length, mtimeMs: 0, ctimeMs: 0, ino: 0, dev: 0 } };
}
