// A volume of a ConfigMap or a Secret, written as the kubelet does (its AtomicWriter): a folder a version, and a link that is turned to the newest.
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** A volume at a path. */
export interface Volume {
  readonly path: string;
  /** Brings the keys up to date, all at once. */
  write(keys: Readonly<Record<string, string>>): void;
  /** Mounts one key elsewhere by `subPath`: the file as it is now, for ever. */
  mountKey(key: string, path: string): void;
}

/** Mounts a volume at a path that is not there yet. */
export function mountVolume(path: string, keys: Readonly<Record<string, string>>): Volume {
  mkdirSync(path, { recursive: true });
  let version = 0;
  const data = join(path, '..data');
  const write = (wanted: Readonly<Record<string, string>>) => {
    version += 1;
    const old = existsSync(data) ? readlinkSync(data) : undefined;
    const folder = `..2026_11_21_10_00_00.${String(version).padStart(9, '0')}`;
    mkdirSync(join(path, folder));
    for (const [key, content] of Object.entries(wanted)) writeFileSync(join(path, folder, key), content);
    symlinkSync(folder, join(path, '..data_tmp'));
    renameSync(join(path, '..data_tmp'), data);
    show(path, Object.keys(wanted));
    if (old !== undefined) rmSync(join(path, old), { recursive: true });
  };
  write(keys);
  // A bind mount holds the file itself, and so does a second name of it.
  return { path, write, mountKey: (key, target) => linkSync(join(path, readlinkSync(data), key), target) };
}

/** A link for each key, through the one that is turned. */
function show(path: string, keys: readonly string[]): void {
  const shown = readdirSync(path).filter((name) => !name.startsWith('..'));
  for (const key of keys) if (!shown.includes(key)) symlinkSync(join('..data', key), join(path, key));
  for (const key of shown) if (!keys.includes(key)) unlinkSync(join(path, key));
}
