// Following a tree on a real disk: every way in which editors, git and Kubernetes change files.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isMissing } from '../../src/manifests/tree.ts';
import { followed, following, manifest, stack, start } from '../support/follow-tree.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const edits = suite('watch: sees by hints');

edits('a file written in place', async () => {
  await following(start, {}, async ({ root, becomes }) => {
    writeFileSync(join(root, 'stacks/a.yaml'), stack('two'));
    await becomes('two');
  });
});

edits('a file replaced by a rename', async () => {
  await following(start, {}, async ({ root, becomes }) => {
    writeFileSync(join(root, 'stacks/.a.tmp'), stack('two'));
    renameSync(join(root, 'stacks/.a.tmp'), join(root, 'stacks/a.yaml'));
    await becomes('two');
  });
});

edits('the backup dance of vim, twice', async () => {
  await following(start, {}, async ({ root, becomes }) => {
    for (const name of ['two', 'three']) {
      const file = join(root, 'stacks/a.yaml');
      writeFileSync(join(root, 'stacks/4913'), '');
      unlinkSync(join(root, 'stacks/4913'));
      renameSync(file, `${file}~`);
      writeFileSync(file, stack(name));
      unlinkSync(`${file}~`);
      await becomes(name);
    }
  });
});

edits('sed -i', async () => {
  await following(start, {}, async ({ root, becomes }) => {
    execFileSync('sed', ['-i', 's/one/two/', join(root, 'stacks/a.yaml')]);
    await becomes('two');
  });
});

edits('files that come and go, and folders with them', async () => {
  await following(start, {}, async ({ root, becomes }) => {
    mkdirSync(join(root, 'more/deep'), { recursive: true });
    writeFileSync(join(root, 'more/deep/b.yaml'), stack('two'));
    await becomes('two one');
    writeFileSync(join(root, 'more/deep/c.yaml'), stack('three'));
    await becomes('two three one');
    rmSync(join(root, 'more'), { recursive: true });
    await becomes('one');
  });
});

edits('a Kubernetes volume swapped twice', async () => {
  const first = { '..2026_1/weir.yaml': manifest, '..2026_1/a.yaml': stack('one') };
  const links = { '..data': '..2026_1', 'weir.yaml': '..data/weir.yaml', 'a.yaml': '..data/a.yaml' };
  await following(first, { links }, async ({ root, becomes }) => {
    for (const [number, name] of [
      ['2', 'two'],
      ['3', 'three'],
    ] as const) {
      await writeFiles(root, { [`..2026_${number}/weir.yaml`]: manifest, [`..2026_${number}/a.yaml`]: stack(name) });
      symlinkSync(`..2026_${number}`, join(root, '..data_tmp'));
      renameSync(join(root, '..data_tmp'), join(root, '..data'));
      rmSync(join(root, `..2026_${Number(number) - 1}`), { recursive: true });
      await becomes(name);
    }
  });
});

edits('a link to the root turned twice, with the tree in a folder of what it names', async () => {
  const folder = temporaryFolder().path;
  for (const name of ['one', 'two', 'three'])
    await writeFiles(join(folder, 'trees', name, 'config'), { 'weir.yaml': manifest, 'a.yaml': stack(name) });
  symlinkSync('trees/one', join(folder, 'current'));
  await followed(join(folder, 'current/config'), {}, async ({ becomes }) => {
    for (const name of ['two', 'three']) {
      symlinkSync(`trees/${name}`, join(folder, 'next'));
      renameSync(join(folder, 'next'), join(folder, 'current'));
      await becomes(name);
    }
    writeFileSync(join(folder, 'trees/three/config/a.yaml'), stack('four'));
    await becomes('four');
  });
});

edits('the root removed and made again, twice', async () => {
  await following(start, {}, async ({ root, becomes }) => {
    for (const name of ['two', 'three']) {
      rmSync(root, { recursive: true });
      await becomes('missing: folder');
      await writeFiles(root, { 'weir.yaml': manifest, 'a.yaml': stack(name) });
      await becomes(name);
    }
  });
});

edits('the root swapped by renames', async () => {
  await following(start, {}, async ({ root, becomes }) => {
    await writeFiles(`${root}-next`, { 'weir.yaml': manifest, 'a.yaml': stack('two') });
    renameSync(root, `${root}-old`);
    renameSync(`${root}-next`, root);
    await becomes('two');
    writeFileSync(join(root, 'a.yaml'), stack('three'));
    await becomes('three');
    rmSync(`${root}-old`, { recursive: true });
  });
});

edits('the root that was not there at the start', async () => {
  const root = join(temporaryFolder().path, 'config');
  await followed(root, {}, async ({ becomes }) => {
    await writeFiles(root, start);
    await becomes('one');
    writeFileSync(join(root, 'stacks/a.yaml'), stack('two'));
    await becomes('two');
  });
});

edits('the root manifest removed and written again', async () => {
  await following(start, {}, async ({ root, becomes }) => {
    unlinkSync(join(root, 'weir.yaml'));
    await becomes('missing: weir.yaml');
    writeFileSync(join(root, 'weir.yaml'), manifest);
    await becomes('one');
  });
});

edits('a pipe and a dangling link that appear, without waiting for either', async () => {
  await following(start, {}, async ({ root, becomes, last }) => {
    execFileSync('mkfifo', [join(root, 'stacks/pipe.yaml')]);
    symlinkSync('nothing', join(root, 'stacks/link.yaml'));
    await becomes('one');
    const tree = last();
    assert.equal(isMissing(tree) ? [] : tree.findings.map(({ source }) => source?.file), [
      'stacks/link.yaml',
      'stacks/pipe.yaml',
    ]);
    unlinkSync(join(root, 'stacks/pipe.yaml'));
    unlinkSync(join(root, 'stacks/link.yaml'));
    await becomes('one');
  });
});

edits('what changes beside a link in a circle', async () => {
  await following(start, {}, async ({ root, becomes }) => {
    symlinkSync('circle.yaml', join(root, 'stacks/circle.yaml'));
    await becomes('one');
    writeFileSync(join(root, 'stacks/a.yaml'), stack('two'));
    await becomes('two');
    unlinkSync(join(root, 'stacks/circle.yaml'));
    await becomes('two');
    writeFileSync(join(root, 'stacks/a.yaml'), stack('three'));
    await becomes('three');
  });
});

edits('a public file that a document draws in', async () => {
  const filesOf = () => ['../idp.pem'];
  await following({ ...start, 'idp.pem': 'ONE' }, { filesOf }, async ({ root, becomes, count }) => {
    const before = count();
    writeFileSync(join(root, 'idp.pem'), 'TWO');
    await becomes('one', before + 1);
  });
});

edits('an edit, as it is set up unless told otherwise, long before the poll', async () => {
  await following(start, { settleMs: 200, pollSeconds: 600 }, async ({ root, becomes, triggers }) => {
    writeFileSync(join(root, 'stacks/a.yaml'), stack('two'));
    await becomes('two');
    assert.equal(triggers().slice(1), ['watch']);
  });
});

edits.run();

const once = suite('watch: tells once');

once('of a checkout of many files', async () => {
  await following(start, { settleMs: 1500 }, async ({ root, becomes, count }) => {
    const before = count();
    const names: string[] = [];
    for (let batch = 0; batch < 8; batch += 1) {
      for (let index = 0; index < 50; index += 1) {
        const name = `n${batch}-${String(index).padStart(2, '0')}`;
        names.push(name);
        writeFileSync(join(root, `stacks/${name}.yaml`), stack(name));
      }
      await delay(40);
    }
    await becomes(['one', ...names].join(' '));
    assert.is(count(), before + 1);
  });
});

once('and not at all of what changes nothing', async () => {
  await following(start, {}, async ({ root, count }) => {
    const before = count();
    writeFileSync(join(root, 'stacks/a.yaml'), stack('one'));
    writeFileSync(join(root, 'notes.txt'), 'x');
    writeFileSync(join(root, 'stacks/.a.yaml.swp'), 'x');
    await delay(400);
    assert.is(count(), before);
  });
});

once('and waits until the last change has been dealt with', async () => {
  const busy = { now: 0, most: 0, told: 0 };
  const onChange = async () => {
    busy.now += 1;
    busy.most = Math.max(busy.most, busy.now);
    await delay(150);
    busy.now -= 1;
    busy.told += 1;
  };
  await following(start, { onChange }, async ({ root }) => {
    for (let turn = 0; turn < 6; turn += 1) {
      writeFileSync(join(root, 'stacks/a.yaml'), stack(`n${turn}`));
      await delay(100);
    }
    await until(() => busy.now === 0 && busy.told > 1);
    assert.is(busy.most, 1);
  });
});

once('although what was told threw', async () => {
  const log: string[] = [];
  let calls = 0;
  const onChange = () => {
    calls += 1;
    if (calls === 2) throw new Error('cannot now');
  };
  await following(start, { onChange, log: (line) => log.push(line) }, async ({ root }) => {
    await until(() => calls === 1);
    writeFileSync(join(root, 'stacks/a.yaml'), stack('two'));
    await until(() => calls === 2);
    writeFileSync(join(root, 'stacks/a.yaml'), stack('three'));
    await until(() => calls === 3);
    assert.equal(log, ['the tree could not be followed this time: cannot now']);
  });
});

once.run();
