// The folder of the store: on a disk that is full, and on one that has become read-only.
import {
  cpSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { World } from '../world.ts';
import { type Fault, revive, type Stage, stopInOrder } from './fault.ts';
import { cannotMount, coverReadOnly, mountSmall } from './mounts.ts';
import { goesOnByItself } from './no-room.ts';

/** Room that a small disk has besides what the store needs now. */
const room = 24 << 20;

export const fullDisk: Fault = {
  name: 'a full disk',
  missing: cannotMount,
  inject: async (stage) => {
    const { world, load } = stage;
    await stopInOrder(stage, 'before a full disk');
    await load.pause();
    const before = realpathSync(world.store);
    const small = join(world.folder, 'small');
    const unmount = mountSmall(small, sizeOf(before) + room);
    moveStore(world, before, join(small, 'store'));
    await revive(stage, 'on a small disk');
    const ballast = join(small, 'ballast');
    fill(ballast, small, 64 << 10);
    const took = await goesOnByItself(stage, 'a full disk', async () => rmSync(ballast, { force: true }));
    await stopInOrder(stage, 'after a full disk');
    await load.pause();
    moveStore(world, realpathSync(world.store), before);
    unmount();
    await revive(stage, 'back on the large disk');
    return took;
  },
};

export const readOnlyFolder: Fault = {
  name: 'a store folder made read-only',
  missing: cannotMount,
  inject: async (stage) => {
    const { world, load } = stage;
    const uncover = coverReadOnly(realpathSync(world.store));
    try {
      await world.end('SIGKILL');
      await load.pause();
      await refusesToStart(stage);
    } finally {
      uncover();
    }
    return revive(stage, 'after a read-only folder');
  },
};

async function refusesToStart({ world }: Stage): Promise<void> {
  const { code, stderr } = await world.attempt().ended;
  if (code !== 5 || !stderr.includes(world.store))
    world.blame(`on a read-only folder it ended with ${code}, and not with 5 and where: ${stderr.slice(-500)}`);
}

/** Copies the store, and has the link lead to the copy. */
function moveStore({ store }: World, from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('.sock') });
  symlinkSync(to, `${store}.next`);
  renameSync(`${store}.next`, store);
  rmSync(from, { recursive: true, force: true });
}

function sizeOf(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** Leaves so many bytes free. */
function fill(file: string, folder: string, free: number): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(file, Buffer.alloc(Math.max(0, bavail * bsize - free)));
}
