// timeout: 400
// Power is lost at every call of a small workload, in every way that a disk can lose what was not synced.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Call, createFaultDisk, type FaultDisk, type Loss, losses } from '../support/fault-file-system.ts';
import { batches, judge, type Moment, momentsOf, openOn, type Step } from './workload.ts';

/** A disk as it was found after a crash, and how many commits had been acknowledged until then. */
interface Found {
  readonly disk: FaultDisk;
  readonly acked: number;
  readonly where: string;
}

const plan = batches(14);
const steps: readonly Step[] = plan.flat();

const crash = suite('a crash of the file store');

crash(
  'at any call, whatever the disk loses, leaves a prefix of history that holds all that was acknowledged',
  async () => {
    const moments = await momentsOf(steps);
    const { found, calls } = await sweep(createFaultDisk(), losses);
    assert.ok(
      calls.some((call) => call.startsWith('rename snapshot-')) && calls.some((call) => call.startsWith('unlink')),
    );
    assert.equal(await failures(found, moments), []);
    console.log(`${calls.length} crash points, ${found.length} disks`);
  },
);

crash('while it starts again after a crash leaves the same', async () => {
  const moments = await momentsOf(steps);
  const { found } = await sweep(createFaultDisk(), ['prefix', 'some', 'zeros']);
  const chosen = found.filter((_, index) => index % 29 === 0);
  let count = 0;
  for (const { disk, acked, where } of chosen) {
    const again: Found[] = [];
    const stop = watch(disk, ['none', 'some', 'prefix'], (at, how) => {
      again.push({ disk: how, acked, where: `${where}, then ${at}` });
    });
    const store = await openOn(disk);
    stop();
    await store.close();
    count += again.length;
    assert.equal(await failures(again, moments), []);
  }
  assert.ok(count > 100);
});

crash('of the process alone, and of the power after its next start, leaves all that this start has shown', async () => {
  const moments = await momentsOf(steps);
  const killed: { disk: FaultDisk; where: string }[] = [];
  const disk = createFaultDisk();
  await sweep(disk, [], ({ number, name, path }) => {
    killed.push({ disk: disk.killed(), where: `${number}: ${name} ${path}` });
    return undefined;
  });
  const found: Found[] = [];
  for (const { disk, where } of killed) {
    const store = await openOn(disk);
    const shown = Number(store.read().position);
    found.push({ disk: disk.lost('none', 1), acked: shown, where: `${where}, then at once` });
    for (const [index, { id, transaction }] of steps.slice(shown).entries()) {
      const { position } = await store.commit(transaction, { id });
      if (index % 5 === 0)
        found.push({ disk: disk.lost('none', 1), acked: Number(position), where: `${where}, then later` });
    }
    found.push({ disk: disk.lost('none', 1), acked: steps.length, where: `${where}, then at the end` });
    await store.close();
  }
  assert.equal(await failures(found, moments), []);
});

crash('at any call of the first start leaves a folder that opens, with a key that is whole', async () => {
  const disk = createFaultDisk();
  const found: Found[] = [];
  const calls: string[] = [];
  const stop = watch(disk, losses, (where, lost) => found.push({ disk: lost, acked: 0, where }), undefined, calls);
  const killed: FaultDisk[] = [];
  const keep = disk.before;
  disk.before = (call) => {
    killed.push(disk.killed());
    return keep(call);
  };
  const store = await openOn(disk);
  stop();
  await store.close();
  for (const name of ['write secret.key.tmp', 'datasync secret.key.tmp', 'rename secret.key.tmp'])
    assert.ok(calls.includes(name), name);
  for (const [index, left] of killed.entries())
    found.push({ disk: left, acked: 0, where: `killed at call ${index + 1}` });
  assert.equal(await failures(found, await momentsOf(steps)), []);
});

crash('is judged: a key that is never synced is found out', async () => {
  const { found } = await sweep(createFaultDisk(), ['none', 'zeros'], ({ name, path }) =>
    name === 'datasync' && path.includes('secret.key') ? 'forget' : undefined,
  );
  assert.ok((await failures(found, await momentsOf(steps))).length > 0);
});

crash('is judged: an acknowledgement before its fdatasync is found out', async () => {
  const disk = createFaultDisk();
  const { found } = await sweep(disk, ['none', 'some'], ({ name, path }) =>
    name === 'datasync' && path.includes('journal-') ? 'forget' : undefined,
  );
  const wrong = await failures(found, await momentsOf(steps));
  assert.ok(wrong.some((problem) => /commits were acknowledged and \d+ found/.test(problem)));
});

crash('is judged: a folder that is never synced is found out', async () => {
  const { found } = await sweep(createFaultDisk(), ['none', 'some'], ({ name }) =>
    name === 'syncFolder' ? 'forget' : undefined,
  );
  assert.ok((await failures(found, await momentsOf(steps))).length > 0);
});

crash('is judged: a snapshot or record segment that is never synced is found out', async () => {
  for (const part of ['snapshot-', 'history-']) {
    const { found } = await sweep(createFaultDisk(), ['none', 'zeros'], ({ name, path }) =>
      name === 'datasync' && path.includes(part) ? 'forget' : undefined,
    );
    assert.ok((await failures(found, await momentsOf(steps))).length > 0, part);
  }
});

crash.run();

/** Runs the workload in two sessions, and keeps what each loss would leave at each call. */
async function sweep(
  disk: FaultDisk,
  ways: readonly Loss[],
  fault: (call: Call) => 'forget' | undefined = () => undefined,
): Promise<{ found: Found[]; calls: string[] }> {
  const found: Found[] = [];
  const calls: string[] = [];
  let acked = 0;
  const stop = watch(disk, ways, (where, lost) => found.push({ disk: lost, acked, where }), fault, calls);
  for (const session of [plan.slice(0, 9), plan.slice(9)]) {
    const store = await openOn(disk);
    for (const batch of session) {
      const receipts = batch.map(({ id, transaction }) =>
        store.commit(transaction, { id }).then(({ position }) => {
          acked = Math.max(acked, Number(position));
        }),
      );
      await Promise.all(receipts);
    }
    await store.close();
  }
  for (const loss of ways) found.push({ disk: disk.lost(loss, 1), acked, where: `the end, ${loss}` });
  stop();
  assert.is(acked, steps.length);
  return { found, calls };
}

/** Calls `keep` before each call that a disk gets, with what each loss would leave then. */
function watch(
  disk: FaultDisk,
  ways: readonly Loss[],
  keep: (where: string, lost: FaultDisk) => void,
  fault: (call: Call) => 'forget' | undefined = () => undefined,
  calls: string[] = [],
): () => void {
  disk.before = (call) => {
    const where = `${call.name} ${call.path.replace(/.*\//, '')}`;
    calls.push(where);
    for (const loss of ways) keep(`${call.number}: ${where}, ${loss}`, disk.lost(loss, call.number));
    return fault(call);
  };
  return () => {
    disk.before = () => undefined;
  };
}

async function failures(found: readonly Found[], moments: readonly Moment[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { disk, acked, where } of found) {
    const problem = await judge(disk, steps, moments, acked);
    if (problem !== undefined) problems.push(`${where}: ${problem}`);
  }
  return problems;
}
