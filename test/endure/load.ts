// The load: workers and an editor that go on until they are held, and go on again.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dice, diceOf } from './dice.ts';
import { createEditor, type Editor } from './editor.ts';
import type { Scene } from './scene.ts';
import { createWorker, type Worker } from './worker.ts';

export interface Load {
  readonly editor: Editor;
  /** Lets nobody begin anything, and waits until everybody has ended what they had begun. */
  pause(): Promise<void>;
  resume(): void;
  /** Does something while the editor keeps its hands off the tree, and others go on. */
  withoutEditor<T>(work: () => Promise<T>): Promise<T>;
  /** Signs everybody in anew, while the load is held: their sessions may have ended. */
  signInAgain(): Promise<void>;
}

/** How many write at once. */
const workerCount = 8;

/** Begins: makes what workers need, and sets them to work. */
export async function startLoad(scene: Scene, seed: string): Promise<Load> {
  const editor = await createEditor(scene, diceOf(`${seed} editor`));
  const everybody = [actor((going) => editor.act(going), diceOf(`${seed} pace`))];
  const workers: Worker[] = [];
  for (let number = 0; number < workerCount; number += 1) {
    const worker = await createWorker(scene, number, diceOf(`${seed} worker ${number}`));
    workers.push(worker);
    everybody.push(actor(() => worker.act(), diceOf(`${seed} pace ${number}`)));
  }
  const [editing] = everybody;
  const pause = async () => {
    await Promise.all(everybody.map((one) => one.hold('all')));
  };
  const resume = () => {
    for (const one of everybody) one.release('all');
  };
  resume();
  return {
    editor,
    pause,
    resume,
    signInAgain: async () => {
      for (const worker of workers) await worker.signInAgain();
    },
    withoutEditor: async (work) => {
      await editing?.hold('editor');
      try {
        // It may have been held with a bad tree written, which nobody would get well from.
        await editor.mend();
        return await work();
      } finally {
        editing?.release('editor');
      }
    },
  };
}

/** Why somebody has to wait. */
type Reason = 'all' | 'editor';

interface Actor {
  hold(reason: Reason): Promise<void>;
  release(reason: Reason): void;
}

/** Somebody who acts again and again, with a little time to think in between. Begins when it is released. */
function actor(act: (going: () => boolean) => Promise<void>, dice: Dice): Actor {
  const reasons = new Set<Reason>(['all']);
  const going = () => reasons.size === 0;
  let running: Promise<void> = Promise.resolve();
  const run = async () => {
    while (going()) {
      // Where nobody answers there is nothing to do but to try again.
      await act(going).catch(() => sleep(100));
      await sleep(dice.below(20));
    }
  };
  return {
    hold: (reason) => {
      reasons.add(reason);
      return running;
    },
    release: (reason) => {
      const was = going();
      reasons.delete(reason);
      if (!was && going()) running = running.then(run);
    },
  };
}
