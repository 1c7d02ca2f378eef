// Public texts that a document draws in from a file beside it: `certificate: {fromFile: idp.pem}`.
import { posix } from 'node:path';
import { decode, type Opened, openRegular } from './open.ts';
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
  return publicFileOf(documentFile, path, (inTree) => {
    const place = confine(treeRoot, inTree);
    return 'reason' in place ? place : openRegular(place.real, PUBLIC_FILE_LIMIT);
  });
}

/** The same, wherever its bytes come from; `open` gets the path relative to the tree. */
export function publicFileOf(
  documentFile: string,
  path: string,
  open: (inTree: string) => Opened | { readonly reason: 'outside' },
): PublicFile {
  const inTree = publicPath(documentFile, path);
  const opened = inTree === undefined ? ({ reason: 'outside' } as const) : open(inTree);
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
