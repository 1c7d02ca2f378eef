// What weir doctor looks at, one thing after another. Nothing of it changes anything that stays.
import { execFile } from 'node:child_process';
import { access, chmod, constants, mkdtemp, readFile, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { SpecOf } from '../core/kinds/index.ts';
import type { InForce } from '../drivers/driver.ts';
import { removeTree } from '../drivers/local/deep.ts';
import { isolationAt } from '../drivers/local/isolation/isolation.ts';
import { connectTcp } from '../mail/connect.ts';
import { reasonOf } from './reason.ts';

/** One thing that was looked at: `lacking` is what Weir does less well without, `missing` what it cannot do without. */
export interface Examined {
  readonly name: string;
  readonly state: 'fine' | 'lacking' | 'missing';
  /** What it is for. */
  readonly purpose: string;
  /** What was seen. */
  readonly detail: string;
  /** What to do, where it is not fine. */
  readonly remedy?: string;
}

/** What is looked at. */
export interface Patient {
  /** The folder of the store, which need not be there yet. */
  readonly store: string;
  readonly env: NodeJS.ProcessEnv;
  /** As a tree declares it, where one was named. */
  readonly platform: SpecOf<'Platform'> | undefined;
}

/** Looks at everything. */
export async function checksOfMachine(patient: Patient): Promise<readonly Examined[]> {
  const checks = await Promise.all([
    node(),
    npm(patient),
    git(patient),
    isolation(patient),
    watches(),
    openFiles(),
    store(patient),
    disk(patient),
    clock(),
    mail(patient),
  ]);
  return checks.flat();
}

const run = promisify(execFile);

/** What a program prints first; nothing where it cannot be run. */
async function versionOf(program: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return run(program, ['--version'], { env, timeout: 20_000 }).then(
    ({ stdout }) => stdout.split('\n')[0]?.trim(),
    () => undefined,
  );
}

async function node(): Promise<Examined> {
  const detail = `${process.version} at ${process.execPath}`;
  return { name: 'node', state: 'fine', purpose: 'runs Weir and the instances', detail };
}

async function npm({ env }: Patient): Promise<Examined> {
  const found = await versionOf('npm', env);
  const what = { name: 'npm', purpose: 'installs stacks, and the nodes of instances' };
  if (found !== undefined) return { ...what, state: 'fine', detail: found };
  return { ...what, state: 'lacking', detail: 'there is none on the PATH', remedy: 'install Node.js, which brings it' };
}

async function git({ env }: Patient): Promise<Examined> {
  const found = await versionOf('git', env);
  const what = { name: 'git', purpose: 'says which commit a tree is' };
  if (found !== undefined) return { ...what, state: 'fine', detail: found };
  return { ...what, state: 'lacking', detail: 'there is none on the PATH', remedy: 'install the package git' };
}

/** By a real start, in a folder of its own: the store need not be there, and a server may be using it. */
async function isolation({ platform }: Patient): Promise<Examined[]> {
  const what = { name: 'isolation', purpose: 'keeps instances from each other and from Weir' };
  const { isolation: wanted = 'auto', firstUserId = 200_000 } = platform?.driver ?? {};
  const folder = await mkdtemp(join(tmpdir(), 'weir-doctor-'));
  try {
    // What is tried may run as another user.
    await chmod(folder, 0o711);
    const found = await isolationAt({
      instances: join(folder, 'instances'),
      stacks: () => folder,
      node: process.execPath,
      setting: () => ({ isolation: wanted, firstUserId }),
      controlGroups: true,
    }).inForce();
    const detail = `${found.level}: ${found.message}`;
    if (found.refuses) return [{ ...what, state: 'missing', detail, remedy: 'do that, or write another level' }];
    if (found.reason !== 'None') return [{ ...what, state: 'fine', detail }, ...limits(found)];
    const remedy = 'install the package bubblewrap, or run Weir as root';
    return [{ ...what, state: 'lacking', detail, remedy }, ...limits(found)];
  } finally {
    await removeTree(folder);
  }
}

function limits({ limits: found }: InForce): Examined[] {
  if (!found) return [];
  const what = { name: 'limits', purpose: 'keep an instance to its memory and processes at once, by control groups' };
  const detail = found.message;
  if (found.isComplete) return [{ ...what, state: 'fine', detail }];
  const remedy =
    'run Weir where it may make control groups: as a unit of systemd 254 or newer with Delegate=memory pids and DelegateSubgroup=server';
  return [{ ...what, state: 'lacking', detail, remedy }];
}

const leastWatches = 8192;

async function watches(): Promise<Examined[]> {
  if (process.platform !== 'linux') return [];
  const what = { name: 'inotify', purpose: 'tells of changed files at once, instead of at the next poll' };
  const folder = '/proc/sys/fs/inotify';
  const [most, users] = await Promise.all([
    numberAt(`${folder}/max_user_watches`),
    numberAt(`${folder}/max_user_instances`),
  ]);
  const detail = `${most ?? '?'} watches, ${users ?? '?'} watchers a user`;
  if (most === undefined || (most >= leastWatches && (users ?? 0) >= 128)) return [{ ...what, state: 'fine', detail }];
  const remedy = `sysctl fs.inotify.max_user_watches=524288 fs.inotify.max_user_instances=512`;
  return [{ ...what, state: 'lacking', detail, remedy }];
}

const leastFiles = 4096;

async function openFiles(): Promise<Examined[]> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => undefined);
  const line = limits?.split('\n').find((one) => one.startsWith('Max open files'));
  const hard = line?.split(' ').filter((word) => word !== '')[4];
  if (hard === undefined) return [];
  const what = { name: 'open files', purpose: 'each connection and each instance takes some' };
  const detail = `${hard} at most`;
  if (hard === 'unlimited' || Number(hard) >= leastFiles) return [{ ...what, state: 'fine', detail }];
  return [
    { ...what, state: 'lacking', detail, remedy: 'raise it: "ulimit -n 65536", or LimitNOFILE of its systemd unit' },
  ];
}

async function store({ store: folder }: Patient): Promise<Examined> {
  const what = { name: 'store', purpose: 'holds the state' };
  const there = await existing(folder);
  const where = there === folder ? folder : `${folder} (not there yet)`;
  const closed = await access(`${there}/`, constants.W_OK).catch(reasonOf);
  if (closed === undefined) return { ...what, state: 'fine', detail: where };
  const remedy = 'let the user of Weir write there, or name another folder with --store';
  return { ...what, state: 'missing', detail: `${there} cannot be written: ${closed}`, remedy };
}

/** In bytes: below the first Weir warns, and with less than the second it cannot go on for long. */
const [littleSpace, leastSpace] = [1024 ** 3, 64 * 1024 ** 2];

async function disk({ store: folder }: Patient): Promise<Examined> {
  const { bavail, bsize, ffree, files } = await statfs(await existing(folder));
  const free = bavail * bsize;
  const what = { name: 'disk', purpose: 'takes the store, stacks, modules and logs' };
  const inodes = files > 0 && ffree < 10_000 ? `, and only ${ffree} files more` : '';
  const detail = `${Math.floor(free / 1024 ** 2)} MiB free${inodes}`;
  if (free >= littleSpace && inodes === '') return { ...what, state: 'fine', detail };
  return {
    ...what,
    state: free < leastSpace ? 'missing' : 'lacking',
    detail,
    remedy: 'make room on it, or move the store',
  };
}

/** The folder, or the nearest one above it that is there. */
async function existing(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined);
  return found || dirname(folder) === folder ? folder : existing(dirname(folder));
}

/** A clock that was never set, or is older than Weir itself, makes sessions, certificates and sign-ins fail. */
const oldestYear = 2026;

async function clock(): Promise<Examined> {
  const now = new Date();
  const what = { name: 'clock', purpose: 'sessions, tokens, certificates and single sign-on depend on it' };
  const detail = now.toISOString();
  if (now.getUTCFullYear() >= oldestYear) return { ...what, state: 'fine', detail };
  return { ...what, state: 'missing', detail, remedy: 'set it, and keep it by NTP (chrony, systemd-timesyncd)' };
}

const mailMs = 10_000;

async function mail({ platform }: Patient): Promise<Examined[]> {
  if (!platform) return [];
  const what = { name: 'mail', purpose: 'invitations, resets of passwords, alerts' };
  const { email } = platform;
  if (!email)
    return [{ ...what, state: 'lacking', detail: 'the tree names no mail server', remedy: 'set Platform.spec.email' }];
  const { host, secure, port = secure ? 465 : 587 } = email.smtp;
  try {
    const { socket } = await connectTcp(host, port, AbortSignal.timeout(mailMs));
    socket.destroy();
    return [{ ...what, state: 'fine', detail: `${host}:${port} can be reached` }];
  } catch (error) {
    const detail = `${host}:${port} cannot be reached: ${reasonOf(error)}`;
    return [{ ...what, state: 'lacking', detail, remedy: 'check host and port, and what lies between' }];
  }
}

async function numberAt(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^\d+\s*$/.test(text) ? Number(text) : undefined;
}
