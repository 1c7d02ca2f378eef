// File systems that are mounted for a while; only root may.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why nothing can be mounted here; nothing where it can. */
export async function cannotMount(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can mount';
  const folder = mkdtempSync(join(tmpdir(), 'weir-mount-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
  if (status === 0) spawnSync('umount', [folder], { stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
  return status === 0 ? undefined : 'this machine lets root mount nothing';
}

/** Mounts an empty file system of some size in memory; answers what takes it away. */
export function mountSmall(folder: string, bytes: number): () => void {
  mkdirSync(folder, { recursive: true });
  return mounted(['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], folder);
}

/** Covers a folder by another; answers what uncovers it. */
export function cover(folder: string, by: string): () => void {
  return mounted(['--bind', by, folder], folder);
}

/** Covers a folder by itself, so that nothing in it can be opened to be written; what is open already stays so. */
export function coverReadOnly(folder: string): () => void {
  const uncover = mounted(['--bind', folder, folder], folder);
  execFileSync('mount', ['-o', 'remount,ro,bind', folder], { stdio: 'ignore' });
  return uncover;
}

function mounted(args: readonly string[], folder: string): () => void {
  execFileSync('mount', args, { stdio: 'ignore' });
  const undo = () => {
    stillMounted.delete(undo);
    spawnSync('umount', ['--lazy', folder], { stdio: 'ignore' });
  };
  stillMounted.add(undo);
  return undo;
}

// A run that fails leaves no mount behind.
const stillMounted = new Set<() => void>();
process.once('exit', () => {
  for (const undo of stillMounted) undo();
});
