// timeout: 900
// What an instance may have of memory and processes, and how it tries to get out of what knows it: by level of isolation, with control groups and without.
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { temporaryMb, treeLimitMb } from '../../src/core/instances/memory.ts';
import { taskLimit } from '../../src/core/instances/tasks.ts';
import { boundsHere } from '../../src/drivers/local/control-group.ts';
import { debian, suiteWith } from '../support/debian.ts';
import type { Behaviour } from '../support/fake-runtime.ts';
import { runCommand } from '../support/run-command.ts';

const commands = debian(['bubblewrap', 'util-linux'], ['bwrap', 'setpriv']);
const bounds = suiteWith(commands, 'the bounds of an instance');
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const never = 600_000;

interface Asked {
  readonly who: string;
  readonly behaviour: Behaviour;
  readonly grouped?: boolean;
  /** How often the guard looks. */
  readonly everyMs?: number;
}

const everywhere = ['none as root', 'none as somebody', 'user as root', 'bwrap as root', 'bwrap as somebody'].filter(
  (who) => isRoot || !who.endsWith('root'),
);
const namespaces = everywhere.filter((who) => who.startsWith('bwrap'));

async function triedBy({ who, behaviour, grouped = false, everyMs = never }: Asked) {
  const [level = '', as] = who.split(/ as /);
  const folder = mkdtempSync('/tmp/weir-bounds-');
  chmodSync(folder, 0o755);
  if (as === 'somebody' && isRoot) chownSync(folder, nobody, nobody);
  try {
    const script = resolve(import.meta.dirname, 'bounded.ts');
    const own = [process.execPath, script, folder, level, grouped ? 'grouped' : 'free', behaviour, String(everyMs)];
    const other = ['--reuid', `${nobody}`, '--regid', `${nobody}`, '--clear-groups', '--', ...own];
    const [file = '', ...args] = as === 'somebody' && isRoot ? [commands?.setpriv ?? '', ...other] : own;
    const { code, stdout, stderr } = await runCommand(file, args, { env: { PATH: process.env.PATH }, cwd: folder });
    assert.is(code, 0, stderr);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const who of everywhere.filter((one) => !one.startsWith('none')))
  bounds(`"${who}" starts no more tasks than it may, without a control group too`, async () => {
    const { tasks, other, reasons } = await triedBy({ who, behaviour: 'forks' });
    assert.ok(tasks > 500 && tasks <= taskLimit, String(tasks));
    assert.equal([other, reasons], [true, []]);
  });

for (const who of everywhere.filter((one) => one.startsWith('none')))
  bounds(`"${who}" is ended for more tasks than it may have, where no control group holds it`, async () => {
    const { other, reasons } = await triedBy({ who, behaviour: 'forks', everyMs: 100 });
    assert.equal([other, reasons[0].reason], [true, 'ProcessesExceeded']);
    assert.match(reasons[0].message, /^it had \d+ processes and threads with all that it started, and may have 1024/);
  });

bounds('hold a control group to its tasks, at the level that bounds nothing else', async () => {
  if (!(await boundsHere('1')).has('tasks')) return;
  const { tasks, other, reasons } = await triedBy({ who: 'none as root', behaviour: 'forks', grouped: true });
  assert.ok(tasks > 500 && tasks <= taskLimit, String(tasks));
  assert.equal([other, reasons], [true, []]);
});

for (const behaviour of ['hoards', 'nests'] as const)
  bounds(`let the system end what ${behaviour}, and tell it with the reason of the guard`, async () => {
    if (!(await boundsHere('2')).has('memory')) return;
    // What a child holds the system takes from that child alone; the guard ends the rest.
    const everyMs = behaviour === 'nests' ? 500 : never;
    for (const who of ['none as root', 'user as root', 'bwrap as root']) {
      const { reasons } = await triedBy({ who, behaviour, grouped: true, everyMs });
      assert.is(reasons[0].reason, 'MemoryExceeded', who);
      assert.match(reasons[0].message, /^the system ended it/, who);
    }
  });

for (const who of namespaces) {
  bounds(`"${who}" is ended for what a child holds`, async () => {
    const { reasons } = await triedBy({ who, behaviour: 'nests', everyMs: 100 });
    assert.is(reasons[0].reason, 'MemoryExceeded');
    assert.match(reasons[0].message, /^it held \d+ MiB of memory with all that it started/);
  });

  bounds(`"${who}" is told that its memory for files is full, and is ended for what those hold`, async () => {
    const { reasons, stored } = await triedBy({ who, behaviour: 'stores', everyMs: 500 });
    assert.is(reasons[0].reason, 'MemoryExceeded');
    const total = stored.reduce((sum: number, [, bytes]: [string, number]) => sum + bytes, 0);
    assert.ok(total <= treeLimitMb(96) * 1024 ** 2, String(total));
    for (const [, bytes, code] of stored) {
      assert.is(code, 'ENOSPC');
      assert.ok(bytes > (temporaryMb(96) - 3) * 1024 ** 2, String(bytes));
    }
  });
}

for (const who of everywhere)
  bounds(`"${who}" keeps who takes off all marks and has a parent still`, async () => {
    const found = await triedBy({ who, behaviour: 'lowers' });
    assert.equal(found, { carriesTag: false, isMetered: true, left: 0, reasons: [] });
  });

for (const who of everywhere)
  bounds(`"${who}" ${who.startsWith('none') ? 'loses' : 'keeps'} who takes off all marks and its parent`, async () => {
    const found = await triedBy({ who, behaviour: 'unmarks' });
    // The README says so: nothing is left there that tells it from others.
    const isKept = !who.startsWith('none');
    assert.equal(found, { carriesTag: false, isMetered: isKept, left: isKept ? 0 : 1, reasons: [] });
  });

bounds('keep who takes off all marks and its parent, where there is a control group', async () => {
  if ((await boundsHere('3')).size === 0) return;
  const found = await triedBy({ who: 'none as root', behaviour: 'unmarks', grouped: true });
  assert.equal(found, { carriesTag: false, isMetered: true, left: 0, reasons: [] });
});

bounds.run();
