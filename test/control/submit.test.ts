// The write door: what it refuses it refuses whole, and in the words of the rules.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { submit } from '../../src/control/submit.ts';
import { transact } from '../../src/control/transact.ts';
import { created, deleted } from '../../src/core/model/change.ts';
import { Refused } from '../../src/store/store.ts';
import { apply, facts, made, newWorld, put, write } from './world.ts';

const door = suite('the write door');

door('refuses with every violation at once, and keeps nothing', async () => {
  const world = newWorld();
  const { position } = world.store.read();
  const problems = await write(world, () => [
    created(made('Stack', 'good', { runtime: '4' })),
    created(made('Stack', 'bad', { runtime: 'a/b', replaces: 'nothing' })),
    created(made('InstanceType', 'priced', { price: { id: 'p' } })),
  ]);
  assert.equal(problems.map((problem) => problem.split(' ')[0]).sort(), [
    'price-needs-billing',
    'references',
    'stack-runtime',
  ]);
  assert.is(world.store.read().position, position);
  assert.is(world.store.read().count('Stack'), 0);
});

door('keeps a change with its records, and answers what the proposal found out', async () => {
  const world = newWorld();
  const stack = made('Stack', 'a', { runtime: '4' });
  const { changes, records, result } = await submit(
    world.door,
    (view) => ({ changes: [created(stack)], result: { before: view.count('Stack') } }),
    world.context('api'),
  );
  assert.equal(changes, [created(stack)]);
  assert.equal(result, { before: 0 });
  assert.equal(records, await world.store.records({ stream: 'audit', limit: 10 }));
  assert.is(records.length, 1);
});

door('judges what it is shown by the state at that moment, one after another', async () => {
  const world = newWorld();
  await put(world, made('Stack', 'a', { runtime: '4' }));
  const [removal, use] = await Promise.all([
    write(world, (view) => [...view.all('Stack')].map(deleted)),
    write(world, () => [created(made('InstanceType', 't', { stacks: ['a'] }))]),
  ]);
  assert.equal([removal.length, use.length], [0, 1], 'the second sees what the first did');
});

door('throws what says so, with the findings', async () => {
  const world = newWorld();
  const wrong = () => [created(made('Stack', 'a', { runtime: 'a/b' }))];
  try {
    await submit(world.door, wrong, world.context('api'));
    assert.unreachable();
  } catch (error) {
    assert.instance(error, Refused);
    assert.is((error as Refused).violations[0]?.path, '/spec/runtime');
  }
});

door('can be tried without keeping anything: the same changes, the same violations', async () => {
  const world = newWorld();
  await apply(world, {});
  const view = world.store.read();
  const tried = transact(view, () => [created(made('Stack', 'a', { runtime: 'a/b' }))], world.context('api'), {
    facts,
  });
  assert.equal(
    [tried.changes.length, tried.violations.length, tried.after.count('Stack'), view.count('Stack')],
    [1, 1, 1, 0],
  );
});

door.run();
