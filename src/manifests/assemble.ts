// Puts a tree together from the entries of its files.
import type { Document } from '../core/model/document.ts';
import type { Finding } from '../core/model/finding.ts';
import { drawKey, FRESH_MS } from './entry.ts';
import { environmentSteps } from './environment.ts';
import { readPublicFile } from './files.ts';
import { digestOf, type FileEntry, type PublicFile, type Tree } from './tree.ts';
import type { Listing } from './walk.ts';

/** What a tree is made of. `warnings`: about files that are not read. */
export interface Parts {
  readonly root: string;
  readonly real: string;
  readonly overlay: string | undefined;
  readonly exclude: readonly string[];
  /** What is passed over in the overlay: the root manifest's own, before the overlay was merged over it. */
  readonly overlayExclude: readonly string[];
  readonly entries: ReadonlyMap<string, FileEntry>;
  readonly warnings: readonly Finding[];
  /** The folders, and when they had been listed. */
  readonly listings?: readonly Listing[];
  readonly listedAt?: number;
  readonly previous?: Tree | undefined;
  /** What public files hold that no entry has drawn in: by the disk, where nothing is said. */
  readonly publicFile?: (documentFile: string, path: string) => PublicFile;
}

/** Builds the tree, in steps so that a large one can be sliced; the entries may come in any order. */
export function* assembleSteps({
  root,
  real,
  overlay,
  exclude,
  overlayExclude,
  entries,
  warnings,
  listings = [],
  listedAt = 0,
  previous,
  publicFile = (documentFile, path) => readPublicFile(real, documentFile, path),
}: Parts): Generator<void, Tree> {
  const sorted = inOrder(entries);
  yield;
  const documents: Document[] = [];
  const overlays: Document[] = [];
  const findings: Finding[] = warnings.toSorted(byFile);
  const files = new Map<string, FileEntry>();
  for (const entry of sorted) {
    files.set(entry.path, entry);
    const list = entry.path.startsWith('overlays/') ? overlays : documents;
    for (const document of entry.documents) list.push(document);
    for (const finding of entry.findings) findings.push(finding);
  }
  yield;
  const { merges, ...environment } = yield* environmentSteps(documents, overlays, previous?.merges);
  for (const finding of environment.findings) findings.push(finding);
  yield;
  return {
    root,
    real,
    ...(overlay === undefined ? {} : { overlay }),
    files,
    documents: environment.documents,
    overlays,
    merges,
    findings,
    exclude,
    overlayExclude,
    digest: digestOfAll(sorted),
    unreadable: sorted.filter(({ stat }) => stat === undefined).map(({ path }) => path),
    ...(listings.length > 0 && listings.every((listing) => isLasting(listing, listedAt)) ? { listings } : {}),
    fresh: sorted.some(({ fresh }) => fresh),
    file: ({ file }, path) => files.get(file)?.draws.get(drawKey(file, path)) ?? publicFile(file, path),
  };
}

function inOrder(entries: ReadonlyMap<string, FileEntry>): FileEntry[] {
  const paths = [...entries.keys()].sort();
  return paths.map((path) => entries.get(path)).filter((entry) => entry !== undefined);
}

/** A folder is listed in the order of its system. */
function byFile({ source: a }: Finding, { source: b }: Finding): number {
  return (a?.file ?? '') < (b?.file ?? '') ? -1 : 1;
}

/** Over every path and digest, public files included, so that any change of what was read changes it. */
function digestOfAll(entries: readonly FileEntry[]): string {
  const lines: string[] = [];
  for (const { path, digest, draws } of entries) {
    lines.push(path, digest);
    for (const [drawn, file] of draws) lines.push(drawn, 'problem' in file ? file.problem : digestOf(file.text));
  }
  return digestOf(lines.join('\0'));
}

function isLasting({ isPlain, stat }: Listing, listedAt: number): boolean {
  return isPlain && stat !== undefined && listedAt - stat.ctimeMs >= FRESH_MS;
}
