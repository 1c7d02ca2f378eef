// The arguments of bubblewrap (bwrap(1)): a root of its own in which nothing stands but what a runtime needs.
import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';

/** What a program sees of this machine. All paths are absolute, and the same inside. */
export interface Sight {
  /** Folders that it may write to. */
  readonly writable: readonly string[];
  /** Files and folders that it reads. */
  readonly readable: readonly string[];
  /** Folders of which it sees nothing but what is named above, wherever they lie. */
  readonly hidden: readonly string[];
}

/** The descriptors on which bubblewrap is given what it needs. */
export interface Descriptors {
  readonly seccomp?: number;
  readonly passwd: number;
  readonly group: number;
  /** On this one it tells the number of the first process inside. */
  readonly info: number;
}

const system = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];

/** What of /etc every program may need: names, certificates, time, and where libraries are. Nothing in it is secret. */
const configuration = [
  'resolv.conf',
  'hosts',
  'host.conf',
  'nsswitch.conf',
  'gai.conf',
  'services',
  'protocols',
  'localtime',
  'timezone',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'alternatives',
  'mime.types',
  'ssl/certs',
  'ssl/openssl.cnf',
  'ca-certificates',
  'pki/tls/certs',
  'pki/tls/openssl.cnf',
  'pki/ca-trust',
  'crypto-policies',
].map((name) => join('/etc', name));

/** The folders for what is temporary. They are in memory. */
export const temporaryFolders = ['/tmp', '/var/tmp', '/dev/shm'] as const;

/**
 * The arguments up to the program. `root`: bubblewrap is started by root, and the program gives that up itself. `bytes`: how much each of the folders for what is
 * temporary may hold.
 */
export function bwrapArguments(
  sight: Sight,
  { seccomp, passwd, group, info }: Descriptors,
  { root, bytes }: { readonly root: boolean; readonly bytes: number },
): string[] {
  const args = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--new-session'];
  const capabilities = root ? ['--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'] : [];
  if (!root) args.push('--unshare-user');
  args.push('--cap-drop', 'ALL', ...capabilities, '--info-fd', String(info));
  if (seccomp !== undefined) args.push('--seccomp', String(seccomp));
  const tree = new Tree(args);
  for (const path of system) tree.asItIs(path);
  args.push('--proc', '/proc', '--dev', '/dev');
  for (const path of temporaryFolders) tree.temporary(path, '1777', bytes);
  tree.temporary('/run', '0755', 1024 * 1024);
  for (const path of configuration) tree.asItIs(path);
  tree.above('/etc/passwd');
  args.push('--perms', '0444', '--ro-bind-data', String(passwd), '/etc/passwd');
  args.push('--perms', '0444', '--ro-bind-data', String(group), '/etc/group');
  for (const path of sight.hidden) if (tree.shows(path)) tree.temporary(path, '0755', 1024 * 1024);
  for (const path of sight.readable) tree.readable(path);
  for (const path of sight.writable) tree.writable(path);
  args.push('--remount-ro', '/', '--chdir', '/', '--');
  return args;
}

/** The root that is being built: which folders stand in it already, so that those above a place are open to whoever the program will be. */
class Tree {
  readonly #args: string[];
  readonly #made = new Set(['/']);
  readonly #bound: string[] = [];

  constructor(args: string[]) {
    this.#args = args;
  }

  /** Makes the folders above a place: bubblewrap by itself makes them for root alone. */
  above(path: string): void {
    const folder = dirname(path);
    if (this.#made.has(folder) || this.shows(folder)) return;
    this.above(folder);
    this.#args.push('--perms', '0755', '--dir', folder);
    this.#made.add(folder);
  }

  /** Whether a place lies in what was bound already. */
  shows(path: string): boolean {
    return this.#bound.some((folder) => isWithin(folder, path));
  }

  temporary(path: string, mode: string, bytes: number): void {
    if (!path.startsWith('/dev/')) this.above(path);
    this.#args.push('--perms', mode, '--size', String(bytes), '--tmpfs', path);
    this.#made.add(path);
  }

  /** A file or folder of the system, if there is one; a link stays the link that it is where it leads to what is seen anyhow. */
  asItIs(path: string): void {
    if (!existsSync(path)) return;
    const real = realpathSync(path);
    this.above(path);
    if (real !== path && this.shows(real)) this.#args.push('--symlink', real, path);
    else this.#bind('--ro-bind', path, real);
  }

  /** By the name that is given, and by its real one. */
  readable(path: string): void {
    const real = realpathSync(path);
    for (const at of new Set([real, path])) {
      if (this.shows(at) && !this.isHidden(at)) continue;
      this.above(at);
      this.#bind('--ro-bind', at, real);
    }
  }

  writable(path: string): void {
    this.above(path);
    this.#bind('--bind', path, path);
  }

  /** Whether a place that was bound was hidden again. */
  isHidden(path: string): boolean {
    return [...this.#made].some((folder) => folder !== '/' && this.shows(folder) && isWithin(folder, path));
  }

  #bind(how: string, at: string, from: string): void {
    this.#args.push(how, from, at);
    this.#bound.push(at);
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!way.startsWith('..') && !isAbsolute(way));
}
