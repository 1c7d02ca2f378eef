// One document file of a tree: read, decoded and parsed, or taken from the last reading when it is still the same.
import { type Stats, statSync } from 'node:fs';
import type { Document } from '../core/model/document.ts';
import type { Finding } from '../core/model/finding.ts';
import { publicPath, readPublicFile } from './files.ts';
import { decode, type Opened, type OpenProblem } from './open.ts';
import { parseInSteps } from './parse.ts';
import { digestOf, type FileEntry, type FileStat, type PublicFile, type Tree } from './tree.ts';
import { badName, type Candidate, type Obstacle } from './walk.ts';

/** The most that a document file may hold: 4 MiB. */
export const FILE_LIMIT = 4 * 1024 * 1024;

/** What a reading of a tree knows. `root` is the tree's real path. */
export interface Reader {
  readonly root: string;
  readonly previous: Tree | undefined;
  readonly filesOf: (document: Document) => readonly string[];
  readonly now: () => number;
  /** The bytes of a document file, of at most so many. */
  readonly open: (candidate: Candidate, limit: number) => Opened;
  /** A public file that a document of some file names. */
  readonly publicFile: (documentFile: string, path: string) => PublicFile;
}

/** The entry of the last reading, where the file and what it draws in are surely still the same. */
export function keptEntry(reader: Reader, candidate: Candidate): FileEntry | undefined {
  const before = reader.previous?.files.get(candidate.path);
  return before && isUntouched(reader.root, before, candidate) ? before : undefined;
}

/** Whether a file is as it was read: by its `stat`, or by its bytes where that is too young to be trusted. */
export function isUntouched(root: string, before: FileEntry, { real, stat }: Candidate): boolean {
  if (before.stat === undefined) return false;
  const now = stat ?? statOrNothing(real);
  if (now === undefined || before.fresh || !isSame(now, before.stat)) return false;
  return before.draws.size === 0 || drawsAreSame(root, before);
}

/** Reads a file. Answers nothing where it is gone, and an entry with a finding where it cannot be read. */
export function* readEntry(reader: Reader, candidate: Candidate): Generator<void, FileEntry | undefined> {
  const { path } = candidate;
  const opened = reader.open(candidate, FILE_LIMIT);
  if ('reason' in opened) {
    if (opened.reason === 'gone' && !path.includes('\uFFFD')) return undefined;
    return obstacleEntry({ path, severity: 'error', message: unreadable(opened.reason, opened.code) });
  }
  const { bytes, stat } = opened;
  const digest = digestOf(bytes);
  // Asked for before the bytes were read: a file that changed within two seconds of that may change again without a new time.
  const age = { size: stat.size, stat: statOf(stat), fresh: reader.now() - stat.ctimeMs < FRESH_MS };
  const before = reader.previous?.files.get(path);
  if (before?.stat && before.digest === digest && drawsAreSame(reader.root, before)) return { ...before, ...age };
  return { ...age, ...(yield* parseBytes(reader, path, bytes)), path, digest };
}

/** What stands in the way, as an entry: broken, so that nothing that it may declare counts as deleted. */
export function obstacleEntry({ path, severity, message }: Obstacle): FileEntry {
  const findings = [findingAt(path, 1, 1, message, severity)];
  return {
    path,
    size: 0,
    digest: `unreadable: ${message}`,
    text: '',
    documents: [],
    findings,
    broken: true,
    draws: new Map(),
    fresh: false,
  };
}

/** A finding about a file as a whole, or about one place in it. */
export function findingAt(
  file: string,
  line: number,
  column: number,
  message: string,
  severity: Finding['severity'] = 'error',
): Finding {
  return { rule: 'syntax', severity, message, source: { file, line, column, endLine: line, endColumn: column } };
}

/** Whether two looks at a file show the same, by everything that a change of it changes. */
export function isSame(a: FileStat, b: FileStat): boolean {
  return a.mtimeMs === b.mtimeMs && a.size === b.size && a.ctimeMs === b.ctimeMs && a.ino === b.ino && a.dev === b.dev;
}

/** A key for what a document draws in: its path relative to the tree, or as written where that leads out of the tree. */
export function drawKey(documentFile: string, path: string): string {
  return publicPath(documentFile, path) ?? path;
}

/** Nothing where it is gone, and where it may not even be looked at: reading it will tell why. */
function statOrNothing(path: string): Stats | undefined {
  try {
    return statSync(path, quietly);
  } catch {
    return undefined;
  }
}

const quietly = { throwIfNoEntry: false } as const;

/** How long after a change one more change might not show in a `stat` (file systems with coarse clocks). */
export const FRESH_MS = 2_000;

function* parseBytes(reader: Reader, path: string, bytes: Buffer) {
  if (bytes.length > LARGE) yield;
  const { text, invalid } = decode(bytes);
  if (bytes.length > LARGE) yield;
  const nothing = { text, documents: [], broken: true, draws: new Map<string, PublicFile>() };
  if (invalid) return { ...nothing, findings: [findingAt(path, invalid.line, invalid.column, badEncoding)] };
  const { documents, findings, broken } = yield* parseInSteps(path, text);
  return { text, documents, findings, broken, draws: yield* drawsOf(reader, documents) };
}

/** So many bytes take a millisecond or more, whatever is done with them. */
const LARGE = 512 * 1024;

const badEncoding = 'the file cannot be read from here on, because it is not UTF-8: save it as UTF-8';

function unreadable(reason: OpenProblem, code: string | undefined): string {
  const why = {
    gone: badName,
    denied: 'the file cannot be read, because Weir has no permission for it: allow it to be read',
    kind: 'the file cannot be read, because it is not a regular file: remove it',
    size: 'the file cannot be read, because it is larger than 4 MiB: split it into several',
    failed: `the file cannot be read, because the system says ${code}`,
  };
  return why[reason];
}

function* drawsOf(
  { publicFile, filesOf }: Reader,
  documents: readonly Document[],
): Generator<void, ReadonlyMap<string, PublicFile>> {
  const draws = new Map<string, PublicFile>();
  for (const [index, document] of documents.entries()) {
    if (index % 64 === 63) yield;
    for (const path of filesOf(document)) draws.set(drawKey(document.file, path), publicFile(document.file, path));
  }
  return draws;
}

/** They are few, so they are read again each time. Where one changed its document is parsed again, so that nobody takes it for the old one. */
function drawsAreSame(root: string, { draws }: FileEntry): boolean {
  for (const [path, before] of draws) {
    // The key is relative to the tree already, or leads out of it either way.
    const now = readPublicFile(root, '', path);
    if ('problem' in now || 'problem' in before) {
      if (!('problem' in now && 'problem' in before && now.problem === before.problem)) return false;
    } else if (now.text !== before.text) return false;
  }
  return true;
}

function statOf({ size, mtimeMs, ctimeMs, ino, dev }: FileStat): FileStat {
  return { size, mtimeMs, ctimeMs, ino, dev };
}
