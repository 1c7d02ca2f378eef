// timeout: 900
// What a flow that escapes from its function node reads, reaches and leaves behind, by level of isolation: with real runtimes, as root and not.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { boundsHere } from '../../src/drivers/local/control-group.ts';
import { isolationAt } from '../../src/drivers/local/isolation/isolation.ts';
import type { IsolationSetting } from '../../src/drivers/local/isolation/level.ts';
import { debian, suiteWith } from '../support/debian.ts';
import { runCommand } from '../support/run-command.ts';
import { runtimes, stacksWith } from '../support/stacks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { localWorld, never, reasonOf, runOf } from './local-world.ts';

const commands = debian(['bubblewrap', 'util-linux'], ['bwrap', 'setpriv']);
const isolated = suiteWith(commands, 'isolation');
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

/** What is true of a runtime that nothing keeps from anything, and runs as the user of Weir. */
const everything = [
  'reads the store',
  'lists the store',
  'lists the instances',
  'reads the token of another',
  'reads the flows of another',
  'writes the home of another',
  'reads its own token',
  'writes its own record',
  'plants a link beside its home',
  'changes its settings',
  'changes the runtime',
  'reads /etc/shadow',
  'sees processes of the machine',
  'reads the variables of Weir',
  'reads the variables of another',
  'opens the memory of another',
  'signals Weir',
  'signals another',
  'makes a user namespace',
  'is root',
  'leaves files in /tmp',
];

/** What a runtime needs, or what no level keeps from it. */
const always = [
  'has its variables',
  'writes its home',
  'writes /tmp',
  'starts what outlives it',
  'resolves names',
  'is served the flows of another',
  'reaches what listens on the loopback',
];

const ofRoot = ['changes the runtime', 'reads /etc/shadow', 'is root'];

/** What succeeds beyond that, by level and by who runs Weir. */
const served: Readonly<Record<string, readonly string[]>> = {
  'none as root': everything,
  'none as somebody': everything.filter((name) => !ofRoot.includes(name)),
  'user as root': ['sees processes of the machine', 'makes a user namespace', 'leaves files in /tmp'],
  'bwrap as root': [],
  'bwrap as somebody': [],
};

for (const [name, expected] of Object.entries(served)) {
  const [level = '', who] = name.split(/ as /);
  if (!isRoot && who === 'root') continue;
  isolated(`"${name}" serves an attack from a flow these things, and no other`, async () => {
    const stacks = await stacksWith(runtimes.five);
    const folder = openFolder(who === 'somebody' && isRoot ? nobody : undefined);
    try {
      const attack = [resolve(import.meta.dirname, 'attack.ts'), folder, level, stacks, runtimes.five];
      const as = ['--reuid', `${nobody}`, '--regid', `${nobody}`, '--clear-groups', '--', process.execPath];
      const [file, args] =
        who === 'somebody' && isRoot ? [commands?.setpriv ?? '', [...as, ...attack]] : [process.execPath, attack];
      const env = { PATH: process.env.PATH, WEIR_SECRET_X: 'attack-canary', TMPDIR: '/tmp' };
      const { code, stdout, stderr } = await runCommand(file, args, { env, cwd: folder });
      assert.is(code, 0, stderr);
      const { inside, outside, isMetered, isFound, again, isKept, left } = JSON.parse(stdout);
      const got = Object.entries({ ...inside, ...outside }).flatMap(([what, served]) => (served ? [what] : []));
      assert.equal(got.sort(), [...always, ...expected].sort());
      // Namespaces and users change nothing of what Weir itself can do.
      assert.equal(
        { isMetered, isFound, again, isKept },
        { isMetered: true, isFound: true, again: true, isKept: true },
      );
      assert.is(left, 0, 'nothing of it runs when it was stopped');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

isolated('takes the strongest level that works, and says what is missing for one that is stronger', async () => {
  const folder = openFolder();
  try {
    const found = await isolationIn(folder, 'auto', false).inForce();
    assert.equal([found.level, found.reason], ['bwrap', 'Namespace']);
    assert.match(found.message, 'No control group bounds their memory and processes');
    const bounds = await boundsHere('0');
    const bounded = await isolationIn(folder, 'auto').inForce();
    assert.is(bounded.reason, bounds.size === 2 ? 'Cgroup' : 'Namespace');
    if (bounds.size === 2) assert.match(bounded.message, 'Control groups bound their memory and processes');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

isolated(
  'refuses to start an instance where the level that is written cannot be had, and says what to do',
  async () => {
    // In a folder through which only its owner gets, no other user can run anything.
    const folder = temporaryFolder();
    const instances = join(folder.path, 'store', 'instances');
    const world = await localWorld({ instances, isolation: () => ({ isolation: 'user', firstUserId: 300_000 }) });
    try {
      const { reason, message } = await reasonOf(world.driver.runner.start(runOf('a'), never));
      assert.is(reason, 'NoIsolation');
      assert.match(
        message,
        isRoot ? /(?:is|are) closed to other users: install bubblewrap/ : /Weir does not run as root/,
      );
      const { level, refuses } = await world.driver.isolation.inForce();
      assert.equal([level, refuses], ['none', true]);
    } finally {
      await world.close();
      await folder.remove();
    }
  },
);

isolated('opens no folder but that of the instances, and names all that are closed', async () => {
  if (!isRoot) return;
  const folder = openFolder();
  const [data, other] = [join(folder, 'data'), join(folder, 'my stacks')];
  const instances = join(data, 'instances');
  try {
    mkdirSync(join(other, 'stacks'), { recursive: true });
    mkdirSync(instances, { recursive: true });
    for (const closed of [data, other, join(other, 'stacks'), instances]) chmodSync(closed, 0o700);
    const modes = () => [data, other, join(other, 'stacks')].map((path) => statSync(path).mode & 0o777);
    const isolation = isolationAt({
      ...{ instances, stacks: () => join(other, 'stacks'), node: process.execPath, controlGroups: false },
      setting: () => ({ isolation: 'user', firstUserId: 300_000 }),
    });
    const { level, message } = await isolation.inForce();
    assert.equal(modes(), [0o700, 0o700, 0o700]);
    assert.is(level, 'none');
    assert.match(message, `${data} and ${other} and ${other}/stacks are closed to other users`);
    assert.match(message, `chmod o+x ${data} '${other}' '${other}/stacks'`);
    for (const closed of [data, other, join(other, 'stacks')]) chmodSync(closed, 0o711);
    // What was found is held on to for a minute.
    const after = isolationAt({
      ...{ instances, stacks: () => join(other, 'stacks'), node: process.execPath, controlGroups: false },
      setting: () => ({ isolation: 'user', firstUserId: 300_000 }),
    });
    assert.equal((await after.inForce()).level, 'user');
    assert.is(statSync(instances).mode & 0o777, 0o711);
    for (const closed of [data, instances]) chmodSync(closed, 0o700);
    const ofStore = isolationAt({
      ...{ instances, store: data, stacks: () => join(other, 'stacks'), node: process.execPath, controlGroups: false },
      setting: () => ({ isolation: 'user', firstUserId: 300_000 }),
    });
    assert.equal((await ofStore.inForce()).level, 'user');
    assert.equal(modes(), [0o711, 0o711, 0o711], 'the store is its own');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

isolated(
  'gives each instance a user of its own, and nobody the number of another, also beside another Weir',
  async () => {
    if (!isRoot) return;
    const isolation = () => ({ isolation: 'bwrap', firstUserId: 300_000 }) as const;
    const [world, beside] = [await localWorld({ isolation }), await localWorld({ isolation })];
    try {
      const { runner } = world.driver;
      const userOf = (id: string) => Number(readFileSync(world.at(id, 'user'), 'utf8'));
      for (const id of ['a', 'b']) await runner.start(runOf(id), never);
      const [first, second] = [userOf('a'), userOf('b')];
      assert.ok(first >= 300_000 && first < 360_000 && second !== first, `${first} ${second}`);
      // As if both began at the same number.
      mkdirSync(beside.instances, { recursive: true });
      writeFileSync(join(beside.instances, '.next-user'), `${first}\n`);
      await beside.driver.runner.start(runOf('a'), never);
      assert.not([first, second].includes(Number(readFileSync(beside.at('a', 'user'), 'utf8'))));
      await runner.remove('b');
      await runner.start(runOf('c'), never);
      await runner.stop('a');
      await runner.start(runOf('a'), never);
      assert.is(userOf('a'), first);
      assert.not([first, second].includes(userOf('c')));
      assert.is((await beside.driver.runner.running()).has('a'), true);
    } finally {
      await world.close();
      await beside.close();
    }
  },
);

isolated('takes over what an older Weir left, also what belongs to root', async () => {
  const world = await localWorld();
  try {
    await world.driver.runner.start(runOf('a'), never);
    await world.driver.runner.stop('a');
    writeFileSync(world.at('a', 'home/flows.json'), '[]', { mode: 0o600 });
    const now = world.again({ isolation: () => ({ isolation: 'bwrap', firstUserId: 300_000 }) });
    await now.runner.start(runOf('a'), never);
    assert.is((await now.runner.running()).has('a'), true);
    await now.files.put('a', 'img/x.svg', Buffer.from('<svg/>'), () => {});
    await now.runner.stop('a');
  } finally {
    await world.close();
  }
});

isolated('keeps variables of an instance from acting before it has become its user', async () => {
  const world = await localWorld({ isolation: () => ({ isolation: 'bwrap', firstUserId: 300_000 }) });
  try {
    const environment = [{ name: 'GREETING', value: 'from-the-instance' }];
    await world.driver.runner.start({ ...runOf('a'), environment }, never);
    const record = JSON.parse(readFileSync(world.at('a', 'run.json'), 'utf8'));
    assert.not.match(readFileSync(`/proc/${record.init.pid}/environ`, 'latin1'), 'from-the-instance');
    assert.is(world.seenBy('a').env.GREETING, 'from-the-instance');
  } finally {
    await world.close();
  }
});

isolated.run();

function isolationIn(folder: string, isolation: IsolationSetting['isolation'], controlGroups = true) {
  return isolationAt({
    instances: join(folder, 'instances'),
    stacks: () => join(folder, 'stacks'),
    node: process.execPath,
    setting: () => ({ isolation, firstUserId: 300_000 }),
    controlGroups,
  });
}

/** A folder that others get to; a test's own is closed to them. */
function openFolder(owner?: number): string {
  const folder = mkdtempSync('/tmp/weir-isolation-');
  chmodSync(folder, 0o755);
  if (owner !== undefined) chownSync(folder, owner, owner);
  return folder;
}
