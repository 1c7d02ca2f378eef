// What of the instances' folders a backup has to hold: what people made in them, and not what can be had again.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { folderOf } from './folder.ts';

/** A file; `path` is relative to the folder of the instances, with `/`. */
export interface KeptFile {
  readonly path: string;
  /** Where it is now; or what it says, where it is not the file of the instance; or why a folder cannot be looked into. */
  readonly from: { readonly file: string } | { readonly text: string } | { readonly leftOut: string };
}

/**
 * The files of instances that are to be kept: flows, credentials, context and whatever else stands in their user directories, and their ports. Packages
 * are installed again at the next start; links are left out, and so are sockets and pipes.
 */
export async function* keptFiles(instances: string, ids: Iterable<string>): AsyncGenerator<KeptFile> {
  for (const id of ids) {
    const folder = folderOf(instances, id);
    const names = new Set((await entriesIn(folder.path)).map(({ name }) => name));
    if (names.has('port')) yield { path: `${id}/port`, from: { file: folder.port } };
    for (const name of ['home', 'arrived'])
      if (names.has(name)) yield* below(join(folder.path, name), `${id}/${name}`, name === 'home');
    // What was installed is not in the backup: the note has the driver install it before the instance starts.
    if (names.has('modules.json')) yield { path: `${id}/modules.json`, from: { text: '{"install":true}' } };
  }
}

/** Packages and their caches, and what is written anew at each start. */
const leftOut = /^(?:node_modules|\.npm|\.npmrc|\.cache)$/;

async function* below(folder: string, path: string, isHome: boolean): AsyncGenerator<KeptFile> {
  const entries = await entriesIn(folder).catch((error: NodeJS.ErrnoException) => {
    const why = closed[error.code ?? ''];
    if (why === undefined) throw error;
    return why;
  });
  if (typeof entries === 'string') return yield { path, from: { leftOut: entries } };
  for (const entry of entries) {
    if (entry.name === 'node_modules' || (isHome && leftOut.test(entry.name))) continue;
    const [at, name] = [join(folder, entry.name), `${path}/${entry.name}`];
    if (entry.isDirectory()) yield* below(at, name, false);
    else if (entry.isFile() && isPlain(entry.name)) yield { path: name, from: { file: at } };
  }
}

const closed: Readonly<Record<string, string>> = {
  ENAMETOOLONG: 'its path is too long',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
};

/** A name that any system can have, and that a line can show. */
function isPlain(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is kept out.
  return !/[\u0000-\u001f\u007f\\]/.test(name);
}

async function entriesIn(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}
