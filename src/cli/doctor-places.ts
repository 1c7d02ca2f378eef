// The folders that weir doctor looks at: store, instances and stacks, and the disks that they are on.
import { stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reasonOf } from '../lib/reason-of.ts';
import type { Patient, Place } from './doctor-patient.ts';
import type { Examined } from './examined.ts';
import { nearestThere, requireWritableFolder } from './writable.ts';

/** Looks at each folder, and at each disk once. */
export async function checksOfPlaces(patient: Patient): Promise<readonly Examined[]> {
  const { store, instances } = patient;
  return [
    written('store', 'holds the state', '--store', store),
    written('instances', 'holds one folder an instance', '--instances', instances, store),
    await stacks(patient),
    ...(await disks(patient)),
  ];
}

/** A folder that the server writes in, and makes where it is missing; `above` is one that it makes before. */
function written(name: string, purpose: string, flag: string, { folder, problem }: Place, above?: Place): Examined {
  const what = { name, purpose };
  if (problem !== undefined) return { ...what, state: 'missing', detail: problem };
  try {
    requireWritableFolder(folder);
    return { ...what, ...whatServeMakes(folder, nearestThere(folder), above) };
  } catch (error) {
    const remedy = `let the user of Weir write there, or name another folder with ${flag}`;
    return { ...what, state: 'missing', detail: `${folder} cannot be written: ${reasonOf(error)}`, remedy };
  }
}

/** One level is made without a word; where more is missing, the name may be wrong, or a disk may not be mounted. */
function whatServeMakes(folder: string, there: string, above?: Place): Pick<Examined, 'state' | 'detail' | 'remedy'> {
  if (there === folder) return { state: 'fine', detail: folder };
  const isNext = dirname(folder) === there || dirname(folder) === above?.folder;
  if (isNext) return { state: 'fine', detail: `${folder} (not there yet: weir serve makes it)` };
  const detail = `${folder} is not there, nor is ${dirname(folder)}: weir serve makes both, in ${there}`;
  return { state: 'note', detail, remedy: 'see that the name is right; where a disk is to be there, mount it first' };
}

/** Of the local driver alone: no other looks into that folder. */
async function stacks({ stacks: { folder }, platform, runtimes, from }: Patient): Promise<Examined> {
  const what = { name: 'stacks', purpose: 'holds the runtimes that instances run' };
  if (platform && platform.driver.kind !== 'local')
    return { ...what, state: 'fine', detail: `not needed by the driver ${platform.driver.kind}` };
  const there = await Promise.all(runtimes.map(async (runtime) => await isFolder(join(folder, runtime))));
  const lacks = runtimes.filter((_, index) => !there[index]);
  if (lacks.length > 0) {
    const remedy = lacks.map((runtime) => `weir stacks install ${runtime}`).join('; ');
    return { ...what, state: 'lacking', detail: `${folder} lacks ${lacks.join(', ')}, which ${from} names`, remedy };
  }
  if (runtimes.length > 0) return { ...what, state: 'fine', detail: `${folder}: ${runtimes.join(', ')}` };
  return { ...what, state: 'note', detail: `${folder}: no stack is declared, so that none is needed there` };
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** In bytes: below the first Weir warns, and with less than the second it cannot go on for long. */
const [littleSpace, leastSpace] = [1024 ** 3, 64 * 1024 ** 2];

/** The disk of the store, and of what is elsewhere. */
async function disks({ store, instances, stacks: shelf }: Patient): Promise<readonly Examined[]> {
  const found = new Map<number, { readonly folder: string; readonly names: string[] }>();
  for (const [name, place] of Object.entries({ store, instances, stacks: shelf })) {
    const folder = thereOf(place);
    if (folder === undefined) continue;
    const { dev } = await stat(folder);
    const known = found.get(dev);
    if (known) known.names.push(name);
    else found.set(dev, { folder, names: [name] });
  }
  return Promise.all([...found.values()].map(disk));
}

async function disk({ folder, names }: { readonly folder: string; readonly names: string[] }): Promise<Examined> {
  const { bavail, bsize, ffree, files } = await statfs(folder);
  const free = bavail * bsize;
  const what = { name: 'disk', purpose: `takes ${names.join(', ')}` };
  const inodes = files > 0 && ffree < 10_000 ? `, and only ${ffree} files more` : '';
  const detail = `${Math.floor(free / 1024 ** 2)} MiB free${inodes}`;
  if (free >= littleSpace && inodes === '') return { ...what, state: 'fine', detail };
  const state = free < leastSpace ? 'missing' : 'lacking';
  return { ...what, state, detail, remedy: 'make room on it, or move what it holds' };
}

/** What there is of a folder and the way to it; nothing where that cannot be told, which its own line says. */
function thereOf({ folder }: Place): string | undefined {
  try {
    return nearestThere(folder);
  } catch {
    return undefined;
  }
}
