// Puts a tree together from the entries of its files.
import type { Document } from '../core/model/document.ts';
import type { Finding } from '../core/model/finding.ts';
import { drawKey, FRESH_MS } from './entry.ts';
import { environmentOf } from './environment.ts';
import { readPublicFile } from './files.ts';
import { digestOf, type FileEntry, type FileOfTree, type PublicFile, type Tree } from './tree.ts';
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
}

/** Builds the tree; the entries may come in any order. */
export function assemble({
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
}: Parts): Tree {
  const sorted = inOrder(entries);
  const documents: Document[] = [];
  const overlays: Document[] = [];
  const findings: Finding[] = [...warnings];
  const files = new Map<string, FileEntry>();
  for (const entry of sorted) {
    files.set(entry.path, entry);
    const list = entry.path.startsWith('overlays/') ? overlays : documents;
    for (const document of entry.documents) list.push(document);
    for (const finding of entry.findings) findings.push(finding);
  }
  const { merges, ...environment } = environmentOf(documents, overlays, previous?.merges);
  findings.push(...environment.findings);
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
    file: (document, path) => fileOf(files, real, document, path),
  };
}

function inOrder(entries: ReadonlyMap<string, FileEntry>): FileEntry[] {
  const paths = [...entries.keys()].sort();
  return paths.map((path) => entries.get(path)).filter((entry) => entry !== undefined);
}

function fileOf(files: ReadonlyMap<string, FileEntry>, real: string, document: FileOfTree, path: string): PublicFile {
  const known = files.get(document.file)?.draws.get(drawKey(document.file, path));
  return known ?? readPublicFile(real, document.file, path);
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
