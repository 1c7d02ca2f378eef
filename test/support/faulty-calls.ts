// Calls of node:fs/promises that fail when a test says so, below one folder: one of them, or one and all that come after it, as when a process is killed.
import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** Which call does not happen (numbered from 1), and whether any does after it. */
export interface FaultyCall {
  readonly at: number;
  readonly after: 'goes on' | 'is dead';
}

const names = ['open', 'mkdir', 'rename', 'rm', 'rmdir', 'readdir', 'lstat', 'chmod', 'unlink'] as const;
const ofHandles = ['writeFile', 'datasync', 'sync', 'chown', 'read', 'stat'] as const;

/** Does work while a call fails below a folder. Answers what it came to, how many calls there were, and which one failed. */
export async function withFault<T>(folder: string, { at, after }: FaultyCall, work: () => Promise<T>) {
  let count = 0;
  let failed = '';
  const meet = (name: string, path: unknown) => {
    if (!String(path).startsWith(folder)) return;
    count += 1;
    const isDead = after === 'is dead' && count > at;
    if (count === at) failed = `${name} ${String(path).slice(folder.length)}`;
    if (count === at || isDead) throw Object.assign(new Error(`EIO: it fails, ${name}`), { code: 'EIO' });
  };
  const real = { ...fs };
  const patched = names.map((name) => [name, faulty(name, real[name] as AnyCall, meet)] as const);
  Object.assign(fs, Object.fromEntries(patched));
  syncBuiltinESMExports();
  try {
    const outcome = await work().then(
      (value) => ({ value }),
      (error: Error) => ({ error }),
    );
    return { ...outcome, count, failed };
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
}

type AnyCall = (...args: unknown[]) => Promise<unknown>;
type Meet = (name: string, path: unknown) => void;

function faulty(name: string, real: AnyCall, meet: Meet): AnyCall {
  return async (...args) => {
    meet(name, args[0]);
    const made = await real(...args);
    return name === 'open' ? faultyHandle(made as FileHandle, args[0], meet) : made;
  };
}

/** Closing never fails: a process that is killed leaves nothing open. */
function faultyHandle(handle: FileHandle, path: unknown, meet: Meet): FileHandle {
  for (const name of ofHandles) {
    const real = (handle[name] as AnyCall).bind(handle);
    Object.assign(handle, {
      [name]: async (...args: unknown[]) => {
        meet(name, path);
        return real(...args);
      },
    });
  }
  return handle;
}
