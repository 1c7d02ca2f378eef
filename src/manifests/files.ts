// Public texts that a document draws in from a file beside it: `certificate: {fromFile: idp.pem}`.
import { posix } from 'node:path';
import { decode, openRegular } from './open.ts';
import { confine, plainPath } from './paths.ts';
import type { PublicFile } from './tree.ts';

/** The most that such a file may hold: 256 KiB. */
export const PUBLIC_FILE_LIMIT = 256 * 1024;

/** The path of a public file relative to the tree. `undefined` where it would lead out of the tree. */
export function publicPath(documentFile: string, path: string): string | undefined {
  if (path === '' || path.startsWith('/')) return undefined;
  return plainPath(posix.join(posix.dirname(documentFile), path));
}

/**
 * Reads a public file. `treeRoot` is the tree's real path, `documentFile` the document's file relative to it, `path` what the document says.
 * It stays inside the tree, through symlinks as well, is a regular file of UTF-8 text, and at most `PUBLIC_FILE_LIMIT` long.
 */
export function readPublicFile(treeRoot: string, documentFile: string, path: string): PublicFile {
  const inTree = publicPath(documentFile, path);
  if (inTree === undefined) return { problem: problems.outside };
  const place = confine(treeRoot, inTree);
  if ('reason' in place) return { problem: problems[place.reason] };
  const opened = openRegular(place.real, PUBLIC_FILE_LIMIT);
  if ('reason' in opened) return { problem: problems[opened.reason] };
  const { text, invalid } = decode(opened.bytes);
  return invalid ? { problem: problems.encoding } : { text, stat: opened.stat };
}

const problems = {
  outside: 'the path leads out of the tree: name a file inside it, relative to this document',
  gone: 'there is no such file: the path is relative to this document',
  denied: 'the file may not be read: give Weir the permission to read it',
  kind: 'it is not a regular file',
  size: 'the file is larger than 256 KiB',
  failed: 'the file cannot be read',
  encoding: 'the file is not UTF-8 text: a certificate is needed as PEM',
} as const;
