// The client that edits the tree, well and badly, while the server follows it.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from './dice.ts';
import type { Attempt } from './oracle.ts';
import { ask } from './requests.ts';
import type { Scene } from './scene.ts';
import { editedText, spoiled } from './tree.ts';
import { patienceMs } from './world.ts';

export interface Editor {
  /** Makes an edit and waits until the server took or refused it; leaves off where `going` says no, and goes on there next time. */
  act(going: () => boolean): Promise<void>;
  /** Writes the good text of now, and waits until the server has it. */
  mend(): Promise<void>;
  /** How many edits were taken, and how many refused. */
  readonly edits: { taken: number; refused: number };
  /** The text of the file as it should be. */
  text(): string;
}

export const editedKey = 'Tree/edited';

interface State {
  mark: number;
  /** An edit that was written and not seen yet. */
  pending: Attempt | undefined;
  isSpoiled: boolean;
}

/** Makes the editor of a tree whose server runs already. */
export async function createEditor(scene: Scene, dice: Dice): Promise<Editor> {
  const { world, oracle } = scene;
  const state: State = { mark: 0, pending: oracle.begin(editedKey, shapeOf(0)), isSpoiled: false };
  const edits = { taken: 0, refused: 0 };
  const always = () => true;

  function put(text: string): void {
    const file = join(world.tree, 'edited.yaml');
    if (dice.percent(50)) {
      writeFileSync(file, text);
      return;
    }
    // As editors do that want no reader to see half of it.
    const draft = join(world.tree, '.edited.yaml.swp');
    writeFileSync(draft, text);
    renameSync(draft, file);
  }

  /** Waits for something on the server, as long as the run goes on. */
  async function until(what: string, look: () => Promise<boolean>, going: () => boolean): Promise<boolean> {
    for (const begun = performance.now(); performance.now() - begun < patienceMs; await sleep(100)) {
      if (!going()) return false;
      if (await look().catch(() => false)) return true;
    }
    world.blame(`${what} was not seen within ${patienceMs / 1000} s`);
    return false;
  }

  const isRefused = async () => {
    const { body } = await ask(world, 'GET', '/api/v1/admin/config');
    return body.findings.some(({ severity }: { severity: string }) => severity === 'error');
  };

  async function finish(going: () => boolean): Promise<void> {
    if (state.isSpoiled) {
      put(editedText(String(state.mark)));
      state.isSpoiled = false;
    }
    if (!state.pending) return;
    const wanted = shapeOf(state.mark).stack;
    const seen = async () => (await ask(world, 'GET', '/api/v1/stacks/edited')).body?.spec?.label === wanted;
    if (!(await until(`the edit ${wanted} of the tree`, seen, going))) return;
    state.pending.kept();
    state.pending = undefined;
    edits.taken += 1;
  }

  async function edit(going: () => boolean): Promise<void> {
    state.mark += 1;
    state.pending = oracle.begin(editedKey, shapeOf(state.mark));
    put(editedText(String(state.mark)));
    await finish(going);
  }

  async function spoil(going: () => boolean): Promise<void> {
    const why = dice.of(Object.keys(spoiled));
    state.isSpoiled = true;
    put(spoiled[why]?.(`refused-${state.mark}`) ?? '');
    if (!(await until(`the refusal of a tree with ${why}`, isRefused, going))) return;
    oracle.tally.refused += 1;
    edits.refused += 1;
    put(editedText(String(state.mark)));
    state.isSpoiled = false;
    await until(`the recovery from a tree with ${why}`, async () => !(await isRefused()), going);
  }

  await finish(always);
  return {
    edits,
    text: () => editedText(String(state.mark)),
    act: async (going) => {
      if (state.pending || state.isSpoiled) await finish(going);
      else if (dice.percent(60)) await edit(going);
      else await spoil(going);
      if (going()) await sleep(200);
    },
    mend: async () => {
      await finish(always);
      await until('the recovery of the tree', async () => !(await isRefused()), always);
    },
  };
}

function shapeOf(mark: number): { readonly stack: string; readonly template: string } {
  return { stack: String(mark), template: String(mark) };
}
