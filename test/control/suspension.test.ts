// What keeps a suspended reconciler, and one whose caller may not any more, from keeping anything.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NotPermitted, ReconcilerSuspended } from '../../src/control/failures.ts';
import { submit } from '../../src/control/submit.ts';
import { onSuspension, requireGoing, requireResumed, whileGoing } from '../../src/control/suspension.ts';
import { created } from '../../src/core/model/change.ts';
import { proposedBy } from '../../src/core/model/proposal.ts';
import { resumeReconciler, suspendReconciler } from '../../src/core/proposals/suspend-reconciler.ts';
import type { Entry } from '../../src/store/store.ts';
import { made, newWorld, put, type World } from './world.ts';

const suspend = (world: World) => submit(world.door, suspendReconciler({ reason: 'upgrade' }), world.context('api'));
const resume = (world: World) => submit(world.door, resumeReconciler, world.context('api'));

async function failureOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

const suspension = suite('a suspension');

suspension('keeps a store from being written by the reconciler, until it is resumed', async () => {
  const world = newWorld();
  const store = whileGoing(world.store);
  const write = (name: string) =>
    store.commit(() => ({ changes: [created(made('Stack', name, { runtime: '4' }))] }), { id: name });
  await write('before');
  await suspend(world);
  const failure = await failureOf(() => write('during'));
  assert.instance(failure, ReconcilerSuspended);
  assert.match((failure as Error).message, /suspended by ann since .*: upgrade; resume it first$/);
  assert.instance(await failureOf(() => requireResumed(world.store.read())), ReconcilerSuspended);
  await put(world, made('Stack', 'by-others', { runtime: '4' }));
  await resume(world);
  assert.is(await failureOf(() => requireResumed(world.store.read())), undefined);
  await write('after');
  assert.equal(
    [...world.store.read().all('Stack')].map(({ name }) => name),
    ['before', 'by-others', 'after'],
  );
});

suspension('is asked of the state that a write meets, and so is whether the caller may', async () => {
  const world = newWorld();
  const denied = new Error('you may not');
  let may = true;
  const permit = () => {
    if (!may) throw denied;
  };
  const store = whileGoing(world.store, permit);
  const write = (name: string) =>
    store.commit(() => ({ changes: [created(made('Stack', name, { runtime: '4' }))] }), { id: name });
  await write('a');
  may = false;
  const failure = await failureOf(() => write('b'));
  assert.instance(failure, NotPermitted);
  assert.is((failure as Error).cause, denied);
  assert.is(world.store.read().count('Stack'), 1);
  // That it is suspended is what everybody is told first.
  await suspend(world);
  assert.instance(await failureOf(() => requireGoing(world.store.read(), permit)), ReconcilerSuspended);
  may = true;
  assert.instance(await failureOf(() => requireGoing(world.store.read(), permit)), ReconcilerSuspended);
  await resume(world);
  assert.is(await failureOf(() => requireGoing(world.store.read(), permit)), undefined);
});

suspension(
  'is told of when it begins, when it ends and when all of the state was replaced, and not otherwise',
  async () => {
    const world = newWorld();
    const listeners: ((entry: Entry | 'reset') => void)[] = [];
    const subscribe = (listener: (entry: Entry | 'reset') => void) => {
      listeners.push(listener);
      return world.store.subscribe(listener);
    };
    let times = 0;
    const stop = onSuspension({ ...world.store, subscribe }, () => {
      times += 1;
    });
    await put(world, made('Stack', 'a', { runtime: '4' }));
    assert.is(times, 0);
    await suspend(world);
    assert.is(times, 1);
    await resume(world);
    assert.is(times, 2);
    listeners[0]?.('reset');
    assert.is(times, 3);
    const wanted = suspendReconciler({ reason: 'upgrade' });
    await world.store.commit(
      (view) => {
        const { changes } = proposedBy(wanted, view, world.context('api'));
        return { changes: [...changes, created(made('Stack', 'beside', { runtime: '4' }))] };
      },
      { id: 'both' },
    );
    assert.is(times, 4, 'beside something else');
    stop();
    await resume(world);
    assert.is(times, 4);
  },
);

suspension.run();
