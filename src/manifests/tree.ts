// A tree as it was read: its files, their documents, and what could not be read. And the other answer: that there is no tree.
import { hash } from 'node:crypto';
import type { Document } from '../core/model/document.ts';
import type { Finding } from '../core/model/finding.ts';
import type { Merge } from './environment.ts';
import type { Listing } from './walk.ts';

/** A file's identity and age as the file system tells them (times in milliseconds with fractions, as precise as a double holds). */
export interface FileStat {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  readonly dev: number;
}

/** One document file. `text` is without a byte order mark; `digest` is the SHA-256 of its bytes, in hexadecimal. */
export interface FileEntry {
  /** Relative to the tree, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly digest: string;
  readonly text: string;
  readonly documents: readonly Document[];
  readonly findings: readonly Finding[];
  /** Something in it, or all of it, could not be read: what it declares is not known. */
  readonly broken: boolean;
  /** The public files that its documents name, as paths relative to the tree, problems included. */
  readonly draws: ReadonlyMap<string, PublicFile>;
  /** Absent where the file could not be read at all. */
  readonly stat?: FileStat;
  /** Changed so shortly before it was read that one more change might not show in its `stat`. */
  readonly fresh: boolean;
}

/** A public text beside the documents (a certificate), or what is wrong with it, in words that can follow a colon. */
export type PublicFile = { readonly text: string; readonly stat: FileStat } | { readonly problem: string };

/** Where a path is relative to. */
export type FileOfTree = Pick<Document, 'file'>;

export interface Tree {
  /** The folder that was asked for, as it was given. */
  readonly root: string;
  /** Its real path while it was read. */
  readonly real: string;
  /** The overlay that was read with it. */
  readonly overlay?: string;
  /** Every document file in the order of the paths; those of an overlay are below `overlays/`. */
  readonly files: ReadonlyMap<string, FileEntry>;
  /** In the order of the paths, with the overlay's merged over them; what only the overlay declares comes last. */
  readonly documents: readonly Document[];
  /** The documents of `overlays/NAME` as they are written, where one was asked for. */
  readonly overlays: readonly Document[];
  /** What the documents of the overlay were merged with. */
  readonly merges: ReadonlyMap<Document, Merge>;
  /** What is not YAML, what cannot be read (rule `syntax`), and what stands twice in the overlay. */
  readonly findings: readonly Finding[];
  /** SHA-256 over the paths and digests of all that was read, public files included: the tree's revision. */
  readonly digest: string;
  /** `Platform.spec.exclude`, as this tree was read with it. */
  readonly exclude: readonly string[];
  /** The same for the folder of the overlay, which cannot say itself what is passed over in it. */
  readonly overlayExclude: readonly string[];
  /** Files and folders that were there and could not be read. They are among `files` too, as broken. */
  readonly unreadable: readonly string[];
  /** The folders as they were listed; nothing where one of them is too young, or of a kind, that looking at it briefly would not do. */
  readonly listings?: readonly Listing[];
  /** The files that did not stand still, and count as they were when the tree was last acted on. Absent where all did. */
  readonly unsettled?: readonly string[];
  /** Some files are `fresh`: read again before trusting that nothing changed. */
  readonly fresh: boolean;
  /** The text of a public file that a document names (a path relative to the document), or what is wrong with it. */
  file(document: FileOfTree, path: string): { readonly text: string } | { readonly problem: string };
}

/** There is no tree at the folder: it is not one, or not mounted (yet, or any more). Never the same as a tree that wants nothing. */
export interface Missing {
  readonly root: string;
  readonly missing: 'folder' | 'weir.yaml' | 'overlay' | 'permission';
  /** What is missing and what to do, for people. */
  readonly message: string;
}

/** Whether a reading found no tree. */
export function isMissing(reading: Tree | Missing): reading is Missing {
  return 'missing' in reading;
}

/** What tells one reading from another: equal for two readings that mean the same. */
export function revisionOf(reading: Tree | Missing): string {
  return isMissing(reading) ? `missing: ${reading.missing}` : reading.digest;
}

/** The SHA-256 of some bytes or a text, in hexadecimal. */
export function digestOf(content: Buffer | string): string {
  return hash('sha256', content);
}

/** The name of the file that makes a folder a tree. */
export const ROOT_MANIFEST = 'weir.yaml';
