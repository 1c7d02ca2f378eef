// Somebody edits the tree all the time: an edit that is whole is applied while the others go on.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../requests.ts';
import { patienceMs, type World, waitFor } from '../world.ts';
import { type Fault, lookAround } from './fault.ts';
import { statusOf } from './told.ts';

/** How many files are edited. */
const files = 6;

export const busyTree: Fault = {
  name: 'a busy tree',
  isGentle: true,
  inject: (stage) =>
    stage.load.withoutEditor(async () => {
      const { world, dice } = stage;
      const mark = `marked-${dice.below(1e9)}`;
      const last = new Map<string, string>();
      const put = (name: string, text: string) => {
        writeFileSync(join(world.tree, `${name}.yaml`), documentOf(name, text));
        last.set(name, text);
      };
      let busy = true;
      let edits = 0;
      const editing = (async () => {
        for (; busy; await sleep(20 + dice.below(41))) {
          edits += 1;
          put(`busy-${dice.below(files)}`, `${mark}-${edits}`);
        }
      })();
      try {
        await sleep(1_000);
        put('busy-marker', mark);
        const took = await waitFor(() => shows(world, 'busy-marker', mark));
        // Right after the limit is late, and not never.
        if (took === undefined && !(await shows(world, 'busy-marker', mark)))
          world.blame(
            `an edit was not applied within ${patienceMs / 1_000} s, while others went on: ${await toldOf(world)}`,
          );
        await sleep(Math.max(0, 3_000 - (took ?? 0)));
      } finally {
        busy = false;
        await editing;
      }
      const settled = await waitFor(async () => {
        for (const [name, text] of last) if (!(await shows(world, name, text))) return false;
        return true;
      });
      if (settled === undefined) world.blame(`the last of ${edits} edits were not applied: ${await toldOf(world)}`);
      await lookAround(stage, 'after a busy tree');
      return settled ?? Number.POSITIVE_INFINITY;
    }),
};

function documentOf(name: string, text: string): string {
  return `kind: Template\nmetadata: {name: ${name}}\nspec: {description: ${text}}\n`;
}

async function shows(world: World, name: string, text: string): Promise<boolean> {
  const { body } = await ask(world, 'GET', `/api/v1/templates/${name}`);
  return body?.spec?.description === text;
}

async function toldOf(world: World): Promise<string> {
  return JSON.stringify(await statusOf(world).catch(String), undefined, 2);
}
