// What a test file leaves behind: processes in sessions of their own, and mounts. Both are known by the temporary folder of the file. Where there is no /proc nothing is found.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long what has been told to end may take to do so, in milliseconds. */
const graceMs = 2000;

/** Ends what a test file left, and answers it in words; what ends by itself in a moment is not left. */
export async function endLeftovers(folder: string): Promise<readonly string[]> {
  const deadline = performance.now() + graceMs;
  let found = await seenIn(folder);
  while (found.length > 0 && performance.now() < deadline) {
    await sleep(50);
    found = await seenIn(folder);
  }
  const told = found.map(({ name, command }) => `${name}: ${command.slice(0, 200)}`);
  await endAll(folder, found);
  return [...told, ...unmountAll(folder)];
}

/** Ends at once what is left of files that were broken off. */
export function endLeftoversNow(folder: string): void {
  for (const { pid } of processesOf(folder)) end(pid);
  unmountAll(folder);
}

/** Looks twice: a process that is just becoming another program has for a moment neither variables nor a command. */
async function seenIn(folder: string): Promise<readonly Left[]> {
  const found = processesOf(folder);
  if (found.length > 0) return found;
  await sleep(20);
  return processesOf(folder);
}

interface Left {
  readonly pid: number;
  readonly name: string;
  readonly command: string;
}

/** Who of them is ended may leave others, that were only its children before. */
async function endAll(folder: string, found: readonly Left[]): Promise<void> {
  let left = found;
  for (let round = 0; left.length > 0 && round < 20; round += 1) {
    for (const { pid } of left) end(pid);
    await sleep(50);
    left = await seenIn(folder);
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

function processesOf(folder: string): Left[] {
  return globSync('/proc/[0-9]*').flatMap((path) => {
    const pid = Number(path.slice('/proc/'.length));
    if (pid === process.pid || !belongs(path, folder)) return [];
    const command = read(path, 'cmdline').replaceAll('\0', ' ').trim();
    return [{ pid, name: read(path, 'comm').trim(), command }];
  });
}

/**
 * Instances begin without variables: those are known by their command, or by what they hold open. Not by what is mounted for them: mounts come into the
 * namespaces of services of this machine, too.
 */
function belongs(path: string, folder: string): boolean {
  const isIn = (text: string) => text === folder || text.startsWith(`${folder}/`);
  const state = / (\w) -?\d+ [^)]*$/.exec(read(path, 'stat'))?.[1];
  if (state === undefined || 'ZX'.includes(state)) return false;
  if (
    read(path, 'environ')
      .split('\0')
      .some((variable) => variable.startsWith('TMPDIR=') && isIn(variable.slice(7)))
  )
    return true;
  if (read(path, 'cmdline').split('\0').some(isIn) || isIn(link(join(path, 'cwd')))) return true;
  return globSync(join(path, 'fd/*')).some((held) => isIn(link(held)));
}

function unmountAll(folder: string): string[] {
  const points = read('/proc/self', 'mountinfo')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => point.startsWith(`${folder}/`));
  // The innermost first.
  for (const point of points.reverse()) spawnSync('umount', ['--lazy', point], { stdio: 'ignore' });
  return points.map((point) => `mount: ${point}`);
}

/** Nothing, where the process has ended or is somebody else's. */
function read(path: string, name: string): string {
  try {
    return readFileSync(join(path, name), 'utf8');
  } catch {
    return '';
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
