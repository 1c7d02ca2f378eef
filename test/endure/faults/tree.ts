// What happens to trees: they vanish and come back, are half-written, and are swapped for others.
import { cpSync, existsSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../requests.ts';
import { waitFor } from '../world.ts';
import { type Fault, lookAround, revive, type Stage } from './fault.ts';
import { cannotMount, cover } from './mounts.ts';
import { conditionOf, statusOf } from './told.ts';

export const treeAway: Fault = {
  name: 'the tree away',
  isGentle: true,
  inject: (stage) => gone(stage, () => movedAway(stage)),
};

export const treeUnmounted: Fault = {
  name: 'the tree unmounted',
  isGentle: true,
  missing: cannotMount,
  inject: (stage) => gone(stage, () => cover(realpathSync(stage.world.tree), join(stage.world.folder, 'empty'))),
};

export const startedWithoutTree: Fault = {
  name: 'kill -9 while the tree is away',
  inject: async (stage) =>
    stage.load.withoutEditor(async () => {
      const back = movedAway(stage);
      await stage.world.end('SIGKILL');
      await revive(stage, 'started without a tree');
      await stage.load.pause();
      back();
      stage.load.resume();
      return untilWell(stage, 'the tree is back');
    }),
};

export const halfWritten: Fault = {
  name: 'a half-written tree',
  isGentle: true,
  inject: (stage) =>
    stage.load.withoutEditor(async () => {
      const { world, load } = stage;
      const text = load.editor.text();
      const file = join(world.tree, 'edited.yaml');
      // Cut off within the last document, so that nobody can take it for a whole one.
      writeFileSync(file, text.slice(0, text.lastIndexOf('{') + 5));
      await noticed(stage, 'a half-written tree', async () => (await errors(stage)) > 0);
      await lookAround(stage, 'with a half-written tree');
      writeFileSync(file, text);
      return untilWell(stage, 'after a half-written tree');
    }),
};

export const treeSwapped: Fault = {
  name: 'another tree by a swapped link',
  isGentle: true,
  inject: (stage) =>
    stage.load.withoutEditor(async () => {
      const { world } = stage;
      const before = realpathSync(world.tree);
      const after = before.endsWith('-1') ? join(world.folder, 'tree-2') : join(world.folder, 'tree-1');
      cpSync(before, after, { recursive: true });
      // A mark of its own, so that it can be seen which of both is followed.
      const mark = `swapped-${stage.dice.below(1e9)}`;
      writeFileSync(
        join(after, 'swapped.yaml'),
        `kind: Template\nmetadata: {name: swapped}\nspec: {description: ${mark}}\n`,
      );
      symlinkSync(after, `${world.tree}.next`);
      renameSync(`${world.tree}.next`, world.tree);
      const isFollowed = async () =>
        (await ask(world, 'GET', '/api/v1/templates/swapped')).body?.spec?.description === mark;
      const took = await noticed(stage, 'a swapped tree', isFollowed);
      rmSync(before, { recursive: true, force: true });
      await lookAround(stage, 'after a swap of trees');
      return took;
    }),
};

/** The tree is not there for a while: everything stays as it is. */
function gone(stage: Stage, away: () => () => void): Promise<number> {
  return stage.load.withoutEditor(async () => {
    const back = away();
    try {
      await noticed(stage, 'a tree that is gone', async () => !(await hasSource(stage)));
      await lookAround(stage, 'without a tree');
      await sleep(stage.dice.below(2_000));
    } finally {
      back();
    }
    return untilWell(stage, 'the tree is back');
  });
}

function movedAway({ world }: Stage): () => void {
  const away = `${world.tree}.away`;
  renameSync(world.tree, away);
  return () => {
    if (existsSync(away)) renameSync(away, world.tree);
  };
}

async function untilWell(stage: Stage, when: string): Promise<number> {
  return noticed(stage, when, async () => (await hasSource(stage)) && (await errors(stage)) === 0);
}

async function noticed({ world }: Stage, what: string, look: () => Promise<boolean>): Promise<number> {
  const took = await waitFor(() => look().catch(() => false));
  if (took === undefined) world.blame(`${what} was not noticed within a minute`);
  return took ?? Number.POSITIVE_INFINITY;
}

async function hasSource({ world }: Stage): Promise<boolean> {
  return (await conditionOf(world, 'SourceAvailable'))?.status === 'True';
}

async function errors({ world }: Stage): Promise<number> {
  const { findings } = await statusOf(world);
  return findings.filter(({ severity }: { severity: string }) => severity === 'error').length;
}
