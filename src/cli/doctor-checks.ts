// What weir doctor looks at, one thing after another. Nothing of it changes anything that stays.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { InForce } from '../drivers/driver.ts';
import { removeTree } from '../drivers/local/deep.ts';
import { isolationAt } from '../drivers/local/isolation/isolation.ts';
import { reasonOf } from '../lib/reason-of.ts';
import { connectTcp } from '../mail/connect.ts';
import { checkOfKeys } from './doctor-keys.ts';
import type { Patient } from './doctor-patient.ts';
import { checksOfPlaces } from './doctor-places.ts';
import type { Examined } from './examined.ts';

/** Looks at everything. */
export async function checksOfMachine(patient: Patient): Promise<readonly Examined[]> {
  const checks = await Promise.all([
    node(),
    npm(patient),
    git(patient),
    isolation(patient),
    watches(),
    openFiles(),
    checksOfPlaces(patient),
    checkOfKeys(patient),
    clock(patient),
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
async function isolation({ platform, instances, store, stacks }: Patient): Promise<Examined[]> {
  const what = { name: 'isolation', purpose: 'keeps instances from each other and from Weir' };
  const { isolation: wanted = 'auto', firstUserId = 200_000 } = platform?.driver ?? {};
  const trial = await mkdtemp(join(tmpdir(), 'weir-doctor-'));
  try {
    // What is tried may run as another user.
    await chmod(trial, 0o711);
    const found = await isolationAt({
      instances: instances.folder,
      store: store.folder,
      stacks: () => stacks.folder,
      trial,
      node: process.execPath,
      setting: () => ({ isolation: wanted, firstUserId }),
      controlGroups: true,
    }).inForce();
    const detail = `${found.level}: ${found.separation ?? found.message}`;
    if (found.refuses) return [{ ...what, state: 'missing', detail, remedy: 'do that, or write another level' }];
    if (found.reason !== 'None') return [{ ...what, state: 'fine', detail }, ...limits(found)];
    const remedy = 'install the package bubblewrap, or run Weir as root';
    return [{ ...what, state: 'lacking', detail, remedy }, ...limits(found)];
  } finally {
    await removeTree(trial);
  }
}

function limits({ limits: found }: InForce): Examined[] {
  if (!found) return [];
  const what = { name: 'limits', purpose: 'keep one instance from starving the others' };
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

/** How far a clock may be behind, in milliseconds, before it is told: machines that are kept by NTP differ by less. */
const clockMs = 5000;

/** A clock is wrong where it is before something that was written by it. */
async function clock({ newest }: Patient): Promise<Examined> {
  const now = Date.now();
  const what = { name: 'clock', purpose: 'sessions, tokens, certificates and single sign-on depend on it' };
  const seen = new Date(now).toISOString();
  if (newest === undefined) return { ...what, state: 'note', detail: `${seen}: no store tells whether that is right` };
  const late = Date.parse(newest) - now;
  if (late <= clockMs) return { ...what, state: 'fine', detail: `${seen}, after all that the store holds` };
  const detail = `${seen}, which is ${Math.round(late / 1000)} seconds before the newest record of the store (${newest})`;
  const remedy =
    'set it, and keep it by NTP (chrony, systemd-timesyncd); where it is right, it was ahead when that was written';
  return { ...what, state: 'lacking', detail, remedy };
}

const mailMs = 10_000;

/** A platform without mail is one that somebody chose. */
async function mail({ platform, from }: Patient): Promise<Examined[]> {
  if (!platform) return [];
  const what = { name: 'mail', purpose: 'invitations, resets of passwords, alerts' };
  const { email } = platform;
  if (!email) {
    const remedy = 'to have it, set Platform.spec.email';
    return [{ ...what, state: 'note', detail: `${from} names no mail server: none of it is sent`, remedy }];
  }
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
