// Puts a runtime into the stacks directory, from the npm registry: whole or not at all.
import { chmod, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeFolders } from '../../lib/make-folders.ts';
import { removeTree } from './deep.ts';
import { type NpmCall, npm } from './npm.ts';
import { NpmFailed } from './npm-failure.ts';
import { beganAt, isRunning } from './process-table.ts';
import { endTree } from './process-tree.ts';
import { lookInto, runtimePackage } from './stack.ts';

/** Which version goes where. */
export interface Installation extends Pick<NpmCall, 'env' | 'node' | 'signal'> {
  /** The stacks directory; made where it is missing. */
  readonly stacks: string;
  /** An exact version, which becomes the name of its directory. */
  readonly version: string;
}

/** A runtime cannot be installed. The message is for people; `code` is one stable word. */
export class NotInstalled extends Error {
  override readonly name = 'NotInstalled';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** An exact version, as npm has it (https://semver.org). */
export const exactVersion = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

/** Installs a runtime; `there` where it was installed already. Rejects with `NotInstalled`, and then leaves nothing behind. */
export async function installRuntime({ stacks, version, ...call }: Installation): Promise<'installed' | 'there'> {
  const target = join(stacks, version);
  const before = await lookInto(target);
  if (before === 'broken')
    throw new NotInstalled('stack_broken', `${target} is there and holds no usable runtime: delete it first`);
  if (before !== 'missing') return 'there';
  try {
    await makeFolders(stacks, 0o700);
    await sweepInstalls(stacks);
    const folder = await mkdtemp(join(stacks, '.install-'));
    try {
      await own(folder);
      await fill(folder, version, { ...call, mark: basename(folder) });
      return await putInPlace(folder, target);
    } finally {
      await removeTree(folder);
    }
  } catch (error) {
    throw told(error, version, stacks);
  }
}

async function fill(
  folder: string,
  version: string,
  call: Pick<NpmCall, 'env' | 'node' | 'signal' | 'mark'>,
): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{"private": true}\n');
  // What the scripts of its packages would do, the runtime does without: they only build what makes it faster.
  const flags = ['--save-exact', '--omit=dev', '--ignore-scripts', '--engine-strict'];
  await npm(['install', `${runtimePackage}@${version}`, ...flags], { ...call, folder });
  const found = await lookInto(folder);
  if (typeof found === 'string' || found.version !== version)
    throw new NpmFailed('failed', `what the registry gave is no runtime of version ${version}`);
  await rm(join(folder, owner), { force: true });
  await chmod(folder, 0o755);
}

/** The name of the file that says who is at work in a folder. */
const owner = '.owner';

async function own(folder: string): Promise<void> {
  const { pid } = process;
  await writeFile(join(folder, owner), JSON.stringify({ pid, began: await beganAt(pid) }));
}

/** Deletes the folders of installations that were killed, and ends what is still at work in them. */
async function sweepInstalls(stacks: string): Promise<void> {
  for (const name of await readdir(stacks)) {
    const folder = join(stacks, name);
    if (!name.startsWith('.install-') || (await isAtWork(folder))) continue;
    await endTree({ run: name });
    await removeTree(folder);
  }
}

async function isAtWork(folder: string): Promise<boolean> {
  try {
    const { pid, began } = JSON.parse(await readFile(join(folder, owner), 'utf8'));
    return await isRunning({ pid, began });
  } catch {
    // It may just have been made, and not have got so far.
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: 0 }));
    return Date.now() - mtimeMs < 60_000;
  }
}

/** Where somebody else was faster, theirs stays. */
async function putInPlace(folder: string, target: string): Promise<'installed' | 'there'> {
  await synced(folder);
  try {
    await rename(folder, target);
  } catch (error) {
    if (typeof (await lookInto(target)) !== 'string') return 'there';
    throw error;
  }
  await synced(join(target, '..'));
  return 'installed';
}

async function synced(folder: string): Promise<void> {
  const opened = await open(folder, 'r');
  await opened.sync().catch(() => {});
  await opened.close();
}

function told(error: unknown, version: string, stacks: string): unknown {
  const what = `Node-RED ${version} cannot be installed`;
  if (error instanceof NpmFailed) {
    const { why, message } = error;
    if (why === 'unknown')
      return new NotInstalled('version_unknown', `${what}, because the registry has no such version`);
    return new NotInstalled(`npm_${why}`, `${what}, because ${message}`);
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOSPC' || code === 'EDQUOT') return new NotInstalled('disk_full', `${what}, because the disk is full`);
  if (/^(EACCES|EPERM|EROFS|ENOTDIR|EEXIST)$/.test(code))
    return new NotInstalled('stacks_unwritable', `${what}, because ${stacks} cannot be written (${code})`);
  return error;
}
