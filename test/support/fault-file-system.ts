// A disk in memory that forgets what was not synced, and that fails when it is told to: what stands under the store in its tests.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileSystem, OpenFile } from '../../src/store/file-system.ts';

/** One call of the file-system port. Calls are numbered from 1. */
export interface Call {
  readonly number: number;
  readonly name: keyof FileSystem | keyof OpenFile;
  readonly path: string;
}

/** What a call does instead: fail, write less than asked, or report success and do nothing. */
export type Fault = { readonly code: string } | { readonly short: number } | 'forget';

/**
 * What a power loss does to what was not synced. `none` of it is on the disk, `all` of it, a `prefix` of each file and folder (its
 * last write cut anywhere), `some` of it (pieces of writes and single names, whatever their order; holes are zeros), or all
 * names and `zeros` for bytes (a file system that grew the file and had not written it).
 */
export type Loss = 'none' | 'all' | 'prefix' | 'some' | 'zeros';

/** All losses. */
export const losses: readonly Loss[] = ['none', 'all', 'prefix', 'some', 'zeros'];

/** A disk. `before` is told each call, and says whether it fails. */
export interface FaultDisk {
  readonly files: FileSystem;
  before: (call: Call) => Fault | undefined;
  /** The disk as it is found after the power was lost now; this one goes on. The same `seed` loses the same. */
  lost(loss: Loss, seed: number): FaultDisk;
  /** A copy as the next process finds it when this one is killed now: nothing is lost, and nothing more is synced. */
  killed(): FaultDisk;
  /** The bytes of a file as a program sees them now. */
  content(path: string): Buffer | undefined;
  paths(): string[];
  /** The files that are open, by the paths under which they were opened. */
  open(): string[];
  /** How much room it has, in bytes. */
  readonly room: { free: number; size: number };
}

/** An empty disk. */
export function createFaultDisk(): FaultDisk {
  return diskOf({
    folders: new Set(['/']),
    names: new Map(),
    durableNames: new Map(),
    pendingNames: [],
    room: { free: 2 ** 40, size: 2 ** 41 },
  });
}

type WriteOp = { readonly at: number; readonly bytes: Buffer } | { readonly truncate: number };

/** A file: its bytes as programs see them, as the disk has them, and what lies between. */
interface Inode {
  current: Buffer;
  durable: Buffer;
  pending: WriteOp[];
}

type NameOp =
  | { readonly folder: string; readonly link: string; readonly inode: Inode }
  | { readonly folder: string; readonly unlink: string }
  | { readonly folder: string; readonly from: string; readonly to: string; readonly inode: Inode };

interface Image {
  readonly folders: Set<string>;
  readonly names: Map<string, Inode>;
  readonly durableNames: Map<string, Inode>;
  pendingNames: NameOp[];
  /** What `room` answers, in bytes. */
  readonly room: { free: number; size: number };
}

function diskOf(image: Image): FaultDisk {
  let calls = 0;
  const handles = new Map<OpenFile, string>();
  const disk: FaultDisk = {
    before: () => undefined,
    files: followed(
      handles,
      fileSystem(image, async (name, path, effect) => {
        await nextTurn();
        calls += 1;
        const fault = disk.before({ number: calls, name, path });
        if (fault === 'forget') return undefined;
        if (fault !== undefined && 'code' in fault) {
          // As on Linux: pages that could not be written count as clean, and a later sync does not write them again.
          const inode = name === 'datasync' ? image.names.get(path) : undefined;
          if (inode) inode.pending = [];
          throw failure(fault.code, name, path);
        }
        return effect(fault?.short);
      }),
    ),
    lost: (loss, seed) => diskOf(lostImage(image, loss, randomFrom(seed))),
    killed: () => diskOf(copyOf(image)),
    content: (path) => image.names.get(path)?.current,
    paths: () => [...image.names.keys()],
    open: () => [...handles.values()],
    room: image.room,
  };
  return disk;
}

/** Notes which files are open. A close that fails has closed the file all the same, as on Linux. */
function followed(handles: Map<OpenFile, string>, files: FileSystem): FileSystem {
  return {
    ...files,
    open: async (path, mode) => {
      const file = await files.open(path, mode);
      const handle: OpenFile = {
        ...file,
        close: () => {
          handles.delete(handle);
          return file.close();
        },
      };
      handles.set(handle, path);
      return handle;
    },
  };
}

type Guard = <T>(name: Call['name'], path: string, effect: (short: number | undefined) => T) => Promise<T | undefined>;

function fileSystem(image: Image, guard: Guard): FileSystem {
  const find = (name: Call['name'], path: string) => {
    const inode = image.names.get(path);
    if (!inode) throw failure('ENOENT', name, path);
    return inode;
  };
  const change = (op: NameOp) => {
    image.pendingNames.push(op);
    applyName(image.names, op);
  };
  return {
    makeFolder: async (path) => void (await guard('makeFolder', path, () => image.folders.add(path))),
    restrictFolder: async (path) => void (await guard('restrictFolder', path, () => undefined)),
    list: async (path) => (await guard('list', path, () => namesIn(image, path))) ?? [],
    mode: async (path) => guard('mode', path, () => find('mode', path) && 0o600),
    stat: async (path) =>
      guard('stat', path, () => {
        const found = image.names.get(path);
        return found && { size: found.current.length, changedAt: 0 };
      }),
    room: async (folder) => (await guard('room', folder, () => ({ ...image.room }))) ?? { ...image.room },
    isLink: async (path) => Boolean(await guard('isLink', path, () => !find('isLink', path))),
    open: async (path, mode) => {
      const inode = await guard('open', path, () => {
        if (mode === 'new' && image.names.has(path)) throw failure('EEXIST', 'open', path);
        if (mode !== 'create' && mode !== 'new') return find('open', path);
        const made: Inode = { current: Buffer.alloc(0), durable: Buffer.alloc(0), pending: [] };
        change({ folder: folderOf(path), link: path, inode: made });
        return made;
      });
      if (!inode) throw failure('EIO', 'open', path);
      return openFile(inode, path, image.names, guard);
    },
    rename: async (from, to) =>
      void (await guard('rename', from, () => change({ folder: folderOf(to), from, to, inode: find('rename', from) }))),
    unlink: async (path) =>
      void (await guard('unlink', path, () => {
        find('unlink', path);
        change({ folder: folderOf(path), unlink: path });
      })),
    removeFolder: async (path) =>
      void (await guard('removeFolder', path, () => {
        if (namesIn(image, path).length > 0) throw failure('ENOTEMPTY', 'removeFolder', path);
        image.folders.delete(path);
      })),
    syncFolder: async (path) =>
      void (await guard('syncFolder', path, () => {
        for (const op of image.pendingNames) if (op.folder === path) applyName(image.durableNames, op);
        image.pendingNames = image.pendingNames.filter((op) => op.folder !== path);
      })),
  };
}

function openFile(inode: Inode, path: string, names: Map<string, Inode>, plain: Guard): OpenFile {
  // A file is told by the name that it has now: it may have been renamed since it was opened.
  const nameNow = () => [...names].find(([, found]) => found === inode)?.[0] ?? path;
  const guard: Guard = (name, _, effect) => plain(name, nameNow(), effect);
  return {
    size: async () => (await guard('size', path, () => inode.current.length)) ?? 0,
    read: async (into, position) =>
      (await guard('read', path, (short) => {
        const bytes = inode.current.subarray(position, position + Math.min(into.length, short ?? into.length));
        into.set(bytes);
        return bytes.length;
      })) ?? 0,
    write: async (bytes, position) =>
      (await guard('write', path, (short) => {
        const taken = Buffer.from(bytes.subarray(0, short ?? bytes.length));
        change(inode, { at: position, bytes: taken });
        return taken.length;
      })) ?? bytes.length,
    truncate: async (size) => void (await guard('truncate', path, () => change(inode, { truncate: size }))),
    datasync: async () =>
      void (await guard('datasync', path, () => {
        inode.durable = inode.pending.reduce(applyWrite, inode.durable);
        inode.pending = [];
      })),
    isAt: async (at) => (await guard('isAt', path, () => names.get(at) === inode)) ?? true,
    close: async () => void (await guard('close', path, () => undefined)),
  };
}

function change(inode: Inode, op: WriteOp): void {
  inode.pending.push(op);
  inode.current = applyWrite(inode.current, op);
}

function applyWrite(content: Buffer, op: WriteOp): Buffer {
  const size = 'truncate' in op ? op.truncate : Math.max(content.length, op.at + op.bytes.length);
  const next = Buffer.alloc(size);
  content.copy(next, 0, 0, Math.min(content.length, size));
  if ('bytes' in op) op.bytes.copy(next, op.at);
  return next;
}

function applyName(names: Map<string, Inode>, op: NameOp): void {
  if ('unlink' in op) names.delete(op.unlink);
  else if ('link' in op) names.set(op.link, op.inode);
  else {
    names.delete(op.from);
    names.set(op.to, op.inode);
  }
}

function copyOf(image: Image): Image {
  const copies = new Map<Inode, Inode>();
  const copy = (inode: Inode): Inode => {
    const made = copies.get(inode) ?? { ...inode, pending: [...inode.pending] };
    copies.set(inode, made);
    return made;
  };
  const copyNames = (names: Map<string, Inode>) => new Map([...names].map(([path, inode]) => [path, copy(inode)]));
  return {
    folders: new Set(image.folders),
    names: copyNames(image.names),
    durableNames: copyNames(image.durableNames),
    pendingNames: image.pendingNames.map((op) => ('inode' in op ? { ...op, inode: copy(op.inode) } : op)),
    room: { ...image.room },
  };
}

function lostImage(image: Image, loss: Loss, random: () => number): Image {
  const names = new Map(image.durableNames);
  for (const folder of image.folders) {
    const ops = image.pendingNames.filter((op) => op.folder === folder);
    const prefix = Math.floor(random() * (ops.length + 1));
    const kept = { none: () => false, some: () => random() < 0.5, prefix: (index: number) => index < prefix };
    const keeps = loss === 'all' || loss === 'zeros' ? () => true : kept[loss];
    for (const [index, op] of ops.entries()) if (keeps(index)) applyName(names, op);
  }
  const found = new Map<string, Inode>();
  for (const [path, inode] of names) {
    const current = lostContent(inode, loss, random);
    found.set(path, { current, durable: current, pending: [] });
  }
  return {
    folders: new Set(image.folders),
    names: found,
    durableNames: new Map(found),
    pendingNames: [],
    room: { ...image.room },
  };
}

function lostContent(inode: Inode, loss: Loss, random: () => number): Buffer {
  const whole = Math.floor(random() * (inode.pending.length + 1));
  const survivors: Record<Loss, (op: WriteOp, index: number) => WriteOp[]> = {
    none: () => [],
    all: (op) => [op],
    prefix: (op, index) => (index < whole ? [op] : index === whole ? cut(op, random()) : []),
    some: (op) => pieces(op).filter(() => random() < 0.5),
    zeros: (op) => ('bytes' in op ? [{ at: op.at, bytes: zeros(inode.durable, op) }] : [op]),
  };
  return inode.pending.flatMap(survivors[loss]).reduce(applyWrite, inode.durable);
}

function cut(op: WriteOp, share: number): WriteOp[] {
  return 'bytes' in op ? [{ at: op.at, bytes: op.bytes.subarray(0, Math.floor(share * op.bytes.length)) }] : [];
}

/** Zeros, but where the disk already had something. */
function zeros(durable: Buffer, { at, bytes }: { readonly at: number; readonly bytes: Buffer }): Buffer {
  const content = Buffer.alloc(bytes.length);
  durable.subarray(at, at + bytes.length).copy(content);
  return content;
}

/** A write in the pieces that a disk may keep singly: smaller than any real one's, so that lines are torn inside. */
function pieces(op: WriteOp): WriteOp[] {
  if (!('bytes' in op)) return [op];
  const { at, bytes } = op;
  const found: WriteOp[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = Math.min(bytes.length, start + 64 - ((at + start) % 64));
    found.push({ at: at + start, bytes: bytes.subarray(start, end) });
    start = end;
  }
  return found;
}

function namesIn(image: Image, folder: string): string[] {
  if (!image.folders.has(folder)) throw failure('ENOENT', 'list', folder);
  const below = [...image.names.keys(), ...image.folders].filter(
    (path) => path !== folder && folderOf(path) === folder,
  );
  return below.map((path) => path.slice(folder.length + 1));
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function failure(code: string, name: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${name} '${path}'`), { code });
}

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = (seed * 0x9e3779b1) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
