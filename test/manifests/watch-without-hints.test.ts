// Following a tree without hints, and while somebody never stops writing.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { realTiming, type Timing } from '../../src/manifests/settle.ts';
import { isMissing, type Tree } from '../../src/manifests/tree.ts';
import type { WatchOptions } from '../../src/manifests/watch.ts';
import { followed, following, stack, start, told } from '../support/follow-tree.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/** Long waits pass at a fifth of their length. The clock moves by what is waited alone, so that a busy machine changes nothing. */
function swift(speed = 40): Timing {
  let passed = 0;
  return {
    now: () => passed,
    async wait(milliseconds, signal) {
      await realTiming.wait(milliseconds >= 500 ? milliseconds / 5 : milliseconds, signal);
      passed += milliseconds * speed;
    },
  };
}

const polls = suite('watch: sees by polling');
const silent: NonNullable<WatchOptions['arm']> = () => ({ close: async () => {} });

polls('what no hint told, within the interval', async () => {
  await following(start, { arm: silent, pollSeconds: 1, timing: swift() }, async ({ root, becomes, triggers }) => {
    writeFileSync(join(root, 'stacks/a.yaml'), stack('two'));
    await becomes('two');
    appendFileSync(join(root, 'stacks/a.yaml'), `---\n${stack('three')}`);
    await becomes('two three');
    assert.equal(triggers().slice(1), ['poll', 'poll']);
  });
});

polls('what armed hints missed, and arms them again, so that they tell of the next change', async () => {
  const armed: { readonly root: string; isOpen: boolean; hint(): void }[] = [];
  const arm: WatchOptions['arm'] = (root, { onEvent }) => {
    const one = { root, isOpen: true, hint: onEvent };
    armed.push(one);
    return {
      close: async () => {
        one.isOpen = false;
      },
    };
  };
  const settings = { arm, pollSeconds: 1, timing: swift() };
  await following(start, settings, async ({ root, becomes, triggers, watching }) => {
    writeFileSync(join(root, 'stacks/a.yaml'), stack('two'));
    await becomes('two');
    await until(() => armed.length === 2);
    assert.equal(
      armed.map((one) => [one.root, one.isOpen]),
      [
        [root, false],
        [root, true],
      ],
    );
    watching.update({ settleMs: 50, pollSeconds: 600 });
    // Each hint counts, and not the first alone.
    for (const name of ['three', 'four']) {
      writeFileSync(join(root, 'stacks/a.yaml'), stack(name));
      armed[1]?.hint();
      await becomes(name);
    }
    assert.equal(triggers().slice(1), ['poll', 'watch', 'watch']);
    assert.is(armed.length, 2, 'hints that told of a change are good');
  });
});

polls('when the system has no watches left, after one warning', async () => {
  const log: string[] = [];
  const arm: WatchOptions['arm'] = (_root, { onTrouble }) => {
    for (let times = 0; times < 3; times += 1)
      setImmediate(() =>
        onTrouble(Object.assign(new Error('ENOSPC: no space left on device, watch'), { code: 'ENOSPC' })),
      );
    return { close: async () => {} };
  };
  await following(
    start,
    { arm, pollSeconds: 1, timing: swift(), log: (line) => log.push(line) },
    async ({ root, becomes }) => {
      writeFileSync(join(root, 'stacks/a.yaml'), stack('two'));
      await becomes('two');
      assert.is(log.length, 1);
      assert.match(log[0] ?? '', /ENOSPC.*every 1 seconds/);
    },
  );
});

polls('and at once when asked, answering what stands there then', async () => {
  await following(start, { arm: silent, pollSeconds: 600 }, async ({ root, watching, becomes }) => {
    writeFileSync(join(root, 'stacks/a.yaml'), stack('two'));
    assert.is(told(await watching.poke()), 'two');
    await becomes('two');
    assert.is(told(await watching.poke()), 'two');
  });
});

polls('under new settings as soon as they are known', async () => {
  await following(start, { arm: silent, pollSeconds: 600 }, async ({ root, watching, becomes }) => {
    await delay(100);
    writeFileSync(join(root, 'stacks/a.yaml'), stack('two'));
    watching.update({ settleMs: 50, pollSeconds: 1 });
    await becomes('two');
  });
});

polls.run();

const noisy = suite('watch: a writer that never stops');

noisy('does not keep the changes of others out, and what it writes is never read half', async () => {
  await following(
    { ...start, 'noise.yaml': stack('noise') },
    { timing: swift() },
    async ({ root, becomes, findings }) => {
      let turn = 0;
      const writer = setInterval(
        () => writeFileSync(join(root, 'noise.yaml'), turn++ % 3 === 0 ? '' : stack('noise')),
        20,
      );
      try {
        appendFileSync(join(root, 'stacks/a.yaml'), `---\n${stack('two')}`);
        await becomes('noise one two');
        appendFileSync(join(root, 'stacks/a.yaml'), `---\n${stack('three')}`);
        await becomes('noise one two three');
      } finally {
        clearInterval(writer);
      }
      writeFileSync(join(root, 'noise.yaml'), stack('silence'));
      await becomes('silence one two three');
      assert.equal(findings(), []);
    },
  );
});

noisy('deletes nothing that may have moved into its file, and says why', async () => {
  await following({ ...start, 'noise.yaml': stack('noise') }, { timing: swift() }, async ({ root, becomes, last }) => {
    const writer = setInterval(() => writeFileSync(join(root, 'noise.yaml'), stack('noise')), 20);
    try {
      writeFileSync(join(root, 'stacks/a.yaml'), '# moved\n');
      await becomes('noise');
      const tree = last();
      const [finding] = isMissing(tree) ? [] : tree.findings;
      assert.match(
        finding?.message ?? '',
        /nor whether Stack\/one moved into it be told, because it is written without pause/,
      );
      assert.is(finding?.source?.file, 'noise.yaml');
      writeFileSync(join(root, 'stacks/a.yaml'), stack('one'));
      await becomes('noise one');
      const mended = last();
      assert.equal(isMissing(mended) ? [] : mended.findings, []);
    } finally {
      clearInterval(writer);
    }
  });
});

noisy('that was there from the start is an error, until it stops', async () => {
  const root = join(temporaryFolder().path, 'config');
  await writeFiles(root, start);
  const writer = setInterval(() => writeFileSync(join(root, 'noise.yaml'), stack('noise')), 20);
  await followed(root, { timing: swift() }, async ({ becomes, findings }) => {
    assert.is(findings().length, 1);
    clearInterval(writer);
    await becomes('noise one');
  }).finally(() => clearInterval(writer));
});

noisy('of ever new files has each of them taken up once it stands still, without an error', async () => {
  await following(start, { timing: swift(200) }, async ({ root, last, findings }) => {
    let turn = 0;
    const writer = setInterval(() => writeFileSync(join(root, `n${turn++}.yaml`), '# new\n'), 20);
    const isTaken = () => !isMissing(last()) && (last() as Tree).files.has('n40.yaml');
    await until(isTaken).finally(() => clearInterval(writer));
    assert.equal(findings(), []);
  });
});

noisy.run();
