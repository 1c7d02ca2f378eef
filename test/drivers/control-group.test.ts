// Control groups whose members change while they are looked at: whoever only has the number of one is left alone.
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupProcesses, killGroup } from '../../src/drivers/local/control-group.ts';
import { beganAt } from '../../src/drivers/local/process-table.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const group = suite('a control group');

/** A folder that tells its members as the system does, each time another list. */
function telling(path: string, lists: readonly (readonly number[])[]) {
  const file = join(path, 'cgroup.procs');
  execFileSync('mkfifo', [file]);
  // Whoever reads gets what one writer wrote; the next one comes when that reader is gone.
  const script = lists.map((pids) => `printf '%s\\n' ${pids.join(' ')} > "$0"`).join('; sleep 0.5; ');
  return spawn('/bin/sh', ['-c', script, file], { stdio: 'ignore' });
}

if (process.platform === 'linux')
  group('is killed without whoever has the number of one that left it meanwhile', async () => {
    const folder = temporaryFolder();
    const [other, own] = [1, 2].map(() => spawn('sleep', ['1000'], { stdio: 'ignore' }));
    const [otherPid, ownPid] = [other?.pid ?? 0, own?.pid ?? 0];
    const writer = telling(folder.path, [[otherPid, ownPid], [ownPid], [otherPid, ownPid], [ownPid]]);
    try {
      assert.equal(
        (await groupProcesses(folder.path)).map(({ pid }) => pid),
        [ownPid],
      );
      const ended = new Promise((resolve) => own?.once('exit', resolve));
      await killGroup(folder.path);
      await ended;
      assert.ok(await beganAt(otherPid));
    } finally {
      for (const child of [other, own, writer]) child?.kill('SIGKILL');
      await folder.remove();
    }
  });

group.run();
