// Each call that a store makes fails once, in each way that a disk can fail.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NotKept, OutcomeUnknown, Refused, type Store, StoreUnavailable } from '../../src/store/store.ts';
import { type Call, createFaultDisk, type Fault, type FaultDisk } from '../support/fault-file-system.ts';
import { until } from '../support/until.ts';
import { contentOf, counting } from './samples.ts';
import { batches, judge, momentOf, momentsOf, openOn, type Step } from './workload.ts';

const plan = batches(9);
const steps: readonly Step[] = plan.flat();

/** What became of each commit, in order. */
type Outcome = 'kept' | 'not kept' | 'unknown';

const failing = suite('a file store on a disk that fails');

for (const code of ['EIO', 'ENOSPC']) {
  failing(
    `with ${code} at any call keeps all that it acknowledged, and nothing that it said was not kept`,
    async () => {
      const moments = await momentsOf(steps);
      const calls = await countCalls();
      for (let number = 1; number <= calls; number += 1) {
        const disk = createFaultDisk();
        const { outcomes, call } = await run(disk, (call) => (call.number === number ? { code } : undefined));
        const acked = outcomes.lastIndexOf('kept') + 1;
        const where = `${number}: ${call}`;
        assert.not(
          outcomes.slice(0, acked).some((outcome) => outcome !== 'kept'),
          where,
        );
        for (const found of [disk.lost('none', 1), disk.lost('some', number), disk.killed()]) {
          const store = await openOn(found.killed());
          const position = Number(store.read().position);
          const possible = acked + outcomes.filter((outcome) => outcome === 'unknown').length;
          assert.ok(position <= possible, `${where}: ${position} commits are there, and at most ${possible} may be`);
          await store.close();
          assert.is(await judge(found, steps, moments, acked), undefined, where);
        }
      }
    },
  );
}

failing('lets go of every file that it opened, whatever fails', async () => {
  const calls = await countCalls();
  const left: string[] = [];
  for (let number = 0; number <= calls; number += 1) {
    const disk = createFaultDisk();
    const { call } = await run(disk, (call) => (call.number === number ? { code: 'EIO' } : undefined));
    left.push(...disk.open().map((path) => `${path} after ${call}`));
  }
  assert.equal(left, []);
});

failing('that is well again goes on by itself after any call, but for a failed sync', async () => {
  for (const code of ['EIO', 'EMFILE', 'EACCES']) {
    const calls = await countCalls();
    const ends = await Promise.all(Array.from({ length: calls }, (_, index) => afterOneFault(code, index + 1)));
    assert.equal(
      ends.filter((end) => end !== 'goes on').filter((end) => !/^ended by (datasync|syncFolder) /.test(end)),
      [],
    );
    assert.ok(ends.filter((end) => end === 'goes on').length > calls / 2);
  }
});

/** How a store is, a few seconds after one call of its work failed. */
async function afterOneFault(code: string, number: number): Promise<string> {
  const disk = createFaultDisk();
  let [where, end] = ['', ''];
  disk.before = (call) => {
    if (call.number !== number) return undefined;
    where = `${call.name} ${call.path}`;
    return { code };
  };
  const store = await openOn(disk, { onFailure: () => (end = `ended by ${where}`) }).catch(() => undefined);
  // A start may fail: whoever supervises it starts it again.
  if (!store) return 'goes on';
  for (const { id, transaction } of steps) await store.commit(transaction, { id }).catch(() => {});
  const again = () =>
    end !== '' ||
    store.commit(counting('again'), { id: `again-${Math.random()}` }).then(
      () => true,
      () => false,
    );
  await until(`a write is kept after ${code} at ${number}: ${where}`, again);
  await store.close();
  return end === '' ? 'goes on' : end;
}

failing('shows nothing after the next start that a power loss can still take away', async () => {
  const moments = await momentsOf(steps);
  const syncs = await countCalls(({ name, path }) => name === 'datasync' && path.includes('journal'));
  for (let number = 1; number <= syncs; number += 1) {
    const disk = createFaultDisk();
    let seen = 0;
    await run(disk, ({ name, path }) => {
      if (name !== 'datasync' || !path.includes('journal')) return undefined;
      seen += 1;
      return seen === number ? { code: 'EIO' } : undefined;
    });
    const next = disk.killed();
    const store = await openOn(next);
    const shown = Number(store.read().position);
    const after = next.lost('none', number);
    await store.close();
    assert.is(await judge(after, steps, moments, shown), undefined, `sync ${number}`);
  }
});

failing('takes writes that are cut short', async () => {
  const disk = createFaultDisk();
  const { outcomes } = await run(disk, ({ name, number }) =>
    name === 'write' ? { short: 1 + (number % 37) } : undefined,
  );
  assert.ok(outcomes.every((outcome) => outcome === 'kept'));
  assert.is(await judge(disk, steps, await momentsOf(steps), steps.length), undefined);
});

failing('reads what comes in small pieces', async () => {
  const disk = createFaultDisk();
  await run(disk, () => undefined);
  disk.before = ({ name, number }) => (name === 'read' ? { short: 1 + (number % 53) } : undefined);
  const store = await openOn(disk);
  assert.equal(await momentOf(store), (await momentsOf(steps)).at(-1));
  await store.close();
});

failing('is read-only for good after a failed sync, says so once, and tells what it knows', async () => {
  const disk = createFaultDisk();
  const said: string[] = [];
  const failures: string[] = [];
  const store = await openOn(disk, {
    log: (message) => said.push(message),
    onFailure: (reason) => failures.push(reason),
  });
  await store.commit(counting('n'), { id: '1' });
  disk.before = (call) => (call.name === 'datasync' ? { code: 'EIO' } : undefined);
  const written = [store.commit(counting('n'), { id: '2' }), store.commit(counting('n'), { id: '3' })];
  await new Promise((resolve) => setImmediate(resolve));
  const later = store.commit(counting('n'), { id: '4' });
  const idle = store.commit(() => ({ changes: [] }), { id: '5' });
  const refused = store.commit(refuse, { id: '6' });
  const reached = store.reach('head');
  const outcomes = await Promise.all([...written, later, idle, refused, reached].map(reasonOf));
  assert.ok(outcomes.slice(0, 2).every((error) => error instanceof OutcomeUnknown));
  assert.ok(outcomes.slice(2).every((error) => error instanceof NotKept));
  assert.equal(contentOf(store.read()), ['n=1']);
  assert.match(store.health().reason ?? '', /EIO/);
  assert.is(store.health().state, 'read-only');
  assert.is(store.health().goesOn, undefined);
  assert.is(said.length, 1);
  assert.equal(failures, [store.health().reason]);
  const touched: string[] = [];
  disk.before = (call) => {
    if (call.name === 'write' || call.name === 'datasync') touched.push(call.path);
    return undefined;
  };
  assert.instance(await reasonOf(store.commit(counting('n'), { id: '7' })), NotKept);
  assert.instance(await reasonOf(store.commit(counting('n'), { id: '2' })), OutcomeUnknown);
  assert.ok((await store.commit(counting('n'), { id: '1' })).repeated);
  await store.close();
  assert.equal(touched, []);
  assert.is(failures.length, 1);
});

failing('cuts off what a failed write left, keeps nothing for a while, and goes on by itself', async () => {
  const disk = createFaultDisk();
  const said: string[] = [];
  const failures: string[] = [];
  const store = await openOn(disk, {
    log: (message) => said.push(message),
    onFailure: (reason) => failures.push(reason),
  });
  await store.commit(counting('n'), { id: '1' });
  const journal = () => disk.content(disk.paths().find((path) => path.includes('journal')) ?? '')?.toString();
  const before = journal();
  let writes = 0;
  // Some of it reaches the disk, and then no more.
  disk.before = ({ name }) => {
    if (name !== 'write') return undefined;
    writes += 1;
    return writes === 1 ? { short: 20 } : { code: 'EIO' };
  };
  const refused = await Promise.all(['2', '3'].map((id) => reasonOf(store.commit(counting('n'), { id }))));
  assert.ok(refused.every((error) => error instanceof NotKept));
  assert.is(journal(), before);
  const { state, reason, goesOn } = store.health();
  assert.equal([state, goesOn], ['read-only', true]);
  assert.match(reason ?? '', /^the disk of the store takes no writes \(EIO/);
  // Until it was tried no commit reaches the disk.
  const tried = writes;
  assert.instance(await reasonOf(store.commit(counting('n'), { id: '4' })), NotKept);
  assert.is(writes, tried);
  await until(() => writes > tried);
  assert.is(store.health().state, 'read-only');
  disk.before = () => undefined;
  await until(() => store.health().state === 'ready');
  await store.commit(counting('n'), { id: '2' });
  assert.equal(contentOf(store.read()), ['n=2']);
  assert.equal(
    said.map((message) => message.slice(0, 40)),
    ['nothing is kept for now: the disk of the', 'the disk of the store takes writes again'],
  );
  assert.equal(failures, []);
  assert.not(disk.paths().some((path) => path.endsWith('.tmp')));
  const again = await openOn(disk.lost('none', 1));
  assert.equal(contentOf(again.read()), ['n=2']);
  await again.close();
  await store.close();
});

failing('is read-only for good where what a failed write left cannot be cut off', async () => {
  const disk = createFaultDisk();
  const failures: string[] = [];
  const store = await openOn(disk, { log: () => {}, onFailure: (reason) => failures.push(reason) });
  disk.before = ({ name }) => (name === 'write' || name === 'truncate' ? { code: 'EIO' } : undefined);
  assert.instance(await reasonOf(store.commit(counting('n'), { id: '1' })), OutcomeUnknown);
  disk.before = () => undefined;
  assert.instance(await reasonOf(store.commit(counting('n'), { id: '2' })), NotKept);
  assert.is(failures.length, 1);
  await store.close();
});

failing('goes on when only a snapshot fails, and takes the next', async () => {
  const disk = createFaultDisk();
  const said: string[] = [];
  const store = await openOn(disk, { log: (message) => said.push(message) });
  let failures = 0;
  disk.before = ({ name, path }) => {
    if (name !== 'write' || !path.includes('snapshot') || failures > 0) return undefined;
    failures += 1;
    return { code: 'ENOSPC' };
  };
  for (let index = 0; index < 60; index += 1) await store.commit(counting('n'), { id: String(index) });
  assert.is(store.health().state, 'ready');
  assert.ok(said.some((message) => /no snapshot was taken, and writes go on: ENOSPC/.test(message)));
  await store.close();
  assert.is(disk.paths().filter((path) => /snapshot-\d+\.jsonl$/.test(path)).length, 2);
  assert.not(disk.paths().some((path) => path.endsWith('.tmp')));
});

failing('is not opened when it cannot be read, and says why', async () => {
  const disk = createFaultDisk();
  await run(disk, () => undefined);
  for (const name of ['list', 'open', 'read', 'write', 'datasync'] as const) {
    disk.before = (call) => (call.name === name ? { code: 'EIO' } : undefined);
    const error = await reasonOf(openOn(disk));
    assert.instance(error, StoreUnavailable);
    assert.is(error instanceof StoreUnavailable && error.reason, 'unreadable', name);
    assert.match(String(error), /the store \/store.* cannot be used, because the device reports an error/);
  }
});

failing.run();

/** Runs the workload; nothing in it may throw anything but what the interface names. */
async function run(
  disk: FaultDisk,
  fault: (call: Call) => Fault | undefined,
): Promise<{ outcomes: Outcome[]; call: string }> {
  let call = '';
  disk.before = (made) => {
    const what = fault(made);
    if (what !== undefined) call = `${made.name} ${made.path}`;
    return what;
  };
  const outcomes = await runOn(disk);
  disk.before = () => undefined;
  return { outcomes, call };
}

async function runOn(disk: FaultDisk): Promise<Outcome[]> {
  let store: Store;
  try {
    store = await openOn(disk);
  } catch (error) {
    assert.instance(error, StoreUnavailable);
    return steps.map(() => 'not kept');
  }
  const outcomes: Outcome[] = [];
  for (const batch of plan) {
    const errors = await Promise.all(batch.map(({ id, transaction }) => reasonOf(store.commit(transaction, { id }))));
    for (const error of errors) outcomes.push(outcomeOf(error));
  }
  await store.close();
  return outcomes;
}

function outcomeOf(error: unknown): Outcome {
  if (error === undefined) return 'kept';
  if (error instanceof OutcomeUnknown) return 'unknown';
  assert.instance(error, NotKept);
  return 'not kept';
}

async function countCalls(which: (call: Call) => boolean = () => true): Promise<number> {
  let count = 0;
  await run(createFaultDisk(), (call) => {
    if (which(call)) count += 1;
    return undefined;
  });
  return count;
}

function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function refuse(): never {
  throw new Refused([]);
}
