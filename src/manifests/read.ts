// Reads a tree: folder → files → documents. What did not change since the last reading is taken from there.
import { accessSync, constants, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { publicFilesOf } from '../core/kinds/public-files.ts';
import type { Document } from '../core/model/document.ts';
import type { Finding } from '../core/model/finding.ts';
import { reasonOf } from '../lib/reason-of.ts';
import { createSlicer, inSlices, type Slicer } from '../lib/slice.ts';
import { assembleSteps } from './assemble.ts';
import { findingAt, keptEntry, obstacleEntry, type Reader, readEntry } from './entry.ts';
import { environmentSteps } from './environment.ts';
import { readPublicFile } from './files.ts';
import { failureOf, openRegular } from './open.ts';
import { confine, isInside } from './paths.ts';
import { excluder, isSkippedName } from './skip.ts';
import { type FileEntry, isMissing, type Missing, ROOT_MANIFEST, type Tree } from './tree.ts';
import { type Candidate, type Folder, type ListFolder, type Listing, type Obstacle, outside, walk } from './walk.ts';

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

/** Where the files of a tree come from: a folder on the disk, or texts that were sent. */
export interface FileSource extends Pick<Reader, 'open' | 'publicFile'> {
  /** The folder as it was asked for, and its real path. */
  readonly root: string;
  readonly real: string;
  /** The root manifest, or why there is no tree. */
  manifest(): Candidate | Obstacle | Missing;
  /** The folder of an overlay. */
  overlay(name: string): Folder | Missing;
  readonly list?: ListFolder;
}

/**
 * Reads the tree at `root`. Answers `Missing` where there is none, and never throws for what stands on the disk: what cannot be read is a
 * finding of rule `syntax` at its path and a broken entry, so that nothing in it counts as deleted.
 */
export async function read(root: string, options: ReadOptions = {}): Promise<Tree | Missing> {
  const place = placeOf(root);
  if ('missing' in place) return place;
  return inSlices(readSteps(folderSource(root, place.real), options), options.slicer ?? createSlicer());
}

/** Builds a tree from files, wherever they come from, in steps so that a large one can be sliced. */
export function* readSteps(
  source: FileSource,
  options: Omit<ReadOptions, 'slicer'> = {},
): Generator<void, Tree | Missing> {
  const reader = readerOf(source, options);
  const manifest = yield* readManifest(source, reader);
  if ('missing' in manifest) return manifest;
  const overlay = options.overlay === undefined ? undefined : source.overlay(options.overlay);
  if (overlay && 'missing' in overlay) return overlay;
  const overlayExclude = excludeOf(manifest.documents);
  const sheet: Sheet = { source, reader, entries: new Map(), warnings: [], listings: [] };
  if (overlay) yield* readFolder(sheet, overlay, overlayExclude);
  const overlays = [...sheet.entries.values()].flatMap(({ documents }) => documents.filter(isPlatform));
  const exclude = excludeOf((yield* environmentSteps(manifest.documents, overlays)).documents);
  sheet.entries.set(ROOT_MANIFEST, manifest);
  yield* readFolder(sheet, { path: '', real: source.real }, exclude);
  return yield* assembleSteps({
    root: source.root,
    real: source.real,
    overlay: options.overlay,
    exclude,
    overlayExclude,
    entries: sheet.entries,
    warnings: sheet.warnings,
    listings: sheet.listings,
    listedAt: reader.now(),
    previous: reader.previous,
    publicFile: source.publicFile,
  });
}

function folderSource(root: string, real: string): FileSource {
  return {
    root,
    real,
    manifest: () => manifestIn(root, real),
    overlay: (name) => overlayIn(root, real, name),
    open: (candidate, limit) => openRegular(candidate.real, limit),
    publicFile: (documentFile, path) => readPublicFile(real, documentFile, path),
  };
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
    const { reason } = failureOf(error);
    if (reason === 'denied') return missing(root, 'permission', `${root} cannot be read: allow Weir to read it`);
    if (reason === 'gone')
      return missing(root, 'folder', `${root} is not a tree, or not mounted: there is no such folder`);
    return missing(root, 'folder', `${root} cannot be read, because ${reasonOf(error)}`);
  }
}

/** The folder of an overlay, `undefined` where none is asked for. */
export function overlayOf(root: string, real: string, name: string | undefined): Folder | Missing | undefined {
  return name === undefined ? undefined : overlayIn(root, real, name);
}

/** Whether a name can be that of an environment. */
export function isEnvironmentName(name: string): boolean {
  return name !== '' && !/[/\\]/.test(name) && !isSkippedName(name);
}

function overlayIn(root: string, real: string, name: string): Folder | Missing {
  const path = `overlays/${name}`;
  const place = isEnvironmentName(name) ? confine(real, path) : undefined;
  if (place && 'real' in place && statSync(place.real).isDirectory()) return { path, real: place.real };
  if (place && 'reason' in place && place.reason === 'denied')
    return missing(root, 'permission', `${root}/${path} cannot be read: allow Weir to read it`);
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
  readonly source: FileSource;
  readonly reader: Reader;
  readonly entries: Map<string, FileEntry>;
  readonly warnings: Finding[];
  readonly listings: Listing[];
}

function readerOf(
  { real, open, publicFile }: FileSource,
  { previous, filesOf = publicFilesIn, now = Date.now }: ReadOptions,
): Reader {
  return {
    root: real,
    previous: previous && !isMissing(previous) && previous.real === real ? previous : undefined,
    filesOf,
    now,
    open,
    publicFile,
  };
}

function publicFilesIn({ value }: Document): readonly string[] {
  return publicFilesOf(value).map(({ path }) => path);
}

function* readManifest(source: FileSource, reader: Reader): Generator<void, FileEntry | Missing> {
  const found = source.manifest();
  if ('missing' in found) return found;
  if (found.message !== undefined) return obstacleEntry(found);
  return keptEntry(reader, found) ?? (yield* readEntry(reader, found)) ?? noManifest(source.root);
}

function manifestIn(root: string, folder: string): Candidate | Obstacle | Missing {
  try {
    const real = realpathSync(join(folder, ROOT_MANIFEST));
    accessSync(real, constants.R_OK);
    if (!isInside(folder, real)) return { path: ROOT_MANIFEST, severity: 'error', message: outside };
    return { path: ROOT_MANIFEST, real };
  } catch (error) {
    const { reason } = failureOf(error);
    if (reason === 'gone') return noManifest(root);
    const file = `${root}/${ROOT_MANIFEST}`;
    if (reason === 'denied') return missing(root, 'permission', `${file} cannot be read: allow Weir to read it`);
    return missing(root, 'weir.yaml', `${file} cannot be read, because ${reasonOf(error)}`);
  }
}

function noManifest(root: string): Missing {
  return missing(root, 'weir.yaml', `${root} is not a tree, or not mounted: there is no ${ROOT_MANIFEST} in it`);
}

function* readFolder(sheet: Sheet, folder: Folder, exclude: readonly string[]): Generator<void> {
  const { source, entries } = sheet;
  const list = source.list === undefined ? {} : { list: source.list };
  for (const listing of walk({ root: source.real, folder, isExcluded: excluder(exclude), ...list })) {
    sheet.listings.push(listing);
    for (const item of listing.found) {
      yield;
      if (!entries.has(item.path) && !keep(sheet, item)) yield* readFile(sheet, item);
    }
  }
}

/** Takes what needs no reading of bytes. */
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

function* readFile({ reader, entries }: Sheet, candidate: Candidate | Obstacle): Generator<void> {
  if (candidate.message !== undefined) return;
  const entry = yield* readEntry(reader, candidate);
  if (entry) entries.set(entry.path, entry);
}

/** `Platform.spec.exclude` as far as its documents can be read; its own checks say what is wrong with it. */
function excludeOf(documents: readonly Document[]): readonly string[] {
  for (const { value } of documents.filter(isPlatform)) {
    const exclude = fieldOf(fieldOf(value, 'spec'), 'exclude');
    if (Array.isArray(exclude) && exclude.every((glob) => typeof glob === 'string')) return exclude;
  }
  return [];
}

function isPlatform({ value }: Document): boolean {
  return fieldOf(value, 'kind') === 'Platform';
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

function missing(root: string, what: Missing['missing'], message: string): Missing {
  return { root, missing: what, message };
}
