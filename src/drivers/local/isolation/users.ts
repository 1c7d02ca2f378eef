// The users of instances where Weir is root: a number each, that no other instance gets as long as there may be files of it.
import { createHash } from 'node:crypto';
import { lchown, lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DriverFailed } from '../../driver.ts';
import { writePrivate } from '../folder.ts';
import { allPids, beganAt, type ProcessId, procFile, signal } from '../process-table.ts';

/** How many numbers there are from the first on. */
export const userCount = 60_000;

/** Where an instance keeps its number, in its folder; and where the next one stands, beside all folders. */
const [own, next] = ['user', '.next-user'];

/** Gives out the numbers of one folder of instances. */
export interface Users {
  of(id: string): Promise<number>;
}

/** The number that was given to the instance of a folder, where one was. */
export function userIn(folder: string): Promise<number | undefined> {
  return numberIn(join(folder, own));
}

/** One gives out at a time, and a number is given out anew only when all others were. */
export function usersIn(instances: string, first: () => number): Users {
  let turn: Promise<unknown> = Promise.resolve();
  return {
    of: (id) => {
      const mine = turn.then(() => userOf(instances, id, first()));
      turn = mine.catch(() => {});
      return mine;
    },
  };
}

async function userOf(instances: string, id: string, first: number): Promise<number> {
  const known = await userIn(join(instances, id));
  if (known !== undefined) return known;
  const taken = new Set<number>();
  // Folders that are being deleted hold files, too.
  for (const name of await readdir(instances)) {
    const number = await userIn(join(instances, name));
    if (number !== undefined) taken.add(number);
  }
  // Another Weir on this machine gives out numbers of its own: it is to begin elsewhere, and whoever runs already has one.
  for (const number of await usersRunning()) taken.add(number);
  const wanted = (await numberIn(join(instances, next))) ?? first + (await beginningOf(instances));
  const start = wanted >= first && wanted < first + userCount ? wanted - first : 0;
  const free = Array.from({ length: userCount }, (_, step) => first + ((start + step) % userCount)).find(
    (number) => !taken.has(number),
  );
  if (free === undefined) throw new DriverFailed('NoUser', 'this platform has no user number left for it');
  await writePrivate(join(instances, next), `${free + 1}\n`);
  await writePrivate(join(instances, id, own), `${free}\n`);
  return free;
}

/** Another for each folder of instances. */
async function beginningOf(instances: string): Promise<number> {
  const { dev, ino } = await stat(instances);
  return createHash('sha256').update(`${dev}/${ino}`).digest().readUInt32BE() % userCount;
}

/** The numbers of the users as which anything runs. */
async function usersRunning(): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for (const pid of await allPids()) {
    const [, user] = /^Uid:\t(\d+)/m.exec(await procFile(pid, 'status')) ?? [];
    if (user !== undefined) found.add(Number(user));
  }
  return found;
}

async function numberIn(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^[1-9]\d{3,9}\n?$/.test(text) ? Number(text) : undefined;
}

/** The user to whom the files in a folder belong; nothing where it is not there. */
export async function ownerOf(path: string): Promise<number | undefined> {
  return lstat(path).then(
    ({ uid }) => uid,
    () => undefined,
  );
}

/**
 * Gives all in a folder to a user, the folder itself last, so that its owner tells whether it was done. Nothing of it may run. Links are given, never
 * followed; a file that has another name somewhere stays what it is, because that may be one outside.
 */
export async function giveTo(folder: string, user: number): Promise<void> {
  if ((await ownerOf(folder)) === user) return;
  await giveBelow(folder, user);
  await lchown(folder, user, user);
}

/** Names as the bytes that they are: a flow may give some that are no text. */
async function giveBelow(folder: string | Buffer, user: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
    const path = Buffer.concat([Buffer.from(folder), Buffer.from('/'), entry.name]);
    if (entry.isDirectory()) await giveBelow(path, user);
    const { nlink } = await lstat(path);
    if (entry.isDirectory() || nlink === 1) await lchown(path, user, user);
  }
}

/** Ends all that runs as the user of an instance, whatever it calls itself: for what has no namespace of its own, with which it ends for certain. */
export async function endUser(user: number | undefined): Promise<void> {
  if (user === undefined || process.getuid?.() !== 0) return;
  for (let round = 0; round < mostRounds; round++) {
    const left = await processesOfUser(user);
    if (left.length === 0) return;
    for (const process of left) await signal(process, 'SIGKILL');
    await sleep(betweenRoundsMs);
  }
}

const mostRounds = 100;
const betweenRoundsMs = 20;

async function processesOfUser(user: number): Promise<ProcessId[]> {
  const found: ProcessId[] = [];
  for (const pid of await allPids()) {
    // Before its user is looked at: whoever has its number later is another.
    const began = await beganAt(pid);
    const text = await procFile(pid, 'status');
    if (began !== undefined && text.includes(`\nUid:\t${user}\t`)) found.push({ pid, began });
  }
  return found;
}
