// Walks a tree's folder: which files are documents, and which things are in the way.
import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { failureOf } from './open.ts';
import { isInside } from './paths.ts';
import { isDocumentName, isSkippedName, looksLikeDocument } from './skip.ts';

/** A document file to be read: its path relative to the tree, and where it is. `stat` where the walk had to ask for it. */
export interface Candidate {
  readonly path: string;
  readonly real: string;
  readonly stat?: Stats;
  readonly message?: undefined;
}

/** Something that should be a document or a folder of documents, and cannot be read. */
export interface Obstacle {
  readonly path: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

export interface Folder {
  readonly path: string;
  readonly real: string;
}

export interface WalkOptions {
  /** The real path of the tree. */
  readonly root: string;
  /** The folder to begin with, relative to the tree (`''` is the tree itself, without its `overlays/`), and its real path. */
  readonly folder: Folder;
  readonly isExcluded: (path: string, name: string) => boolean;
  /** What a folder holds: by the disk, where nothing is said. */
  readonly list?: ListFolder;
}

/** One thing in a folder. */
export type FolderEntry = Pick<Dirent, 'name' | 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

/** The entries of a folder, or a listing that says what is wrong with it, or nothing where it is gone. */
export type ListFolder = (
  folder: Folder,
) => { readonly entries: readonly FolderEntry[]; readonly stat: Stats | undefined } | Listing | undefined;

/** One folder as it was listed: what in it is to be read, all its names, and its own `stat` from just before. */
export interface Listing {
  readonly real: string;
  readonly found: readonly (Candidate | Obstacle)[];
  readonly names: readonly string[];
  readonly stat: Stats | undefined;
  /** No links in it, and nothing in the way: as long as `stat` and `names` are the same, so is `found`. */
  readonly isPlain: boolean;
}

/** Yields a listing of a folder and of each folder below it. Follows symlinks that stay inside the tree. */
export function* walk(options: WalkOptions): Generator<Listing> {
  const folders: Step[] = [{ ...options.folder, chain: [] }];
  let count = 0;
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    const listing = lookInto(options, folder, folders);
    if (listing === undefined) continue;
    count += listing.found.length + 1;
    if (count > MAX_ENTRIES) folders.length = 0;
    yield count > MAX_ENTRIES ? { ...listing, isPlain: false, found: [error(folder.path || '.', tooMany)] } : listing;
  }
}

/** More files than any tree has: symlinks that lead in circles sideways end here. */
export const MAX_ENTRIES = 200_000;

const tooMany =
  'the tree cannot be read, because it holds more than 200000 files and folders: do links lead in circles?';

/** A folder still to be looked into; `chain` holds the real paths of the folders that lead to it. */
interface Step extends Folder {
  readonly chain: readonly string[];
}

function lookInto(options: WalkOptions, folder: Step, folders: Step[]): Listing | undefined {
  const { path, real } = folder;
  const listed = (options.list ?? listFolder)(folder);
  if (listed === undefined || 'found' in listed) return listed;
  const { entries, stat } = listed;
  const chain = [...folder.chain, real];
  const found: (Candidate | Obstacle)[] = [];
  let isPlain = true;
  for (const entry of entries) {
    const { name } = entry;
    const at = { path: path === '' ? name : `${path}/${name}`, real: `${real}/${name}` };
    if (isSkipped(options, at.path, name)) continue;
    const isDocument = entry.isFile() && isDocumentName(name);
    isPlain &&= isDocument || entry.isDirectory() || entry.isFile();
    const item = isDocument ? at : other(options, entry, { ...at, chain });
    if (item) sortIn(item, found, folders);
  }
  return { real, stat, isPlain, names: entries.map(({ name }) => name), found };
}

function isSkipped({ isExcluded }: WalkOptions, path: string, name: string): boolean {
  return isSkippedName(name) || path === 'overlays' || isExcluded(path, name);
}

function sortIn(item: Candidate | Obstacle | Step, found: (Candidate | Obstacle)[], folders: Step[]): void {
  if ('chain' in item) folders.push(item);
  else found.push(item);
}

/** What is no plain document file: a folder, a link, a wrong name, something that cannot be read. */
function other(options: WalkOptions, entry: FolderEntry, at: Step): Candidate | Obstacle | Step | undefined {
  if (entry.isDirectory()) return at;
  if (entry.isSymbolicLink()) return behindLink(options, at);
  if (entry.isFile())
    return looksLikeDocument(entry.name) ? { path: at.path, severity: 'warning', message: misspelt } : undefined;
  return isDocumentName(entry.name)
    ? error(at.path, 'the file cannot be read, because it is not a regular file: remove it')
    : undefined;
}

const misspelt =
  'the file is not read, because only names that end with .yaml or .yml (in small letters) are: rename it';

function behindLink(options: WalkOptions, { path, real: link, chain }: Step): Candidate | Obstacle | Step | undefined {
  try {
    const real = realpathSync(link);
    const stat = statSync(real);
    if (!stat.isDirectory() && !isDocumentName(path)) return undefined;
    if (!isInside(options.root, real)) return error(path, outside);
    if (!stat.isDirectory()) return { path, real, stat };
    return chain.includes(real)
      ? error(path, 'the link cannot be followed, because it leads back to a folder that it is in: remove it')
      : { path, real, chain };
  } catch (problem) {
    const { reason, code } = failureOf(problem);
    const why =
      code === 'ELOOP'
        ? 'it leads in a circle'
        : reason === 'gone'
          ? 'nothing is where it leads'
          : `the system says ${code}`;
    return error(path, `the link cannot be followed, because ${why}: mend it or remove it`);
  }
}

/** For links that lead out of the tree. */
export const outside = 'the link cannot be followed, because it leads out of the tree: put what it names inside';

/** By the disk. */
function listFolder({ path, real }: Folder): ReturnType<ListFolder> {
  try {
    return { stat: statSync(real), entries: readdirSync(real, { withFileTypes: true }) };
  } catch (problem) {
    const { reason, code } = failureOf(problem);
    if (reason === 'gone' && !path.includes('\uFFFD')) return undefined;
    const what = reason === 'denied' ? 'Weir has no permission for it: allow it to be read' : `the system says ${code}`;
    const message = reason === 'gone' ? badName : `the folder cannot be read, because ${what}`;
    return { real, stat: undefined, isPlain: false, names: [], found: [error(path, message)] };
  }
}

/** For files and folders whose name cannot be told, so that they cannot be opened either. */
export const badName = 'it cannot be read, because its name is not UTF-8: rename it';

function error(path: string, message: string): Obstacle {
  return { path, severity: 'error', message };
}
