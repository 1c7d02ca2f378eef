// What of the instances' folders a backup has to hold: what people made in them, and not what can be had again.
import { isUtf8 } from 'node:buffer';
import { readdir } from 'node:fs/promises';
import { folderOf } from './folder.ts';
import { codeOf, type OpenFolder, openFolder, openWithin, within } from './open-folder.ts';

/** A file; `path` is relative to the folder of the instances, with `/`. */
export interface KeptFile {
  readonly path: string;
  /**
   * Where it is now, until the next file is asked for; or what it says, where it is not the file of the instance; or why a folder, or some of it, cannot
   * be looked into.
   */
  readonly from: { readonly file: string } | { readonly text: string } | { readonly leftOut: string };
}

/**
 * The files of instances that are to be kept: flows, credentials, context and whatever else stands in their user directories, and their ports. Packages
 * are installed again at the next start; links are left out, and so are sockets and pipes.
 */
export async function* keptFiles(instances: string, ids: Iterable<string>): AsyncGenerator<KeptFile> {
  for (const id of ids) {
    const folder = folderOf(instances, id);
    const own = await openFolder(folder.path);
    if (!own) continue;
    try {
      const names = new Set((await entriesIn(own)).entries.map(({ name }) => name));
      if (names.has('port')) yield { path: `${id}/port`, from: { file: folder.port } };
      for (const name of ['home', 'arrived'])
        if (names.has(name)) yield* below(own, name, { path: `${id}/${name}`, depth: 0, isHome: name === 'home' });
      // What was installed is not in the backup: the note has the driver install it before the instance starts.
      if (names.has('modules.json')) yield { path: `${id}/modules.json`, from: { text: '{"install":true}' } };
    } finally {
      await own.handle.close();
    }
  }
}

/** Packages and their caches, and what is written anew at each start. */
const leftOut = /^(?:node_modules|\.npm|\.npmrc|\.cache)$/;

/** How deep folders may stand in each other: all on the way are open at once. */
const mostDepth = 200;

interface At {
  /** The path of the folder in the backup. */
  readonly path: string;
  readonly depth: number;
  readonly isHome: boolean;
}

async function* below(above: OpenFolder, name: string, at: At): AsyncGenerator<KeptFile> {
  const { path, depth, isHome } = at;
  if (depth > mostDepth || Buffer.byteLength(path) > mostPath) return yield { path, from: { leftOut: tooLong } };
  const folder = await openWithin(above, name).catch(whyClosed);
  if (typeof folder === 'string') return yield { path, from: { leftOut: folder } };
  if (!folder) return;
  try {
    const { entries, unreadable } = await entriesIn(folder);
    // Two of them may look alike, and no archive can have the same path twice.
    if (unreadable > 0) yield { path: `${path}/`, from: { leftOut: `${unreadable} names in it are not UTF-8` } };
    for (const entry of entries) {
      if (isLeftOut(entry.name, isHome)) continue;
      const own = `${path}/${entry.name}`;
      if (entry.isDirectory()) yield* below(folder, entry.name, { path: own, depth: depth + 1, isHome: false });
      else if (entry.isFile() && isPlain(entry.name)) yield { path: own, from: { file: within(folder, entry.name) } };
    }
  } finally {
    await folder.handle.close();
  }
}

function isLeftOut(name: string, isHome: boolean): boolean {
  return name === 'node_modules' || (isHome && leftOut.test(name));
}

const tooLong = 'its path is too long';

/** In bytes: what a path may have in all where it is put back. */
const mostPath = 3500;

function whyClosed(error: unknown): string {
  const why = closed[codeOf(error)];
  if (why === undefined) throw error;
  return why;
}

const closed: Readonly<Record<string, string>> = {
  ENAMETOOLONG: tooLong,
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
};

/** A name that any system can have, and that a line can show. */
function isPlain(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is kept out.
  return !/[\u0000-\u001f\u007f\\]/.test(name);
}

/** What is in a folder, and how many of it have names that are no text. */
async function entriesIn(folder: OpenFolder) {
  const all = await readdir(within(folder), { withFileTypes: true, encoding: 'buffer' });
  const entries = all.flatMap((entry) => {
    if (!isUtf8(entry.name)) return [];
    return [{ name: entry.name.toString(), isFile: () => entry.isFile(), isDirectory: () => entry.isDirectory() }];
  });
  return { entries, unreadable: all.length - entries.length };
}
