// Reads a tree: folder → files → documents. What did not change since the last reading is taken from there.
import { accessSync, constants, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Document } from '../core/model/document.ts';
import type { Finding } from '../core/model/finding.ts';
import { createSlicer, inSlices, type Slicer } from '../lib/slice.ts';
import { assemble } from './assemble.ts';
import { findingAt, keptEntry, obstacleEntry, type Reader, readEntry } from './entry.ts';
import { environmentOf } from './environment.ts';
import { failureOf } from './open.ts';
import { confine, isInside } from './paths.ts';
import { excluder, isSkippedName } from './skip.ts';
import { type FileEntry, isMissing, type Missing, ROOT_MANIFEST, type Tree } from './tree.ts';
import { type Candidate, type Folder, type Listing, type Obstacle, outside, walk } from './walk.ts';

export interface ReadOptions {
  /** An earlier reading of the same folder: files that are still the same are not read again. */
  readonly previous?: Tree | Missing | undefined;
  /** `--env NAME`: `overlays/NAME` is read as well. */
  readonly overlay?: string | undefined;
  /** The public files that a document names, as it writes them. */
  readonly filesOf?: ((document: Document) => readonly string[]) | undefined;
  /** How long the event loop may be held at a time: 2 ms unless said otherwise. */
  readonly slicer?: Slicer | undefined;
  /** The clock that file times are compared with, in milliseconds. */
  readonly now?: (() => number) | undefined;
}

/**
 * Reads the tree at `root`. Answers `Missing` where there is none, and never throws for what stands on the disk: what cannot be read is a
 * finding of rule `syntax` at its path and a broken entry, so that nothing in it counts as deleted.
 */
export async function read(root: string, options: ReadOptions = {}): Promise<Tree | Missing> {
  const slicer = options.slicer ?? createSlicer();
  const place = placeOf(root);
  if ('missing' in place) return place;
  const reader = readerOf(place.real, options);
  const manifest = await readManifest(root, reader, slicer);
  if ('missing' in manifest) return manifest;
  const overlay = overlayOf(root, place.real, options.overlay);
  if (overlay && 'missing' in overlay) return overlay;
  const overlayExclude = excludeOf(manifest.documents);
  const sheet: Sheet = { reader, slicer, entries: new Map(), warnings: [], listings: [] };
  if (overlay) await readFolder(sheet, overlay, overlayExclude);
  const overlays = [...sheet.entries.values()].flatMap(({ documents }) => documents);
  const exclude = excludeOf(environmentOf(manifest.documents, overlays).documents);
  sheet.entries.set(ROOT_MANIFEST, manifest);
  await readFolder(sheet, { path: '', real: place.real }, exclude);
  return assemble({
    root,
    real: place.real,
    overlay: options.overlay,
    exclude,
    overlayExclude,
    entries: sheet.entries,
    warnings: sheet.warnings,
    listings: sheet.listings,
    listedAt: reader.now(),
    previous: reader.previous,
  });
}

/** The real path of a tree's folder, or why there is none. */
export function placeOf(root: string): { readonly real: string } | Missing {
  try {
    const real = realpathSync(resolve(root));
    if (statSync(real).isDirectory()) return { real };
    return missing(
      root,
      'folder',
      `${root} is not a tree, because it is not a folder: name the folder that holds ${ROOT_MANIFEST}`,
    );
  } catch (error) {
    const { reason, code } = failureOf(error);
    if (reason === 'denied') return missing(root, 'permission', `${root} cannot be read: allow Weir to read it`);
    if (reason === 'gone')
      return missing(root, 'folder', `${root} is not a tree, or not mounted: there is no such folder`);
    return missing(root, 'folder', `${root} cannot be read: the system says ${code}`);
  }
}

/** The folder of an overlay, `undefined` where none is asked for. */
export function overlayOf(root: string, real: string, name: string | undefined): Folder | Missing | undefined {
  if (name === undefined) return undefined;
  const path = `overlays/${name}`;
  const place = name === '' || /[/\\]/.test(name) || isSkippedName(name) ? undefined : confine(real, path);
  if (place && 'real' in place && statSync(place.real).isDirectory()) return { path, real: place.real };
  const others = environmentsIn(real);
  const there = others.length === 0 ? 'it has none' : `it has ${others.join(', ')}`;
  return missing(
    root,
    'overlay',
    `${root} has no environment ${JSON.stringify(name)} (${there}): make the folder ${path} in it, or name another`,
  );
}

/** The names of the overlays below a tree. */
export function environmentsIn(real: string): readonly string[] {
  try {
    const entries = readdirSync(join(real, 'overlays'), { withFileTypes: true });
    const names = entries.filter((entry) => !entry.isFile() && !isSkippedName(entry.name)).map((entry) => entry.name);
    return names.sort();
  } catch {
    return [];
  }
}

interface Sheet {
  readonly reader: Reader;
  readonly slicer: Slicer;
  readonly entries: Map<string, FileEntry>;
  readonly warnings: Finding[];
  readonly listings: Listing[];
}

function readerOf(root: string, { previous, filesOf = () => [], now = Date.now }: ReadOptions): Reader {
  return {
    root,
    previous: previous && !isMissing(previous) && previous.real === root ? previous : undefined,
    filesOf,
    now,
  };
}

async function readManifest(root: string, reader: Reader, slicer: Slicer): Promise<FileEntry | Missing> {
  const denied = `${root}/${ROOT_MANIFEST} cannot be read: allow Weir to read it`;
  const absent = missing(
    root,
    'weir.yaml',
    `${root} is not a tree, or not mounted: there is no ${ROOT_MANIFEST} in it`,
  );
  try {
    const real = realpathSync(join(reader.root, ROOT_MANIFEST));
    const candidate = { path: ROOT_MANIFEST, real };
    accessSync(real, constants.R_OK);
    if (!isInside(reader.root, real)) {
      return obstacleEntry({ path: ROOT_MANIFEST, severity: 'error', message: outside });
    }
    const entry = keptEntry(reader, candidate) ?? (await inSlices(readEntry(reader, candidate), slicer));
    return entry ?? absent;
  } catch (error) {
    return failureOf(error).reason === 'denied' ? missing(root, 'permission', denied) : absent;
  }
}

async function readFolder(sheet: Sheet, folder: Folder, exclude: readonly string[]): Promise<void> {
  const { reader, entries, slicer } = sheet;
  for (const listing of walk({ root: reader.root, folder, isExcluded: excluder(exclude) })) {
    sheet.listings.push(listing);
    for (const item of listing.found) {
      if (slicer.spent()) await slicer.breathe();
      if (!entries.has(item.path) && !keep(sheet, item)) await readFile(sheet, item);
    }
  }
}

/** Takes what needs no reading of bytes. No promise here: in a tree that did not change, ten thousand would cost more than the work. */
function keep({ reader, entries, warnings }: Sheet, item: Candidate | Obstacle): boolean {
  if (item.message !== undefined) {
    if (item.severity === 'error') entries.set(item.path, obstacleEntry(item));
    else warnings.push(findingAt(item.path, 1, 1, item.message, 'warning'));
    return true;
  }
  const kept = keptEntry(reader, item);
  if (kept) entries.set(kept.path, kept);
  return kept !== undefined;
}

async function readFile({ reader, entries, slicer }: Sheet, candidate: Candidate | Obstacle): Promise<void> {
  if (candidate.message !== undefined) return;
  const entry = await inSlices(readEntry(reader, candidate), slicer);
  if (entry) entries.set(entry.path, entry);
}

/** `Platform.spec.exclude` as far as its documents can be read; its own checks say what is wrong with it. */
function excludeOf(documents: readonly Document[]): readonly string[] {
  for (const { value } of documents) {
    const spec = fieldOf(value, 'kind') === 'Platform' ? fieldOf(value, 'spec') : undefined;
    const exclude = fieldOf(spec, 'exclude');
    if (Array.isArray(exclude) && exclude.every((glob) => typeof glob === 'string')) return exclude;
  }
  return [];
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

function missing(root: string, what: Missing['missing'], message: string): Missing {
  return { root, missing: what, message };
}
